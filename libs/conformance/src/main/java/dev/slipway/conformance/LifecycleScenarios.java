package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Need;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** An instance comes up, or does not, and goes. */
final class LifecycleScenarios {
    private LifecycleScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "happy-path",
                        "deploy, running, delete, deleted",
                        List.of(Clause.ENDS, Clause.EFFECT_FIRST, Clause.HEALTHY, Clause.NOTHING_LEFT, Clause.TOPICS),
                        Set.of(),
                        LifecycleScenarios::happyPath),
                new Scenario(
                        "strangers",
                        "records that are no commands are passed over",
                        List.of(Clause.MESSAGES),
                        Set.of(),
                        LifecycleScenarios::strangers),
                new Scenario(
                        "slow",
                        "it takes longer than a token lives",
                        List.of(Clause.ACKNOWLEDGED, Clause.TOKEN_IN_TIME, Clause.PROGRESS, Clause.HEALTHY),
                        Set.of(Need.SLOW),
                        LifecycleScenarios::slow),
                new Scenario(
                        "closed-desk",
                        "tokens cannot be had for a moment",
                        List.of(Clause.EXCHANGE_AGAIN),
                        Set.of(),
                        LifecycleScenarios::closedDesk),
                new Scenario(
                        "partial-failure",
                        "what cannot come up fails with a reason, and can be deleted",
                        List.of(Clause.FAILURE, Clause.DELETE, Clause.NOTHING_LEFT),
                        Set.of(Need.FAILING),
                        LifecycleScenarios::partialFailure),
                new Scenario(
                        "deadline",
                        "what is not done in time is given up",
                        List.of(Clause.DEADLINE),
                        Set.of(Need.SLOW),
                        LifecycleScenarios::deadline),
                new Scenario(
                        "delete-during-create",
                        "delete while deploying",
                        List.of(Clause.DELETE, Clause.NOTHING_LEFT, Clause.AFTER_THE_END),
                        Set.of(Need.SLOW),
                        LifecycleScenarios::deleteDuringCreate),
                new Scenario(
                        "delete-unknown",
                        "delete what the adapter never heard of",
                        List.of(Clause.DELETE),
                        Set.of(),
                        stage -> stage.delete(stage.instance())));
    }

    static Scenario heartbeat() {
        return new Scenario(
                "heartbeat",
                "the adapter says that it lives",
                List.of(Clause.HEARTBEAT, Clause.OWN_TOKEN, Clause.KEYS),
                Set.of(),
                stage -> {
                    var ignored = stage.await(
                            Clause.HEARTBEAT,
                            () -> "no heartbeat came",
                            () -> stage.heartbeats().count() == 0 ? null : true);
                    stage.heartbeats().gaps().forEach(gap -> stage.ledger().note(null, gap));
                });
    }

    private static void happyPath(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        stage.delete(instance);
    }

    private static void strangers(Stage stage) throws Exception {
        var instance = stage.instance();
        stage.sendAnything("this is not JSON".getBytes(StandardCharsets.UTF_8));
        stage.sendAnything(Json.bytes(Json.object()
                .put("event_id", Ids.next().toString())
                .put("event_type", "runtime.command.unheard_of")
                .put("occurred_at", Instant.now().toString())
                .put("version", 1)
                .put("correlation_id", "kit")
                .set("payload", stage.payloads().of(instance, 1))));
        stage.runs(stage.deploy(instance, stage.profile().plain()), Clause.MESSAGES);
        stage.delete(instance);
    }

    private static void slow(Stage stage) throws Exception {
        var instance = stage.instance();
        stage.tokens().lifetime(stage.limits().tokenLife());
        try {
            var deploy = stage.deploy(
                    instance, Objects.requireNonNull(stage.profile().slow()));
            stage.acknowledged(deploy);
            stage.runs(deploy);
        } finally {
            stage.tokens().lifetime(null);
        }
        stage.delete(instance);
    }

    private static void closedDesk(Stage stage) throws Exception {
        var instance = stage.instance();
        var deploy = stage.deployment(instance, stage.profile().plain());
        stage.tokens().refuse(deploy.id(), 2);
        stage.runs(stage.send(deploy), Clause.EXCHANGE_AGAIN);
        stage.delete(instance);
    }

    private static void partialFailure(Stage stage) throws Exception {
        var instance = stage.instance();
        var deploy =
                stage.deploy(instance, Objects.requireNonNull(stage.profile().failing()));
        var end = stage.ended(deploy, Clause.FAILURE);
        if (!end.is("failed")) {
            throw Clause.FAILURE.broken(deploy + ", which cannot come up, ended with " + end.plain());
        }
        stage.delete(instance);
    }

    private static void deadline(Stage stage) throws Exception {
        var slow = Objects.requireNonNull(stage.profile().slow());
        for (var seconds : List.of(1, -60)) {
            var instance = stage.instance();
            var payload = stage.payloads()
                    .deployment(instance, slow)
                    .put("deadline_at", Instant.now().plusSeconds(seconds).toString());
            var deploy = stage.command(Kind.DEPLOY, instance, payload);
            var end = stage.ended(deploy, Clause.DEADLINE);
            if (!end.is("failed")) {
                throw Clause.DEADLINE.broken(deploy + " was past its deadline and ended with " + end.plain());
            }
            stage.delete(instance);
        }
    }

    private static void deleteDuringCreate(Stage stage) throws Exception {
        var instance = stage.instance();
        stage.acknowledged(
                stage.deploy(instance, Objects.requireNonNull(stage.profile().slow())));
        stage.delete(instance);
        stage.staysSo(instance, List.of(), Clause.NOTHING_LEFT, "after the end of the instance");
    }
}
