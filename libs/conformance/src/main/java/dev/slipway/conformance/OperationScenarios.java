package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Need;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What is done with an instance that runs. */
final class OperationScenarios {
    private OperationScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "operation",
                        "a declared operation, and one that nobody declared",
                        List.of(Clause.OUTPUT, Clause.OPERATION_ID, Clause.ENDS, Clause.AFTER_THE_END),
                        Set.of(Need.OPERATIONS),
                        OperationScenarios::operation),
                new Scenario(
                        "cancel",
                        "an operation that goes on is canceled",
                        List.of(Clause.CANCEL),
                        Set.of(Need.OPERATIONS, Need.LONG_INPUT),
                        OperationScenarios::cancel),
                new Scenario(
                        "operation-deadline",
                        "an operation that goes on is given up at its deadline",
                        List.of(Clause.DEADLINE),
                        Set.of(Need.OPERATIONS, Need.LONG_INPUT),
                        OperationScenarios::deadline),
                new Scenario(
                        "upgrade",
                        "to the next version",
                        List.of(Clause.UPGRADE, Clause.NOTHING_LEFT),
                        Set.of(Need.UPGRADE),
                        stage -> upgrade(stage, false)),
                new Scenario(
                        "rollback",
                        "to the next version and back",
                        List.of(Clause.UPGRADE, Clause.NOTHING_LEFT),
                        Set.of(Need.UPGRADE, Need.ROLLBACK),
                        stage -> upgrade(stage, true)),
                new Scenario(
                        "failed-upgrade",
                        "the next version does not come up, and the old one runs on",
                        List.of(Clause.UPGRADE),
                        Set.of(Need.UPGRADE, Need.FAILING),
                        OperationScenarios::failedUpgrade),
                new Scenario(
                        "members",
                        "members as issued; add, drain, remove, replace",
                        List.of(Clause.MEMBERS, Clause.OPERATION_ID, Clause.NOTHING_LEFT),
                        Set.of(Need.MEMBERS),
                        OperationScenarios::members),
                new Scenario(
                        "usage",
                        "what was used is reported, once",
                        List.of(Clause.USAGE),
                        Set.of(Need.USAGE),
                        OperationScenarios::usage));
    }

    private static void operation(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var operation = Objects.requireNonNull(stage.profile().operation());
        stage.succeeded(stage.operate(instance, operation.name(), operation.input()), Clause.ENDS);
        var unknown = stage.operate(instance, "kit.nobody_declared_this", Json.object());
        var end = stage.ended(unknown, Clause.ENDS);
        if (!end.isOperation("failed")) {
            throw Clause.FAILURE.broken("an operation that nobody declared ended with " + end.plain());
        }
        stage.delete(instance);
    }

    private static void cancel(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var operate = longOperation(stage, instance);
        stage.acknowledged(operate);
        var payload = stage.payloads()
                .of(instance)
                .put("operation_id", operate.field("operation_id").asText())
                .put("canceled_command_id", operate.id().toString());
        var cancel = stage.command(Kind.CANCEL, instance, payload);
        var end = stage.ended(operate, Clause.CANCEL);
        if (!end.isOperation("canceled")) {
            throw Clause.CANCEL.broken(operate + " was canceled and ended with " + end.plain());
        }
        stage.acknowledged(cancel);
        stage.delete(instance);
    }

    private static void deadline(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var operation = Objects.requireNonNull(stage.profile().operation());
        var payload = stage.payloads()
                .of(instance)
                .put("operation", operation.name())
                .put("deadline_at", Instant.now().plusSeconds(1).toString());
        payload.set("input", Objects.requireNonNull(operation.longInput()));
        var operate = stage.command(Kind.OPERATE, instance, payload);
        var end = stage.ended(operate, Clause.DEADLINE);
        if (!end.isOperation("failed")) {
            throw Clause.DEADLINE.broken(operate + " was past its deadline and ended with " + end.plain());
        }
        stage.delete(instance);
    }

    private static Command longOperation(Stage stage, Instance instance) throws Exception {
        var operation = Objects.requireNonNull(stage.profile().operation());
        return stage.operate(instance, operation.name(), Objects.requireNonNull(operation.longInput()));
    }

    private static void upgrade(Stage stage, boolean andBack) throws Exception {
        var instance = stage.instance();
        var plain = stage.profile().plain();
        var next = Objects.requireNonNull(stage.profile().upgraded());
        var ignored = stage.running(instance);
        var before = stage.alive(instance);
        stage.succeeded(
                stage.command(Kind.UPGRADE, instance, stage.payloads().change(instance, plain, next)), Clause.UPGRADE);
        replaced(stage, instance, before);
        if (andBack) {
            var upgraded = stage.alive(instance);
            stage.succeeded(
                    stage.command(Kind.ROLLBACK, instance, stage.payloads().change(instance, next, plain)),
                    Clause.UPGRADE);
            replaced(stage, instance, upgraded);
        }
        stage.delete(instance);
    }

    /** The old version ends when the new one has taken over, which may take it a moment. */
    private static void replaced(Stage stage, Instance instance, List<String> before) {
        stage.becomes(
                instance,
                now -> now.size() == before.size() && now.stream().noneMatch(before::contains),
                Clause.UPGRADE,
                "the new version should have taken the place of " + before);
    }

    private static void failedUpgrade(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var before = stage.alive(instance);
        var failing = Objects.requireNonNull(stage.profile().failingUpgrade());
        var payload = stage.payloads().change(instance, stage.profile().plain(), failing);
        var upgrade = stage.command(Kind.UPGRADE, instance, payload);
        var end = stage.ended(upgrade, Clause.UPGRADE);
        if (!end.isOperation("failed")) {
            throw Clause.FAILURE.broken(upgrade + ", which cannot come up, ended with " + end.plain());
        }
        stage.becomes(
                instance,
                before::equals,
                Clause.UPGRADE,
                "the upgrade failed, so what ran before should run on: " + before);
        stage.delete(instance);
    }

    private static void members(Stage stage) throws Exception {
        var instance = stage.instance();
        for (var i = 0; i < stage.profile().members(); i++) {
            var ignored = stage.payloads().issue(instance);
        }
        var deploy = stage.running(instance);
        var before = stage.alive(instance);
        for (var member : List.copyOf(instance.members().values())) {
            reported(stage, instance, member, "ready");
        }
        var added = stage.payloads().issue(instance);
        stage.succeeded(member(stage, instance, "add", added), Clause.MEMBERS);
        reported(stage, instance, added, "ready");
        stage.succeeded(member(stage, instance, "drain", added), Clause.MEMBERS);
        reported(stage, instance, added, "draining");
        stage.succeeded(member(stage, instance, "remove", added), Clause.MEMBERS);
        reported(stage, instance, added, "removed");
        var old = instance.members().values().iterator().next();
        var replacement = stage.payloads().issue(instance);
        var payload = stage.payloads().member(instance, "replace", old);
        payload.set("replacement", replacement.json());
        stage.succeeded(stage.command(Kind.MEMBER, instance, payload), Clause.MEMBERS);
        reported(stage, instance, replacement, "ready");
        reported(stage, instance, old, "removed");
        stage.becomes(
                instance,
                now -> now.size() == before.size(),
                Clause.MEMBERS,
                "a member was added and removed, and one replaced, so there should be as much as after " + deploy);
        stage.delete(instance);
    }

    private static Command member(Stage stage, Instance instance, String operation, Instance.Member member)
            throws Exception {
        return stage.command(Kind.MEMBER, instance, stage.payloads().member(instance, operation, member));
    }

    /** Waits until a report has said that the member has the state. */
    private static void reported(Stage stage, Instance instance, Instance.Member member, String state)
            throws Exception {
        var ignored = stage.await(
                Clause.MEMBERS,
                () -> "member " + member.id() + " is not reported as " + state + "; it was " + states(instance, member),
                () -> states(instance, member).contains(state) ? true : null);
    }

    private static List<String> states(Instance instance, Instance.Member member) {
        var states = new ArrayList<String>();
        for (var command : instance.commands()) {
            for (var report : command.reports()) {
                for (var reported : report.field("members")) {
                    if (reported.path("member_id").asText().equals(member.id().toString())) {
                        states.add(reported.path("state").asText());
                    }
                }
            }
        }
        return states;
    }

    private static void usage(Stage stage) throws Exception {
        var instance = stage.instance();
        var deploy = stage.running(instance);
        stage.delete(instance);
        var ignored = stage.await(
                Clause.USAGE,
                () -> "no usage was reported of what " + deploy + " ran until it was deleted",
                () -> instance.usage().isEmpty() ? null : true);
    }
}
