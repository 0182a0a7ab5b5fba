package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.ProjectEligibility;
import dev.slipway.instances.sharedruntime.domain.RuntimeTransition.Accepted;
import dev.slipway.instances.sharedruntime.domain.RuntimeTransition.Refused;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime.Status;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Deployment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Header;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.RuntimeCommandType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * The creation of a shared runtime and its state machine: requested → deploying → running → deleting → deleted; failed from every state but
 * deleted.
 */
public final class SharedRuntimeLifecycle {
    private static final String STATE_CONFLICT = "shared_runtime_state_conflict";

    private SharedRuntimeLifecycle() {}

    /**
     * Decides on a creation, with the projects to attach.
     *
     * @param manifest of the version to run; null if there is no such version
     * @param config the launch parameters as that version resolves them
     */
    public static RuntimeDecision create(
            RuntimeRequest request,
            Eligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            List<ProjectEligibility> projects,
            UUID id,
            String resourceName,
            DecisionContext context) {
        var refusal = check(request, eligibility, manifest, config, projects);
        if (refusal != null) {
            return new RuntimeDecision.Refused(refusal);
        }
        var spec = Objects.requireNonNull(manifest);
        var version = Objects.requireNonNull(eligibility.version());
        var operatorId = request.operatorId();
        var runtime = new SharedRuntime(
                id,
                resourceName,
                request.orgId(),
                request.environment(),
                new AppVersionRef(
                        Objects.requireNonNull(eligibility.appId()),
                        version.id(),
                        request.appSlug(),
                        request.appVersion(),
                        version.runtimeBackend()),
                request.displayName(),
                request.requestedByUserId(),
                request.requestedByPrincipalId(),
                operatorId == null ? context.newId() : operatorId,
                eligibility.policy().placement(),
                config.text(),
                request.contribution(),
                request.submission(),
                eligibility.policy().version(),
                spec.lifecycleSettings(),
                null,
                context.now(),
                SharedRuntime.State.initial(context.now()));
        var change = SharedRuntimeChange.Builder.ofNew(runtime);
        change.apply(new Accepted(runtime, new SharedRuntimeEvent.Requested(operatorId == null)));
        request.attachedProjectIds()
                .forEach(projectId -> change.addAttachment(Attachment.create(
                        context.newId(), runtime, projectId, Attachment.Policies.DEFAULT, context.now())));
        change.provision(provision(runtime, spec, List.of(), context));
        deploy(
                change,
                Kind.CREATE,
                "apps.shared_runtime.create",
                new Requester(request.requestedByUserId(), request.requestedByPrincipalId()),
                request.principalType(),
                context.now().plus(spec.deadlines().deploy()),
                new Deployment(spec.text(), config.text(), change.workers(), request.appVersion(), null),
                context);
        return change.accepted();
    }

    private static @Nullable Refusal check(
            RuntimeRequest request,
            Eligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            List<ProjectEligibility> projects) {
        if (eligibility.refusal() != null) {
            return eligibility.refusal();
        }
        var unsupported = checkSupport(Objects.requireNonNull(manifest), request.appSlug(), request.appVersion());
        if (unsupported != null) {
            return unsupported;
        }
        if (eligibility.existingId() != null) {
            return new Refusal(
                    "shared_runtime_exists",
                    "The organization already has a shared runtime of " + request.appSlug() + " in the environment "
                            + request.environment() + ": " + eligibility.existingId() + ".",
                    Map.of("shared_runtime_id", eligibility.existingId().toString()),
                    List.of());
        }
        if (eligibility.operatorRefusal() != null) {
            return eligibility.operatorRefusal();
        }
        if (!config.problems().isEmpty()) {
            return new Refusal("launch_parameters_invalid", "", Map.of(), config.problems());
        }
        var invalid = AttachmentRequests.checkOperations(request.submission(), manifest);
        return invalid != null
                ? invalid
                : projects.stream()
                        .map(ProjectEligibility::refusal)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    /** Returns why a version cannot run as a shared runtime; null if it can. */
    static @Nullable Refusal checkSupport(ManifestSpec manifest, String appSlug, String version) {
        return manifest.sharedRuntime().supported()
                ? null
                : Refusal.of(
                        "shared_runtime_unsupported",
                        "Version " + version + " of " + appSlug
                                + " does not support shared runtimes. Launch it as an app instance in a project.");
    }

    /** Returns the workers that the tenant adds with a deployment. */
    static List<Worker> provision(
            SharedRuntime runtime, ManifestSpec manifest, List<Member> present, DecisionContext context) {
        return InstanceLifecycle.provision(runtime.ref(), manifest, Map.of(), present, context).stream()
                .map(member -> Worker.ofTenant(member, Worker.Capacity.UNSPECIFIED))
                .toList();
    }

    /** Adds the command that deploys a version and the operation that it belongs to. */
    static void deploy(
            SharedRuntimeChange.Builder change,
            Kind kind,
            String action,
            Requester requester,
            String principalType,
            Instant deadlineAt,
            Deployment deployment,
            DecisionContext context) {
        var operationId = context.newId();
        var commandId = context.newId();
        var type = kind == Kind.CREATE
                ? RuntimeCommandType.DEPLOY
                : kind == Kind.UPGRADE ? RuntimeCommandType.UPGRADE : RuntimeCommandType.ROLLBACK;
        change.send(SharedRuntimeCommand.deploy(
                new Header(commandId, operationId, deadlineAt),
                type,
                change.current(),
                change.attachments(),
                deployment));
        var operation = NewOperation.ofKind(kind, operationId, action, requester, deadlineAt, commandId)
                .withAttribution(new Attribution(null, null, principalType));
        var from = deployment.fromVersion();
        change.open(
                from == null
                        ? operation
                        : operation
                                .withVersions(from, deployment.appVersion())
                                .withInput("{\"config\":" + deployment.config() + "}"),
                context);
    }

    static RuntimeTransition delete(SharedRuntime current, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, FAILED ->
                changed(
                        current.withStatus(
                                Status.DELETING,
                                current.state().runtimeState(),
                                current.state().failureReason(),
                                now),
                        new SharedRuntimeEvent.Deleting());
            case DELETING, DELETED -> unchanged(current);
        };
    }

