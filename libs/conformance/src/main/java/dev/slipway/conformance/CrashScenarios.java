package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Requirement;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Scenarios in which the adapter is killed and restarted. */
final class CrashScenarios {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private CrashScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "crash-at-once",
                        "killed immediately after a command was sent",
                        List.of(Clause.CRASH_RECOVERY, Clause.NO_DUPLICATE_LAUNCH, Clause.COMMIT_ORDER),
                        Set.of(Requirement.RESTART),
                        CrashScenarios::afterSend),
                new Scenario(
                        "crash-while-deploying",
                        "killed between the acknowledgement and the end of a deploy",
                        List.of(Clause.CRASH_RECOVERY, Clause.NO_DUPLICATE_LAUNCH),
                        Set.of(Requirement.RESTART, Requirement.SLOW),
                        CrashScenarios::whileDeploying),
                new Scenario(
                        "crash-while-running",
                        "killed while an instance runs",
                        List.of(Clause.NO_DUPLICATE_LAUNCH),
                        Set.of(Requirement.RESTART),
                        CrashScenarios::whileRunning),
                new Scenario(
                        "crash-while-deleting",
                        "killed immediately after a delete was sent",
                        List.of(Clause.CRASH_RECOVERY, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.RESTART),
                        CrashScenarios::whileDeleting),
                new Scenario(
                        "crash-while-operating",
                        "killed immediately after an operation was sent",
                        List.of(Clause.CRASH_RECOVERY, Clause.NO_REPORT_AFTER_END),
                        Set.of(Requirement.RESTART, Requirement.OPERATIONS),
                        CrashScenarios::whileOperating),
                new Scenario(
                        "crash-while-upgrading",
                        "killed immediately after an upgrade was sent",
                        List.of(Clause.CRASH_RECOVERY, Clause.NO_DUPLICATE_LAUNCH, Clause.UPGRADE),
                        Set.of(Requirement.RESTART, Requirement.UPGRADE),
                        CrashScenarios::whileUpgrading),
                new Scenario(
                        "restart",
                        "restarted after the desired state has changed",
                        List.of(Clause.RECONCILE, Clause.EXACTLY_ONCE, Clause.NO_DUPLICATE_LAUNCH, Clause.COMMIT_ORDER),
                        Set.of(Requirement.RESTART),
                        CrashScenarios::reconcile));
    }

    private static void afterSend(ScenarioContext context) throws Exception {
        var usualCount = measureUsualCount(context);
        var instance = context.createInstance();
        var deploy = context.deploy(instance, context.profile().base());
        context.restart();
        context.awaitRunning(deploy, Clause.CRASH_RECOVERY);
        expectNoDuplicates(context, instance, usualCount);
        context.delete(instance);
    }

    private static void whileDeploying(ScenarioContext context) throws Exception {
        var usualCount = measureUsualCount(context);
        var instance = context.createInstance();
        var deploy = context.deploy(
                instance, Objects.requireNonNull(context.profile().slow()));
        context.awaitAcknowledged(deploy);
        awaitLaunch(context, deploy);
        context.restart();
        context.awaitRunning(deploy, Clause.CRASH_RECOVERY);
        expectNoDuplicates(context, instance, usualCount);
        context.delete(instance);
    }

    /** Waits until something is launched, if effects are listed; otherwise for a short time. */
    private static void awaitLaunch(ScenarioContext context, SentCommand deploy) {
        var end = System.nanoTime() + context.limits().settle().toNanos();
        while (System.nanoTime() < end && context.state().read(() -> !deploy.isFinished())) {
            if (context.runtime().listsAllEffects()
                    && !context.findAlive(deploy.instance()).isEmpty()) {
                return;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static void whileRunning(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var before = context.findAlive(instance);
        context.kill();
        var survivors = context.findAlive(instance);
        context.start();
        awaitReady(context);
        expectNoDuplicates(context, instance, before.size());
        expectAdopted(context, instance, survivors);
        context.delete(instance);
    }

    /** Fails if an effect that survived the adapter was launched again. */
    static void expectAdopted(ScenarioContext context, ScenarioInstance instance, List<String> survivors) {
        var now = context.findAlive(instance);
        if (!now.containsAll(survivors)) {
            throw Clause.NO_DUPLICATE_LAUNCH.violation(
                    "the instance survived the adapter as " + survivors + " and was replaced by " + now);
        }
    }

    private static void expectOneConsumerGroup(ScenarioContext context) throws Exception {
        var groups = context.listCommandGroups();
        if (groups.size() != 1) {
            throw Clause.COMMIT_ORDER.violation("after a restart " + groups.size()
                    + " consumer groups have committed offsets of commands: " + groups);
        }
    }

    private static void whileDeleting(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var delete =
                context.command(CommandKind.DELETE, instance, context.payloads().createNext(instance));
        context.restart();
        var end = context.awaitEnd(delete, Clause.CRASH_RECOVERY);
        if (!end.is("deleted")) {
            throw Clause.DELETE.violation(delete + " ended with " + end.describe());
        }
    }

    private static void whileOperating(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var operation = Objects.requireNonNull(context.profile().operation());
        var operate = context.operate(instance, operation.name(), operation.input());
        context.restart();
        context.awaitSucceeded(operate, Clause.CRASH_RECOVERY);
        context.delete(instance);
    }

    private static void whileUpgrading(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var usualCount = context.findAlive(instance).size();
        var next = Objects.requireNonNull(context.profile().upgraded());
        var payload =
                context.payloads().versionChange(instance, context.profile().base(), next);
        var upgrade = context.command(CommandKind.UPGRADE, instance, payload);
        context.restart();
        context.awaitSucceeded(upgrade, Clause.CRASH_RECOVERY);
        expectNoDuplicates(context, instance, usualCount);
        context.delete(instance);
    }

    /** While the adapter is down, one instance is deleted, one is forgotten by the platform, one is created and one stays. */
    private static void reconcile(ScenarioContext context) throws Exception {
        var stays = context.createInstance();
        var goes = context.createInstance();
        var orphan = context.createInstance();
        for (var instance : List.of(stays, goes, orphan)) {
            var ignored = context.deployAndAwaitRunning(instance);
        }
        var before = context.findAlive(stays);
        context.kill();
        var survivors = context.findAlive(stays);
        var delete = context.state()
                .add(CommandKind.DELETE, goes, context.payloads().createNext(goes)); // listed in the desired state only
        context.state().update(orphan::markForgotten);
        var comes = context.createInstance();
        var deploy = context.createDeploy(comes, context.profile().base());
        context.start();
        var deleted = context.awaitEnd(delete, Clause.RECONCILE);
        if (!deleted.is("deleted")) {
            throw Clause.RECONCILE.violation(delete + " ended with " + deleted.describe());
        }
        context.awaitRunning(deploy, Clause.RECONCILE);
        context.awaitEffects(orphan, List::isEmpty, Clause.RECONCILE, "an orphaned instance should be deleted");
        expectNoDuplicates(context, stays, before.size());
        expectAdopted(context, stays, survivors);
        var running = context.findAlive(comes);
        var ignored = context.send(deploy); // also delivered on the topic
        context.awaitPreviousCommands(comes);
        context.expectUnchanged(
                comes, running, Clause.EXACTLY_ONCE, deploy + " was delivered on the topic after the desired state");
        context.delete(stays);
        context.delete(comes);
        expectOneConsumerGroup(context);
    }

    /** Returns the usual number of effects of an instance. */
    private static int measureUsualCount(ScenarioContext context) throws Exception {
        var instance = context.createInstance();
        var ignored = context.deployAndAwaitRunning(instance);
        var usualCount = context.findAlive(instance).size();
        context.delete(instance);
        return usualCount;
    }

    /** Waits until the restarted adapter has executed a command and has therefore completed its start. */
    static void awaitReady(ScenarioContext context) throws Exception {
        var other = context.createInstance();
        var ignored = context.deployAndAwaitRunning(other);
        context.delete(other);
    }

    static void expectNoDuplicates(ScenarioContext context, ScenarioInstance instance, int usualCount) {
        context.awaitEffects(
                instance,
                now -> now.size() == usualCount,
                Clause.NO_DUPLICATE_LAUNCH,
                "after a crash the instance should have " + usualCount + " effects");
        context.expectUnchanged(instance, context.findAlive(instance), Clause.NO_DUPLICATE_LAUNCH, "after a crash");
    }
}
