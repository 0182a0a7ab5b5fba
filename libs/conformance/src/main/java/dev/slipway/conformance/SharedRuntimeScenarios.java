package dev.slipway.conformance;

import dev.slipway.conformance.Scenario.Requirement;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Scenarios on a shared runtime, to which one project is attached. */
final class SharedRuntimeScenarios {
    private SharedRuntimeScenarios() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario(
                        "shared-runtime",
                        "a project contributes a worker to a shared runtime and submits work",
                        List.of(Clause.SHARED_RUNTIMES, Clause.MEMBERS, Clause.COMPLETE_CLEANUP),
                        Set.of(Requirement.SHARED_RUNTIMES),
                        SharedRuntimeScenarios::contribute),
                new Scenario(
                        "crash-of-shared-runtime",
                        "killed while a shared runtime runs",
                        List.of(Clause.SHARED_RUNTIMES, Clause.NO_DUPLICATE_LAUNCH, Clause.RECONCILE),
                        Set.of(Requirement.SHARED_RUNTIMES, Requirement.RESTART),
                        SharedRuntimeScenarios::crash));
    }

    private static void contribute(ScenarioContext context) throws Exception {
        var shared = Objects.requireNonNull(context.profile().sharedRuntime());
        var runtime = deploy(context, shared);
        var before = context.findAlive(runtime);
        var worker = context.payloads().issueWorker(runtime, shared.worker());
        member(context, runtime, "add", worker);
        OperationScenarios.awaitReported(context, runtime, worker, "ready");
        context.awaitSucceeded(
                context.command(
                        CommandKind.OPERATE, runtime, context.payloads().submission(runtime, shared.operation())),
                Clause.SHARED_RUNTIMES);
        member(context, runtime, "drain", worker);
        OperationScenarios.awaitReported(context, runtime, worker, "draining");
        member(context, runtime, "remove", worker);
        OperationScenarios.awaitReported(context, runtime, worker, "removed");
        context.awaitEffects(
                runtime,
                now -> now.size() == before.size(),
                Clause.SHARED_RUNTIMES,
                "the worker was removed, so the runtime should be as before " + before);
        context.delete(runtime);
    }

    private static void crash(ScenarioContext context) throws Exception {
        var runtime = deploy(context, Objects.requireNonNull(context.profile().sharedRuntime()));
        var before = context.findAlive(runtime);
        context.kill();
        var survivors = context.findAlive(runtime);
        context.start();
        CrashScenarios.awaitReady(context);
        context.awaitEffects(
                runtime,
                now -> now.size() == before.size(),
                Clause.SHARED_RUNTIMES,
                "after a crash the shared runtime should have " + before.size() + " effects");
        CrashScenarios.expectAdopted(context, runtime, survivors);
        context.delete(runtime);
    }

    private static ScenarioInstance deploy(ScenarioContext context, ConformanceProfile.SharedRuntime shared)
            throws Exception {
        var runtime = context.state().createSharedRuntime();
        var deploy =
                context.command(CommandKind.DEPLOY, runtime, context.payloads().sharedDeployment(runtime, shared));
        context.awaitRunning(deploy, Clause.SHARED_RUNTIMES);
        return runtime;
    }

    private static void member(
            ScenarioContext context, ScenarioInstance runtime, String operation, ScenarioInstance.IssuedMember worker)
            throws Exception {
        var payload =
                context.payloads().withAttachment(runtime, context.payloads().member(runtime, operation, worker));
        context.awaitSucceeded(context.command(CommandKind.MEMBER, runtime, payload), Clause.SHARED_RUNTIMES);
    }
}
