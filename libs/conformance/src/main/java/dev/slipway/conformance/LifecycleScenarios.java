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
    private static final int UNKNOWN_VERSION = 99;

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
                        "unknown records, fields and versions",
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
                        List.of(Clause.DELETE, Clause.ORDERING, Clause.COMPLETE_CLEANUP, Clause.NO_REPORT_AFTER_END),
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
                "the adapter sends regular heartbeats with its start time",
                List.of(Clause.HEARTBEAT, Clause.ADAPTER_TOKEN, Clause.KEYS),
                Set.of(),
                LifecycleScenarios::heartbeats);
    }

    /** Observes three heartbeats of the running process, and no longer than it takes to see that one is missing. */
    private static void heartbeats(ScenarioContext context) throws Exception {
        var begin = Instant.now();
        var ignored = context.state()
                .await(
                        () -> context.heartbeats().isConclusive(begin, Instant.now()) ? true : null,
                        HeartbeatChecker.MAX_GAP.multipliedBy(HeartbeatChecker.ENOUGH));
        context.heartbeats().findGaps(begin, Instant.now()).forEach(gap -> context.state()
                .addFinding(null, gap));
    }

    private static void happyPath(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        context.delete(instance);
    }

    private static void unknownRecords(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var key = instance.id().toString();
        context.sendRaw(key, "this is not JSON".getBytes(StandardCharsets.UTF_8));
        var unknownType = Json.object()
                .put("event_id", Ids.next().toString())
                .put("event_type", "runtime.command.unknown")
                .put("occurred_at", Instant.now().toString())
                .put("version", 1)
                .put("correlation_id", "kit");
        unknownType.set("payload", context.payloads().create(instance, 1));
        context.sendRaw(key, Json.bytes(unknownType));
        var payload = context.payloads().deployment(instance, context.profile().base());
        payload.putObject("kit_added_later").put("reason", "contracts grow");
        context.awaitRunning(context.command(CommandKind.DEPLOY, instance, payload), Clause.MESSAGES);
        var alive = context.findAlive(instance);
        var laterVersion = context.state()
                .add(CommandKind.DELETE, instance, context.payloads().createNext(instance));
        context.sendRaw(key, Json.bytes(Json.toObject(laterVersion.event()).put("version", UNKNOWN_VERSION)));
        context.awaitPreviousCommands(instance);
        context.expectUnchanged(
                instance,
                alive,
                Clause.MESSAGES,
                "a delete of the unknown version " + UNKNOWN_VERSION + " was delivered");
        if (context.state().read(() -> !laterVersion.reports().isEmpty())) {
            throw Clause.MESSAGES.violation("a report was sent on a command of the unknown version " + UNKNOWN_VERSION);
        }
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

    /** Token requests fail for the first report and, if the app can be slow, again for the last one. */
    private static void tokenOutage(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.createDeploy(instance, context.profile().base());
        context.tokens().rejectNext(deploy.id(), 409, 503);
        context.awaitRunning(context.send(deploy), Clause.TOKEN_RETRY);
        context.delete(instance);
        var slow = context.profile().slow();
        if (slow != null) {
            context.tokens().setLifetime(context.limits().tokenLife());
            try {
                var other = context.createInstance();
                var slowDeploy = context.deploy(other, slow);
                context.awaitAcknowledged(slowDeploy);
                context.tokens().rejectNext(slowDeploy.id(), 409, 503, 409, 503, 409, 503);
                context.awaitRunning(slowDeploy, Clause.TOKEN_RETRY);
                context.delete(other);
            } finally {
                context.tokens().setLifetime(null);
            }
        }
    }

    private static void partialFailure(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.deploy(
                instance, Objects.requireNonNull(context.profile().failing()));
        var end = context.awaitEnd(deploy, Clause.FAILURE_REASON);
        if (!end.is("failed")) {
            throw Clause.FAILURE_REASON.violation(deploy + ", which cannot succeed, ended with " + end.describe());
        }
        context.expectNoNewEffects(
                instance, context.findAlive(instance), Clause.FAILURE_REASON, "started by itself after it had failed");
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
        var deploy = context.deploy(
                instance, Objects.requireNonNull(context.profile().slow()));
        context.awaitAcknowledged(deploy);
        context.delete(instance);
        var end = context.state().read(deploy::finalReport);
        if (end != null && end.is("running")) {
            throw Clause.ORDERING.violation("the delete waited until " + deploy + " was complete");
        }
        context.expectUnchanged(instance, List.of(), Clause.COMPLETE_CLEANUP, "after the delete");
    }
}
