package dev.slipway.conformance;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Commands come twice, late, after the next, and next to those of others. */
final class DeliveryScenarios {
    private DeliveryScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "duplicates",
                        "the same command twice, and again with a higher attempt",
                        List.of(Clause.ONCE, Clause.SAME_REPORT, Clause.AFTER_THE_END),
                        Set.of(),
                        DeliveryScenarios::duplicates),
                new Scenario(
                        "distinct-commands",
                        "two commands of one type on one instance are two",
                        List.of(Clause.TOLD_APART),
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
                        "instances of two organizations at a time",
                        List.of(Clause.OWN_TASKS, Clause.TASK_TOKEN, Clause.CORRELATION, Clause.ORDER),
                        Set.of(),
                        DeliveryScenarios::crossTenant));
    }

    private static void duplicates(Stage stage) throws Exception {
        var instance = stage.instance();
        var deploy = stage.deployment(instance, stage.profile().plain());
        var ignored = stage.send(deploy);
        stage.sendAgain(deploy, 1);
        stage.runs(deploy);
        var alive = stage.alive(instance);
        stage.sendAgain(deploy, 2);
        stage.pass(instance);
        stage.staysSo(instance, alive, Clause.ONCE, deploy + " came again");
        if (stage.profile().claims().contains("operations")) {
            twiceOperated(stage, instance);
        }
        var delete = stage.command(Kind.DELETE, instance, stage.payloads().next(instance));
        stage.sendAgain(delete, 2);
        stage.deleted(delete);
        stage.staysSo(instance, List.of(), Clause.ONCE, delete + " came again");
    }

    private static void twiceOperated(Stage stage, Instance instance) throws Exception {
        var operation = Objects.requireNonNull(stage.profile().operation());
        var operate = stage.operate(instance, operation.name(), operation.input());
        stage.sendAgain(operate, 2);
        stage.succeeded(operate, Clause.ENDS);
    }

    private static void distinctCommands(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        stage.runs(stage.deploy(instance, stage.profile().plain()), Clause.TOLD_APART);
        var operation = stage.profile().operation();
        if (operation != null && stage.profile().claims().contains("operations")) {
            for (var i = 0; i < 2; i++) {
                stage.succeeded(stage.operate(instance, operation.name(), operation.input()), Clause.TOLD_APART);
            }
        }
        stage.delete(instance);
    }

    private static void reordering(Stage stage) throws Exception {
        var instance = stage.instance();
        var newer =
                stage.payloads().deployment(instance, stage.profile().plain()).put("generation", 3);
        stage.runs(stage.command(Kind.DEPLOY, instance, newer));
        var alive = stage.alive(instance);
        var deploy = stage.command(Kind.DEPLOY, instance, newer.deepCopy().put("generation", 2));
        var delete = stage.command(Kind.DELETE, instance, stage.payloads().of(instance, 1));
        stage.pass(instance);
        stage.staysSo(instance, alive, Clause.GENERATION, "commands of older generations came");
        for (var history : List.of(deploy, delete)) {
            if (stage.ledger().read(() -> !history.reports().isEmpty())) {
                throw Clause.GENERATION.broken("something was reported on " + history + ", which is history");
            }
        }
        stage.delete(instance);
    }

    private static void crossTenant(Stage stage) throws Exception {
        var ours = stage.instance();
        var theirs = stage.instance();
        var first = stage.deploy(ours, stage.profile().plain());
        var second = stage.deploy(theirs, stage.profile().plain());
        stage.runs(first);
        stage.runs(second);
        stage.delete(ours);
        var alive = stage.alive(theirs);
        if (alive.isEmpty()) {
            throw Clause.OWN_TASKS.broken("the end of one organization's instance ended another's");
        }
        stage.delete(theirs);
    }
}
