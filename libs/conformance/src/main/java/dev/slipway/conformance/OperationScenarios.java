package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Requirement;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Scenarios on a running instance. */
final class OperationScenarios {
    private OperationScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "operation",
                        "a declared operation, and an undeclared one",
                        List.of(Clause.OUTPUT, Clause.OPERATION_ID, Clause.TERMINAL_REPORT, Clause.NO_REPORT_AFTER_END),
                        Set.of(Requirement.OPERATIONS),
                        OperationScenarios::operation),
                new Scenario(
                        "cancel",
                        "a running operation is canceled",
                        List.of(Clause.CANCEL),
                        Set.of(Requirement.OPERATIONS, Requirement.LONG_INPUT),
                        OperationScenarios::cancel),
                new Scenario(
                        "operation-deadline",
                        "a running operation fails at its deadline",
                        List.of(Clause.DEADLINE),
                        Set.of(Requirement.OPERATIONS, Requirement.LONG_INPUT),
                        OperationScenarios::deadline),
                new Scenario(
                        "upgrade",
                        "upgrade to the next version",
                        List.of(Clause.UPGRADE, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.UPGRADE),
                        context -> upgrade(context, false)),
                new Scenario(
                        "rollback",
                        "upgrade to the next version and roll back",
                        List.of(Clause.UPGRADE, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.UPGRADE, Requirement.ROLLBACK),
                        context -> upgrade(context, true)),
                new Scenario(
                        "failed-upgrade",
                        "the next version cannot start, and the old one keeps running",
                        List.of(Clause.UPGRADE),
                        Set.of(Requirement.UPGRADE, Requirement.FAILING),
                        OperationScenarios::failedUpgrade),
                new Scenario(
                        "members",
                        "add, drain, remove and replace members",
                        List.of(Clause.MEMBERS, Clause.OPERATION_ID, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.MEMBERS),
                        OperationScenarios::members),
                new Scenario(
                        "usage",
                        "usage is reported once",
                        List.of(Clause.USAGE),
                        Set.of(Requirement.USAGE),
                        OperationScenarios::usage));
    }

    private static void operation(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var operation = Objects.requireNonNull(context.profile().operation());
        context.awaitSucceeded(context.operate(instance, operation.name(), operation.input()), Clause.TERMINAL_REPORT);
        var unknown = context.operate(instance, "kit.undeclared", Json.object());
        var end = context.awaitEnd(unknown, Clause.TERMINAL_REPORT);
        if (!end.isOperation("failed")) {
            throw Clause.FAILURE_REASON.violation("an undeclared operation ended with " + end.describe());
        }
        context.delete(instance);
    }

    private static void cancel(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var operate = longOperation(context, instance);
        context.awaitAcknowledged(operate);
        var payload = context.payloads()
                .create(instance)
                .put("operation_id", operate.field("operation_id").asText())
                .put("canceled_command_id", operate.id().toString());
        var cancel = context.command(CommandKind.CANCEL, instance, payload);
        var end = context.awaitEnd(operate, Clause.CANCEL);
        if (!end.isOperation("canceled")) {
            throw Clause.CANCEL.violation(operate + " was canceled, but ended with " + end.describe());
        }
        context.awaitAcknowledged(cancel);
        context.delete(instance);
    }

    private static void deadline(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var operation = Objects.requireNonNull(context.profile().operation());
        var payload = context.payloads()
                .create(instance)
                .put("operation", operation.name())
                .put("deadline_at", Instant.now().plusSeconds(1).toString());
        payload.set("input", Objects.requireNonNull(operation.longInput()));
        var operate = context.command(CommandKind.OPERATE, instance, payload);
        var end = context.awaitEnd(operate, Clause.DEADLINE);
        if (!end.isOperation("failed")) {
            throw Clause.DEADLINE.violation(operate + " missed its deadline and ended with " + end.describe());
        }
        context.delete(instance);
    }

    private static SentCommand longOperation(ScenarioContext context, ScenarioInstance instance) throws Exception {
        var operation = Objects.requireNonNull(context.profile().operation());
        return context.operate(instance, operation.name(), Objects.requireNonNull(operation.longInput()));
    }

    private static void upgrade(ScenarioContext context, boolean andBack) throws Exception {
        var instance = context.createInstance();
        var plain = context.profile().base();
        var next = Objects.requireNonNull(context.profile().upgraded());
        var ignored = context.deployAndAwaitRunning(instance);
        var before = context.findAlive(instance);
        context.awaitSucceeded(
                context.command(
                        CommandKind.UPGRADE, instance, context.payloads().versionChange(instance, plain, next)),
                Clause.UPGRADE);
        awaitReplaced(context, instance, before);
        if (andBack) {
            var upgraded = context.findAlive(instance);
            context.awaitSucceeded(
                    context.command(
                            CommandKind.ROLLBACK, instance, context.payloads().versionChange(instance, next, plain)),
                    Clause.UPGRADE);
            awaitReplaced(context, instance, upgraded);
        }
        context.delete(instance);
    }

    /** The old version may stop a moment after the new one has taken over. */
    private static void awaitReplaced(ScenarioContext context, ScenarioInstance instance, List<String> before) {
        context.awaitEffects(
                instance,
                now -> now.size() == before.size() && now.stream().noneMatch(before::contains),
                Clause.UPGRADE,
                "the new version should have replaced " + before);
    }

    private static void failedUpgrade(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var before = context.findAlive(instance);
        var failing = Objects.requireNonNull(context.profile().failingUpgrade());
        var payload =
                context.payloads().versionChange(instance, context.profile().base(), failing);
        var upgrade = context.command(CommandKind.UPGRADE, instance, payload);
        var end = context.awaitEnd(upgrade, Clause.UPGRADE);
        if (!end.isOperation("failed")) {
            throw Clause.FAILURE_REASON.violation(upgrade + ", which cannot succeed, ended with " + end.describe());
        }
        context.awaitEffects(
                instance,
                before::equals,
                Clause.UPGRADE,
                "the upgrade failed, so the old version should keep running: " + before);
        context.delete(instance);
    }

    private static void members(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        for (var i = 0; i < context.profile().members(); i++) {
            var ignored = context.payloads().issueMember(instance);
        }
        var deploy = context.deployAndAwaitRunning(instance);
        var before = context.findAlive(instance);
        for (var member : List.copyOf(instance.members().values())) {
            awaitReported(context, instance, member, "ready");
        }
        var added = context.payloads().issueMember(instance);
        context.awaitSucceeded(member(context, instance, "add", added), Clause.MEMBERS);
        awaitReported(context, instance, added, "ready");
        context.awaitSucceeded(member(context, instance, "drain", added), Clause.MEMBERS);
        awaitReported(context, instance, added, "draining");
        context.awaitSucceeded(member(context, instance, "remove", added), Clause.MEMBERS);
        awaitReported(context, instance, added, "removed");
        var old = instance.members().values().iterator().next();
        var replacement = context.payloads().issueMember(instance);
        var payload = context.payloads().member(instance, "replace", old);
        payload.set("replacement", replacement.toJson());
        context.awaitSucceeded(context.command(CommandKind.MEMBER, instance, payload), Clause.MEMBERS);
        awaitReported(context, instance, replacement, "ready");
        awaitReported(context, instance, old, "removed");
        context.awaitEffects(
                instance,
                now -> now.size() == before.size(),
                Clause.MEMBERS,
                "a member was added and removed, and one replaced, so the number of effects should be the same as after "
                        + deploy);
        context.delete(instance);
    }

    private static SentCommand member(
            ScenarioContext context, ScenarioInstance instance, String operation, ScenarioInstance.IssuedMember member)
            throws Exception {
        return context.command(CommandKind.MEMBER, instance, context.payloads().member(instance, operation, member));
    }

    /** Waits until the member is reported in this state, in its current generation: the platform ignores reports of an older one. */
    static void awaitReported(
            ScenarioContext context, ScenarioInstance instance, ScenarioInstance.IssuedMember member, String state)
            throws Exception {
        var ignored = context.await(
                Clause.MEMBERS,
                () -> "member " + member.id() + " was not reported as " + state + " in its current generation "
                        + currentGeneration(instance, member) + "; states reported in it: " + states(instance, member),
                () -> states(instance, member).contains(state) ? true : null);
    }

    private static List<String> states(ScenarioInstance instance, ScenarioInstance.IssuedMember member) {
        var generation = currentGeneration(instance, member);
        var states = new ArrayList<String>();
        for (var command : instance.commands()) {
            for (var report : command.reports()) {
                for (var reported : report.field("members")) {
                    if (reported.path("member_id").asText().equals(member.id().toString())
                            && reported.path("generation").asInt() == generation) {
                        states.add(reported.path("state").asText());
                    }
                }
            }
        }
        return states;
    }

    private static int currentGeneration(ScenarioInstance instance, ScenarioInstance.IssuedMember member) {
        return instance.members().getOrDefault(member.id(), member).generation();
    }

    /** Covers two periods, if the adapter reports usage periodically. */
    private static void usage(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.deployAndAwaitRunning(instance);
        if (context.profile().reportsUsagePeriodically()) {
            awaitUsage(context, instance, 2, "usage was not reported periodically after " + deploy);
        }
        context.delete(instance);
        awaitUsage(context, instance, 1, "no usage was reported for the time between " + deploy + " and its delete");
    }

    private static void awaitUsage(ScenarioContext context, ScenarioInstance instance, int count, String missing)
            throws Exception {
        var ignored = context.await(
                Clause.USAGE, () -> missing, () -> instance.usage().size() < count ? null : true);
    }
}
