package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Requirement;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Scenarios that deploy and delete an instance. */
final class LifecycleScenarios {
    private LifecycleScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "happy-path",
                        "deploy, running, delete, deleted",
                        List.of(
                                Clause.TERMINAL_REPORT,
                                Clause.EFFECT_BEFORE_REPORT,
                                Clause.HEALTHY_WHEN_RUNNING,
                                Clause.COMPLETE_CLEANUP,
                                Clause.TOPICS),
                        Set.of(),
                        LifecycleScenarios::happyPath),
                new Scenario(
                        "unknown-records",
                        "records that are not commands are skipped",
                        List.of(Clause.MESSAGES),
                        Set.of(),
                        LifecycleScenarios::unknownRecords),
                new Scenario(
                        "slow",
                        "a deployment takes longer than a token is valid",
                        List.of(
                                Clause.ACKNOWLEDGEMENT,
                                Clause.TOKEN_VALIDITY,
                                Clause.PROGRESS,
                                Clause.HEALTHY_WHEN_RUNNING),
                        Set.of(Requirement.SLOW),
                        LifecycleScenarios::slow),
                new Scenario(
                        "token-outage",
                        "token requests fail temporarily",
                        List.of(Clause.TOKEN_RETRY),
                        Set.of(),
                        LifecycleScenarios::tokenOutage),
                new Scenario(
                        "partial-failure",
                        "an app that cannot start fails with a reason and can be deleted",
                        List.of(Clause.FAILURE_REASON, Clause.DELETE, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.FAILING),
                        LifecycleScenarios::partialFailure),
                new Scenario(
                        "deadline",
                        "a deployment that misses its deadline fails",
                        List.of(Clause.DEADLINE),
                        Set.of(Requirement.SLOW),
                        LifecycleScenarios::deadline),
                new Scenario(
                        "delete-during-create",
                        "delete while deploying",
                        List.of(Clause.DELETE, Clause.COMPLETE_CLEANUP, Clause.NO_REPORT_AFTER_END),
                        Set.of(Requirement.SLOW),
                        LifecycleScenarios::deleteDuringCreate),
                new Scenario(
                        "delete-unknown",
                        "delete an instance that the adapter does not know",
                        List.of(Clause.DELETE),
                        Set.of(),
                        context -> context.delete(context.createInstance())));
    }

    static Scenario heartbeat() {
        return new Scenario(
                "heartbeat",
                "the adapter sends heartbeats",
                List.of(Clause.HEARTBEAT, Clause.ADAPTER_TOKEN, Clause.KEYS),
                Set.of(),
                context -> {
                    var ignored = context.await(
                            Clause.HEARTBEAT,
                            () -> "no heartbeat was received",
                            () -> context.heartbeats().count() == 0 ? null : true);
                    context.heartbeats().findGaps().forEach(gap -> context.state()
                            .addFinding(null, gap));
                });
    }

    private static void happyPath(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        context.delete(instance);
    }

    private static void unknownRecords(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        context.sendRaw("this is not JSON".getBytes(StandardCharsets.UTF_8));
        context.sendRaw(Json.bytes(Json.object()
                .put("event_id", Ids.next().toString())
                .put("event_type", "runtime.command.unknown")
                .put("occurred_at", Instant.now().toString())
                .put("version", 1)
                .put("correlation_id", "kit")
                .set("payload", context.payloads().create(instance, 1))));
        context.awaitRunning(context.deploy(instance, context.profile().base()), Clause.MESSAGES);
        context.delete(instance);
    }

    private static void slow(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        context.tokens().setLifetime(context.limits().tokenLife());
        try {
            var deploy = context.deploy(
                    instance, Objects.requireNonNull(context.profile().slow()));
            context.awaitAcknowledged(deploy);
            context.awaitRunning(deploy);
        } finally {
            context.tokens().setLifetime(null);
        }
        context.delete(instance);
    }

    private static void tokenOutage(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.createDeploy(instance, context.profile().base());
        context.tokens().rejectNext(deploy.id(), 2);
        context.awaitRunning(context.send(deploy), Clause.TOKEN_RETRY);
        context.delete(instance);
    }

    private static void partialFailure(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.deploy(
                instance, Objects.requireNonNull(context.profile().failing()));
        var end = context.awaitEnd(deploy, Clause.FAILURE_REASON);
        if (!end.is("failed")) {
            throw Clause.FAILURE_REASON.violation(deploy + ", which cannot succeed, ended with " + end.describe());
        }
        context.delete(instance);
    }

    private static void deadline(ScenarioContext context) throws Exception {
        var slow = Objects.requireNonNull(context.profile().slow());
        for (var seconds : List.of(1, -60)) {
            var instance = context.createInstance();
            var payload = context.payloads()
                    .deployment(instance, slow)
                    .put("deadline_at", Instant.now().plusSeconds(seconds).toString());
            var deploy = context.command(CommandKind.DEPLOY, instance, payload);
            var end = context.awaitEnd(deploy, Clause.DEADLINE);
            if (!end.is("failed")) {
                throw Clause.DEADLINE.violation(deploy + " missed its deadline and ended with " + end.describe());
            }
            context.delete(instance);
        }
    }

    private static void deleteDuringCreate(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        context.awaitAcknowledged(context.deploy(
                instance, Objects.requireNonNull(context.profile().slow())));
        context.delete(instance);
        context.expectUnchanged(instance, List.of(), Clause.COMPLETE_CLEANUP, "after the delete");
    }
}
