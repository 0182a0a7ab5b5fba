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
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Deployment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Header;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.RuntimeCommandType;
import dev.slipway.operations.domain.SubjectLifecycle;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import dev.slipway.operations.domain.SubjectTransition;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The creation of a shared runtime, and the transitions of its state with their events. */
public final class SharedRuntimeLifecycle {
    private static final String STATE_CONFLICT = "shared_runtime_state_conflict";
    private static final SubjectLifecycle STATES = new SubjectLifecycle("shared runtime", STATE_CONFLICT);

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
                SubjectState.initial(context.now()));
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
        var type = RuntimeCommandType.ofDeployment(kind);
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
        return decide(current, STATES.delete(current.state(), now), new SharedRuntimeEvent.Deleting());
    }

    /** Deletes the record of a runtime without its adapter: only if it has failed, or its deletion does not end. */
    static RuntimeTransition forceDelete(SharedRuntime current, Instant now) {
        return decide(current, STATES.forceDelete(current.state(), now), new SharedRuntimeEvent.Deleted());
    }

    /** Begins an upgrade or a rollback: the runtime keeps running, and earlier commands become obsolete. */
    static RuntimeTransition beginChange(SharedRuntime current) {
        return decide(current, STATES.beginChange(current.state()), null);
    }

    static RuntimeTransition reportUpgraded(
            SharedRuntime current,
            int generation,
            UUID operationId,
            VersionChange change,
            String runtimeState,
            Instant now) {
        var transition = STATES.reportUpgraded(current.state(), generation, runtimeState, now);
        if (transition instanceof SubjectTransition.Changed changed) {
            return current.app().equals(change.app())
                    ? new Accepted(current, null)
                    : new Accepted(
                            current.withVersion(change).withState(changed.next()),
                            new SharedRuntimeEvent.Upgraded(current.app().version(), operationId));
        }
        return decide(current, transition, null);
    }

    /** The deadline of the creation has passed. */
    static RuntimeTransition expireCreation(SharedRuntime current, String reason, Instant now) {
        return decide(current, STATES.expireLaunch(current.state(), reason, now), new SharedRuntimeEvent.Failed());
    }

    static RuntimeTransition reportDeploying(SharedRuntime current, int generation, String runtimeState, Instant now) {
        return decide(
                current,
                STATES.reportDeploying(current.state(), generation, runtimeState, now),
                new SharedRuntimeEvent.Deploying());
    }

    static RuntimeTransition reportRunning(SharedRuntime current, int generation, String runtimeState, Instant now) {
        return decide(
                current,
                STATES.reportRunning(current.state(), generation, runtimeState, now),
                new SharedRuntimeEvent.Running());
    }

    static RuntimeTransition reportFailed(SharedRuntime current, int generation, String reason, Instant now) {
        return decide(
                current,
                STATES.reportFailed(current.state(), generation, reason, now),
                new SharedRuntimeEvent.Failed());
    }

    static RuntimeTransition reportDeleted(SharedRuntime current, int generation, Instant now) {
        return decide(
                current, STATES.reportDeleted(current.state(), generation, now), new SharedRuntimeEvent.Deleted());
    }

    /** The event happened if the state changes. */
    private static RuntimeTransition decide(
            SharedRuntime current, SubjectTransition transition, @Nullable SharedRuntimeEvent event) {
        if (transition instanceof SubjectTransition.Refused refused) {
            return new Refused(refused.refusal());
        }
        return transition instanceof SubjectTransition.Changed changed
                ? new Accepted(current.withState(changed.next()), event)
                : new Accepted(current, null);
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
}
