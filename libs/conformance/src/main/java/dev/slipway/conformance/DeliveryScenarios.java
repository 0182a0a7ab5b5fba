package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Requirement;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Scenarios with duplicate, late, reordered and concurrent commands. */
final class DeliveryScenarios {
    private DeliveryScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "duplicates",
                        "the same command twice, and again with a higher attempt",
                        List.of(Clause.EXACTLY_ONCE, Clause.STABLE_REPORT_ID, Clause.NO_REPORT_AFTER_END),
                        Set.of(),
                        DeliveryScenarios::duplicates),
                new Scenario(
                        "distinct-commands",
                        "two commands of one type on one instance are distinct",
                        List.of(Clause.COMMAND_IDENTITY),
                        Set.of(),
                        DeliveryScenarios::distinctCommands),
                new Scenario(
                        "reordering",
                        "an older generation after a newer one",
                        List.of(Clause.GENERATION),
                        Set.of(),
                        DeliveryScenarios::reordering),
                new Scenario(
                        "cross-tenant",
                        "instances of two organizations at the same time",
                        List.of(Clause.TASK_ISOLATION, Clause.TASK_TOKEN, Clause.CORRELATION, Clause.ORDERING),
                        Set.of(),
                        DeliveryScenarios::crossTenant),
                new Scenario(
                        "independent-instances",
                        "a slow instance does not delay another one",
                        List.of(Clause.ORDERING),
                        Set.of(Requirement.SLOW),
                        DeliveryScenarios::independentInstances),
                new Scenario(
                        "delete-during-operation",
                        "delete while an operation runs",
                        List.of(Clause.DELETE, Clause.ORDERING, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.OPERATIONS, Requirement.LONG_INPUT),
                        DeliveryScenarios::deleteDuringOperation));
    }

    private static void duplicates(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var deploy = context.createDeploy(instance, context.profile().base());
        var ignored = context.send(deploy);
        context.resend(deploy, 1);
        context.awaitRunning(deploy);
        var alive = context.findAlive(instance);
        context.resend(deploy, 2);
        context.awaitPreviousCommands(instance);
        context.expectUnchanged(instance, alive, Clause.EXACTLY_ONCE, deploy + " was delivered again");
        if (context.profile().claims().contains("operations")) {
            duplicateOperation(context, instance);
        }
        var delete =
                context.command(CommandKind.DELETE, instance, context.payloads().createNext(instance));
        context.resend(delete, 2);
        context.awaitDeleted(delete);
        context.expectUnchanged(instance, List.of(), Clause.EXACTLY_ONCE, delete + " was delivered again");
    }

    private static void duplicateOperation(ScenarioContext context, ScenarioInstance instance) throws Exception {
        var operation = Objects.requireNonNull(context.profile().operation());
        var operate = context.operate(instance, operation.name(), operation.input());
        context.resend(operate, 2);
        context.awaitSucceeded(operate, Clause.TERMINAL_REPORT);
    }

    private static void distinctCommands(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        context.awaitRunning(context.deploy(instance, context.profile().base()), Clause.COMMAND_IDENTITY);
        var operation = context.profile().operation();
        if (operation != null && context.profile().claims().contains("operations")) {
            for (var i = 0; i < 2; i++) {
                context.awaitSucceeded(
                        context.operate(instance, operation.name(), operation.input()), Clause.COMMAND_IDENTITY);
            }
        }
        context.delete(instance);
    }

    private static void reordering(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var newer = context.payloads()
                .deployment(instance, context.profile().base())
                .put("generation", 3);
        context.awaitRunning(context.command(CommandKind.DEPLOY, instance, newer));
        var alive = context.findAlive(instance);
        var deploy =
                context.command(CommandKind.DEPLOY, instance, newer.deepCopy().put("generation", 2));
        var delete =
                context.command(CommandKind.DELETE, instance, context.payloads().create(instance, 1));
        context.awaitPreviousCommands(instance);
        context.expectUnchanged(instance, alive, Clause.GENERATION, "commands of older generations were delivered");
        for (var history : List.of(deploy, delete)) {
            if (context.state().read(() -> !history.reports().isEmpty())) {
                throw Clause.GENERATION.violation("a report was sent on the stale command " + history);
            }
        }
        context.delete(instance);
    }

    private static void crossTenant(ScenarioContext context) throws Exception {
        var ours = context.createInstance();
        var theirs = context.createInstance();
        var first = context.deploy(ours, context.profile().base());
        var second = context.deploy(theirs, context.profile().base());
        context.awaitRunning(first);
        context.awaitRunning(second);
        context.delete(ours);
        var alive = context.findAlive(theirs);
        if (alive.isEmpty()) {
            throw Clause.TASK_ISOLATION.violation("deleting one organization's instance removed another's");
        }
        context.delete(theirs);
    }

    /** The second deployment starts later and takes less time, so it ends first unless it waits for the other one. */
    private static void independentInstances(ScenarioContext context) throws Exception {
        var slow = context.createInstance();
        var quick = context.createInstance();
        var first =
                context.deploy(slow, Objects.requireNonNull(context.profile().slow()));
        context.awaitAcknowledged(first);
        var second = context.deploy(quick, context.profile().base());
        context.awaitRunning(second, Clause.ORDERING);
        context.awaitRunning(first);
        var order = context.state().read(() -> Objects.requireNonNull(second.finalReport())
                .appendedAt()
                .compareTo(Objects.requireNonNull(first.finalReport()).appendedAt()));
        if (order > 0) {
            throw Clause.ORDERING.violation(second + " waited for " + first + " of another instance");
        }
        context.delete(slow);
        context.delete(quick);
    }

    private static void deleteDuringOperation(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var operation = Objects.requireNonNull(context.profile().operation());
        context.awaitAcknowledged(
                context.operate(instance, operation.name(), Objects.requireNonNull(operation.longInput())));
        context.delete(instance);
        context.expectUnchanged(instance, List.of(), Clause.COMPLETE_CLEANUP, "after the delete");
    }
}