    /** Deletes the record of a runtime without its adapter: only if it has failed, or its deletion does not end. */
    static RuntimeTransition forceDelete(SharedRuntime current, Instant now) {
        return switch (current.status()) {
            case FAILED, DELETING ->
                changed(current.withStatus(Status.DELETED, "{}", null, now), new SharedRuntimeEvent.Deleted());
            case DELETED -> unchanged(current);
            case REQUESTED, DEPLOYING, RUNNING ->
                refused("The shared runtime has not failed and is not being deleted.");
        };
    }

    /** Begins an upgrade or a rollback: the runtime keeps running, and earlier commands become obsolete. */
    static RuntimeTransition beginChange(SharedRuntime current) {
        return switch (current.status()) {
            case RUNNING -> new Accepted(current.withNextGeneration(), null);
            case REQUESTED, DEPLOYING, FAILED, DELETING, DELETED ->
                refused("The shared runtime is " + current.status().text()
                        + ". Only a running one can be upgraded or rolled back.");
        };
    }

    static RuntimeTransition reportUpgraded(
            SharedRuntime current,
            int generation,
            UUID operationId,
            VersionChange change,
            String runtimeState,
            Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case RUNNING, FAILED ->
                current.app().equals(change.app())
                        ? unchanged(current)
                        : changed(
                                current.withVersion(change).withStatus(Status.RUNNING, runtimeState, null, now),
                                new SharedRuntimeEvent.Upgraded(current.app().version(), operationId));
            case DELETING -> unchanged(current);
            case DELETED -> alreadyDeleted();
            case REQUESTED, DEPLOYING -> refused("No upgrade of this shared runtime was requested.");
        };
    }

    /** The deadline of the creation has passed. */
    static RuntimeTransition expireCreation(SharedRuntime current, String reason, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING -> failed(current, reason, now);
            case RUNNING, FAILED, DELETING, DELETED -> unchanged(current);
        };
    }

    static RuntimeTransition reportDeploying(SharedRuntime current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case REQUESTED ->
                changed(
                        current.withStatus(Status.DEPLOYING, runtimeState, null, now),
                        new SharedRuntimeEvent.Deploying());
            // A late or repeated report: the runtime has advanced already.
            case DEPLOYING, RUNNING, FAILED, DELETING -> unchanged(current);
            case DELETED -> alreadyDeleted();
        };
    }

    static RuntimeTransition reportRunning(SharedRuntime current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            // From failed as well: if an adapter recovers the app, the runtime shows what runs.
            case REQUESTED, DEPLOYING, FAILED -> running(current, runtimeState, now);
            case RUNNING ->
                current.state().runtimeState().equals(runtimeState)
                        ? unchanged(current)
                        : running(current, runtimeState, now);
            case DELETING -> unchanged(current);
            case DELETED -> alreadyDeleted();
        };
    }

    static RuntimeTransition reportFailed(SharedRuntime current, int generation, String reason, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, DELETING -> failed(current, reason, now);
            case FAILED -> unchanged(current);
            case DELETED -> alreadyDeleted();
        };
    }

    static RuntimeTransition reportDeleted(SharedRuntime current, int generation, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case DELETING, FAILED ->
                changed(current.withStatus(Status.DELETED, "{}", null, now), new SharedRuntimeEvent.Deleted());
            case DELETED -> unchanged(current);
            case REQUESTED, DEPLOYING, RUNNING -> refused("No deletion of this shared runtime was requested.");
        };
    }

    /** Returns why the runtime cannot serve a request now; null if it runs. */
    static @Nullable Refusal checkRunning(SharedRuntime runtime) {
        return runtime.status() == Status.RUNNING
                ? null
                : Refusal.of(
                        STATE_CONFLICT,
                        "This is possible only while the shared runtime is running. It is "
                                + runtime.status().text() + ".");
    }

    private static RuntimeTransition running(SharedRuntime current, String runtimeState, Instant now) {
        return changed(current.withStatus(Status.RUNNING, runtimeState, null, now), new SharedRuntimeEvent.Running());
    }

    private static RuntimeTransition failed(SharedRuntime current, String reason, Instant now) {
        return changed(
                current.withStatus(Status.FAILED, current.state().runtimeState(), reason, now),
                new SharedRuntimeEvent.Failed());
    }

    private static RuntimeTransition changed(SharedRuntime next, SharedRuntimeEvent event) {
        return new Accepted(next, event);
    }

    private static RuntimeTransition unchanged(SharedRuntime current) {
        return new Accepted(current, null);
    }

    private static RuntimeTransition refused(String message) {
        return new Refused(Refusal.of(STATE_CONFLICT, message));
    }

    private static RuntimeTransition alreadyDeleted() {
        return refused("The shared runtime is already deleted.");
    }
}
