package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Need;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The adapter is killed and started again. */
final class CrashScenarios {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private CrashScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "crash-at-once",
                        "killed as soon as a command is sent",
                        List.of(Clause.NOTHING_LOST, Clause.NOTHING_TWICE, Clause.OFFSETS),
                        Set.of(Need.RESTART),
                        CrashScenarios::atOnce),
                new Scenario(
                        "crash-while-deploying",
                        "killed between the acknowledgement and the end of a deploy",
                        List.of(Clause.NOTHING_LOST, Clause.NOTHING_TWICE),
                        Set.of(Need.RESTART, Need.SLOW),
                        CrashScenarios::whileDeploying),
                new Scenario(
                        "crash-while-running",
                        "killed when all is well",
                        List.of(Clause.NOTHING_TWICE),
                        Set.of(Need.RESTART),
                        CrashScenarios::whileRunning),
                new Scenario(
                        "crash-while-deleting",
                        "killed as soon as a delete is sent",
                        List.of(Clause.NOTHING_LOST, Clause.NOTHING_LEFT),
                        Set.of(Need.RESTART),
                        CrashScenarios::whileDeleting),
                new Scenario(
                        "crash-while-operating",
                        "killed as soon as an operation is sent",
                        List.of(Clause.NOTHING_LOST, Clause.AFTER_THE_END),
                        Set.of(Need.RESTART, Need.OPERATIONS),
                        CrashScenarios::whileOperating),
                new Scenario(
                        "crash-while-upgrading",
                        "killed as soon as an upgrade is sent",
                        List.of(Clause.NOTHING_LOST, Clause.NOTHING_TWICE, Clause.UPGRADE),
                        Set.of(Need.RESTART, Need.UPGRADE),
                        CrashScenarios::whileUpgrading),
                new Scenario(
                        "restart",
                        "started again when the desired state has changed",
                        List.of(Clause.RECONCILE, Clause.ONCE),
                        Set.of(Need.RESTART),
                        CrashScenarios::reconcile));
    }

    private static void atOnce(Stage stage) throws Exception {
        var normal = normal(stage);
        var instance = stage.instance();
        var deploy = stage.deploy(instance, stage.profile().plain());
        stage.restart();
        stage.runs(deploy, Clause.NOTHING_LOST);
        onlyOnce(stage, instance, normal);
        stage.delete(instance);
    }

    private static void whileDeploying(Stage stage) throws Exception {
        var normal = normal(stage);
        var instance = stage.instance();
        var deploy =
                stage.deploy(instance, Objects.requireNonNull(stage.profile().slow()));
        stage.acknowledged(deploy);
        underway(stage, deploy);
        stage.restart();
        stage.runs(deploy, Clause.NOTHING_LOST);
        onlyOnce(stage, instance, normal);
        stage.delete(instance);
    }

    /** Until something was launched, where that can be seen; else for a moment. */
    private static void underway(Stage stage, Command deploy) {
        var end = System.nanoTime() + stage.limits().settle().toNanos();
        while (System.nanoTime() < end && stage.ledger().read(() -> !deploy.isOver())) {
            if (stage.world().seesEverything()
                    && !stage.alive(deploy.instance()).isEmpty()) {
                return;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static void whileRunning(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var before = stage.alive(instance);
        stage.restart();
        takesCommands(stage);
        onlyOnce(stage, instance, before.size());
        stage.delete(instance);
    }

    private static void whileDeleting(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var delete = stage.command(Kind.DELETE, instance, stage.payloads().next(instance));
        stage.restart();
        var end = stage.ended(delete, Clause.NOTHING_LOST);
        if (!end.is("deleted")) {
            throw Clause.DELETE.broken(delete + " ended with " + end.plain());
        }
    }

    private static void whileOperating(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var operation = Objects.requireNonNull(stage.profile().operation());
        var operate = stage.operate(instance, operation.name(), operation.input());
        stage.restart();
        stage.succeeded(operate, Clause.NOTHING_LOST);
        stage.delete(instance);
    }

    private static void whileUpgrading(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var normal = stage.alive(instance).size();
        var next = Objects.requireNonNull(stage.profile().upgraded());
        var payload = stage.payloads().change(instance, stage.profile().plain(), next);
        var upgrade = stage.command(Kind.UPGRADE, instance, payload);
        stage.restart();
        stage.succeeded(upgrade, Clause.NOTHING_LOST);
        onlyOnce(stage, instance, normal);
        stage.delete(instance);
    }

    /** While the adapter is away, one instance is to go, one is given up, one is to come, and one stays. */
    private static void reconcile(Stage stage) throws Exception {
        var stays = stage.instance();
        var goes = stage.instance();
        var orphan = stage.instance();
        for (var instance : List.of(stays, goes, orphan)) {
            var ignored = stage.running(instance);
        }
        var before = stage.alive(stays);
        stage.kill();
        var delete = stage.ledger().add(Kind.DELETE, goes, stage.payloads().next(goes)); // in the desired state only
        stage.ledger().change(orphan::forget);
        var comes = stage.instance();
        var deploy = stage.deployment(comes, stage.profile().plain());
        stage.start();
        var deleted = stage.ended(delete, Clause.RECONCILE);
        if (!deleted.is("deleted")) {
            throw Clause.RECONCILE.broken(delete + " ended with " + deleted.plain());
        }
        stage.runs(deploy, Clause.RECONCILE);
        stage.becomes(orphan, List::isEmpty, Clause.RECONCILE, "an instance that the platform does not know");
        onlyOnce(stage, stays, before.size());
        var running = stage.alive(comes);
        var ignored = stage.send(deploy); // the topic brings it too, in the end
        stage.pass(comes);
        stage.staysSo(comes, running, Clause.ONCE, deploy + " came by the topic after the desired state");
        stage.delete(stays);
        stage.delete(comes);
    }

    /** How much there is of an instance that nothing happened to. */
    private static int normal(Stage stage) throws Exception {
        var instance = stage.instance();
        var ignored = stage.running(instance);
        var normal = stage.alive(instance).size();
        stage.delete(instance);
        return normal;
    }

    /** A restarted adapter that has carried something out has been through its start. */
    private static void takesCommands(Stage stage) throws Exception {
        var other = stage.instance();
        var ignored = stage.running(other);
        stage.delete(other);
    }

    private static void onlyOnce(Stage stage, Instance instance, int normal) {
        stage.becomes(
                instance,
                now -> now.size() == normal,
                Clause.NOTHING_TWICE,
                "after a crash there should be " + normal + " of the instance");
        stage.staysSo(instance, stage.alive(instance), Clause.NOTHING_TWICE, "after a crash");
    }
}
