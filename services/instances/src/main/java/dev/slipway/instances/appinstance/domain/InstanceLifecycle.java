package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.InstanceCommand.Deployment;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Refused;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.RuntimeCommandType;
import dev.slipway.operations.domain.SubjectLifecycle;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectTransition;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The launch of an instance, and the transitions of its state with their events. */
public final class InstanceLifecycle {
    private static final SubjectLifecycle STATES = new SubjectLifecycle("instance", "instance_state_conflict");

    private InstanceLifecycle() {}

    /**
     * Decides on a launch.
     *
     * @param manifest of the version to launch; null if there is no such version
     * @param config the launch parameters as that version resolves them
     */
    public static ChangeDecision launch(
            Launch launch,
            LaunchEligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            UUID id,
            String resourceName,
            DecisionContext context) {
        var requested = request(launch, eligibility, manifest, config, id, resourceName, context.now());
        if (requested instanceof Refused refused) {
            return new ChangeDecision.Refused(refused.refusal());
        }
        var spec = Objects.requireNonNull(manifest, "an eligible version has a manifest");
        var accepted = (Accepted) requested;
        var change = InstanceChange.Builder.ofNew(accepted.next());
        change.apply(accepted);
        change.reserve(eligibility.spending().reserve(id, context.now()));
        var members = provision(change.current().ref(), spec, launch.componentCounts(), List.of(), context);
        change.addMembers(members);
        deploy(
                change,
                Kind.CREATE,
                "apps.instance.create",
                new Requester(launch.requestedByUserId(), launch.requestedByPrincipalId()),
                context.now().plus(spec.deadlines().deploy()),
                new Deployment(spec.text(), config.text(), members, launch.appVersion(), null),
                null,
                context);
        return change.accepted();
    }

    /** Decides on a launch and creates the instance. */
    static InstanceDecision request(
            Launch launch,
            LaunchEligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            UUID id,
            String resourceName,
            Instant now) {
        var appId = eligibility.appId();
        var version = eligibility.version();
        var operator = eligibility.operatorAccountId();
        var refusal = checkEligibility(eligibility);
        if (refusal != null || appId == null || version == null || operator == null || manifest == null) {
            return Objects.requireNonNull(refusal, "an eligible launch has an app, a version and an account");
        }
        var unattached = checkSharedRuntime(launch, eligibility);
        if (unattached != null) {
            return unattached;
        }
        var invalid = checkCounts(manifest, launch.componentCounts());
        if (invalid != null) {
            return invalid;
        }
        if (!config.problems().isEmpty()) {
            return new Refused(new Refusal("launch_parameters_invalid", "", Map.of(), config.problems()));
        }
        var unaffordable = eligibility.spending().check();
        if (unaffordable != null) {
            return new Refused(unaffordable);
        }
        var instance = new AppInstance(
                id,
                resourceName,
                eligibility.orgId(),
                launch.projectId(),
                new AppVersionRef(appId, version.id(), launch.appSlug(), launch.appVersion(), version.runtimeBackend()),
                launch.displayName(),
                launch.operatingMode(),
                launch.controlPlaneScope(),
                launch.requestedByUserId(),
                launch.requestedByPrincipalId(),
                operator,
                config.text(),
                now,
                eligibility.policy().placement(),
                eligibility.policy().version(),
                manifest.lifecycleSettings(),
                null,
                launch.sharedRuntimeId(),
                SubjectState.initial(now));
        return new Accepted(instance, List.of(new InstanceEvent.Requested()));
    }

    /** Returns why a launch, an upgrade or a rollback is refused; null if it is allowed. */
    public static @Nullable Refused checkEligibility(LaunchEligibility eligibility) {
        var refusal = eligibility.refusal();
        if (refusal != null) {
            return new Refused(refusal);
        }
        return eligibility.operatorAccountId() == null
                ? refused(
                        "operator_account_invalid",
                        "operator_service_account_id is not an active service account of this project that is allowed"
                                + " apps.instance.report.")
                : null;
    }

    /** An instance with the control plane of its tenant uses a shared runtime of that tenant; its project must be attached to it. */
    private static @Nullable Refused checkSharedRuntime(Launch launch, LaunchEligibility eligibility) {
        var id = launch.sharedRuntimeId();
        if (!launch.controlPlaneScope().equals("tenant")) {
            return id == null
                    ? null
                    : new Refused(
                            Refusal.invalid("/shared_runtime_id", "is allowed with control_plane_scope tenant only"));
        }
        if (id == null) {
            return new Refused(Refusal.invalid("/shared_runtime_id", "is required with control_plane_scope tenant"));
        }
        return eligibility.attached()
                ? null
                : refused(
                        "attachment_required",
                        "This project is not attached to a shared runtime " + id
                                + ". Ask its owner to attach the project, or launch with control_plane_scope project.");
    }

    /** Returns why the requested numbers of members do not fit the components; null if they do. */
    static @Nullable Refused checkCounts(ManifestSpec manifest, Map<String, Integer> counts) {
        for (var entry : counts.entrySet()) {
            var key = entry.getKey();
            var count = entry.getValue();
            var component = manifest.components().stream()
                    .filter(each -> each.key().equals(key))
                    .findFirst();
            if (component.isEmpty()) {
                return new Refused(Refusal.invalid("/components/" + key, "is not a component of this version"));
            }
            if (count < component.get().min() || count > component.get().max()) {
                return refused(
                        "component_bounds",
                        "The component " + key + " has " + component.get().min() + " to "
                                + component.get().max() + " members, not " + count + ".");
            }
        }
        return null;
    }

    /** Returns the members to add: for a new component as many as requested or the default, for others up to the minimum. */
    public static List<Member> provision(
            SubjectRef subject,
            ManifestSpec manifest,
            Map<String, Integer> counts,
            List<Member> present,
            DecisionContext context) {
        var missing = new ArrayList<Member>();
        for (var component : manifest.components()) {
            var count = present.stream()
                    .filter(member -> member.component().equals(component.key()))
                    .count();
            var wanted = count == 0 ? counts.getOrDefault(component.key(), component.initial()) : component.min();
            for (var i = count; i < wanted; i++) {
                missing.add(Member.create(context.newId(), subject, component.key(), Map.of(), context.now()));
            }
        }
        return missing;
    }

    /** Adds the command that deploys a version and the operation that it belongs to. */
    static void deploy(
            InstanceChange.Builder change,
            Kind kind,
            String action,
            Requester requester,
            Instant deadlineAt,
            Deployment deployment,
            @Nullable String input,
            DecisionContext context) {
        var operationId = context.newId();
        var commandId = context.newId();
        var type = RuntimeCommandType.ofDeployment(kind);
        change.send(InstanceCommand.deploy(commandId, type, change.current(), operationId, deadlineAt, deployment));
        var operation = NewOperation.ofKind(kind, operationId, action, requester, deadlineAt, commandId);
        var from = deployment.fromVersion();
        change.open(
                from == null || input == null
                        ? operation
                        : operation.withVersions(from, deployment.appVersion()).withInput(input),
                context);
    }

    public static InstanceDecision delete(AppInstance current, Instant now) {
        return decide(current, STATES.delete(current.state(), now), new InstanceEvent.Deleting());
    }

    /** Begins an upgrade or a rollback: the instance keeps running, and earlier commands become obsolete. */
    public static InstanceDecision beginChange(AppInstance current) {
        return decide(current, STATES.beginChange(current.state()));
    }

    /** The instance runs another version. */
    public static InstanceDecision reportUpgraded(
            AppInstance current,
            int generation,
            UUID operationId,
            VersionChange change,
            String runtimeState,
            Instant now) {
        var transition = STATES.reportUpgraded(current.state(), generation, runtimeState, now);
        if (transition instanceof SubjectTransition.Changed changed) {
            return current.app().equals(change.app())
                    ? new Accepted(current, List.of())
                    : new Accepted(
                            current.withVersion(change).withState(changed.next()),
                            List.of(new InstanceEvent.Upgraded(current.app().version(), operationId)));
        }
        return decide(current, transition);
    }

    /** The deadline of the launch has passed. */
    public static InstanceDecision expireLaunch(AppInstance current, String reason, Instant now) {
        return decide(current, STATES.expireLaunch(current.state(), reason, now), new InstanceEvent.Failed(reason));
    }

    /** Deletes the record of an instance without its adapter: only if it has failed, or its deletion does not end. */
    public static InstanceDecision forceDelete(AppInstance current, String reason, Instant now) {
        return decide(
                current,
                STATES.forceDelete(current.state(), now),
                new InstanceEvent.ForceDeleted(reason),
                new InstanceEvent.Deleted());
    }

    public static InstanceDecision reportDeploying(
            AppInstance current, int generation, String runtimeState, Instant now) {
        return decide(
                current,
                STATES.reportDeploying(current.state(), generation, runtimeState, now),
                new InstanceEvent.Deploying());
    }

    public static InstanceDecision reportRunning(
            AppInstance current, int generation, String runtimeState, Instant now) {
        return decide(
                current,
                STATES.reportRunning(current.state(), generation, runtimeState, now),
                new InstanceEvent.Running());
    }

    public static InstanceDecision reportFailed(AppInstance current, int generation, String reason, Instant now) {
        return decide(
                current,
                STATES.reportFailed(current.state(), generation, reason, now),
                new InstanceEvent.Failed(reason));
    }

    public static InstanceDecision reportDeleted(AppInstance current, int generation, Instant now) {
        return decide(current, STATES.reportDeleted(current.state(), generation, now), new InstanceEvent.Deleted());
    }

    /** The events happened if the state changes. */
    private static InstanceDecision decide(AppInstance current, SubjectTransition transition, InstanceEvent... events) {
        if (transition instanceof SubjectTransition.Refused refused) {
            return new Refused(refused.refusal());
        }
        return transition instanceof SubjectTransition.Changed changed
                ? new Accepted(current.withState(changed.next()), List.of(events))
                : new Accepted(current, List.of());
    }

    private static Refused refused(String code, String message) {
        return new Refused(Refusal.of(code, message));
    }
}
