package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.Admission.Version;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The life of an app instance: requested → deploying → running → deleting → deleted, and failed from any but deleted. */
public final class InstanceLifecycle {
    private InstanceLifecycle() {}

    public static Decision request(Launch launch, Admission admission, UUID id, String resourceName, Instant now) {
        var appId = admission.appId();
        var version = admission.version();
        var operator = admission.operatorAccountId();
        var refusal = refusal(launch, admission);
        if (refusal != null || appId == null || version == null || operator == null) {
            return Objects.requireNonNull(refusal, "a launch is refused without its app, version or account");
        }
        var app = new App(appId, version.id(), launch.appSlug(), launch.appVersion(), version.runtimeBackend());
        var instance = new AppInstance(
                id,
                resourceName,
                admission.orgId(),
                launch.projectId(),
                app,
                launch.displayName(),
                launch.operatingMode(),
                launch.controlPlaneScope(),
                Status.REQUESTED,
                launch.requestedByUserId(),
                launch.requestedByPrincipalId(),
                operator,
                launch.config(),
                "{}",
                null,
                1,
                1,
                now,
                now,
                null,
                admission.policy().placement(),
                admission.policy().version(),
                Terms.USUAL,
                null);
        return new Accepted(instance, List.of(new InstanceEvent.Requested()));
    }

    /** Why a launch, or what is judged like one, is not possible; null if it is. */
    public static @Nullable Refused refusal(Launch launch, Admission admission) {
        if (admission.appId() == null) {
            return new Refused("app_not_found", "There is no app " + launch.appSlug() + " in the catalog.");
        }
        if (!admission.entitled()) {
            return new Refused("app_not_entitled", "This project is not entitled to " + launch.appSlug() + ".");
        }
        var version = admission.version();
        if (version == null) {
            return new Refused(
                    "app_version_not_found", launch.appSlug() + " has no version " + launch.appVersion() + ".");
        }
        var unlaunchable = unlaunchable(launch, version, admission.policy().deprecatedAllowed());
        if (unlaunchable != null) {
            return unlaunchable;
        }
        var refusal = admission.policy().refusal();
        if (refusal != null) {
            return refusal;
        }
        return admission.operatorAccountId() == null
                ? new Refused(
                        "operator_account_invalid",
                        "operator_service_account_id is not an active account of this project.")
                : null;
    }

    private static @Nullable Refused unlaunchable(Launch launch, Version version, boolean deprecatedAllowed) {
        return switch (version.status()) {
            case "active" -> untrusted(launch, version);
            // Nobody but its makers sees it yet.
            case "draft" ->
                new Refused("app_version_not_found", launch.appSlug() + " has no version " + launch.appVersion() + ".");
            case "deprecated" ->
                deprecatedAllowed
                        ? untrusted(launch, version)
                        : new Refused(
                                "app_version_deprecated",
                                "Version " + launch.appVersion() + " is deprecated: launch a newer one.");
            default ->
                new Refused(
                        "app_version_not_launchable",
                        "Version " + launch.appVersion() + " is " + version.status() + ", not active.");
        };
    }

    private static @Nullable Refused untrusted(Launch launch, Version version) {
        return version.revoked()
                ? new Refused(
                        "artifact_revoked",
                        "The trust in an artifact of version " + launch.appVersion()
                                + " was withdrawn: launch another version.")
                : null;
    }

    public static Decision delete(AppInstance current, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, FAILED ->
                new Accepted(
                        current.to(Status.DELETING, current.runtimeState(), current.failureReason(), now),
                        List.of(new InstanceEvent.Deleting()));
            case DELETING, DELETED -> unchanged(current);
        };
    }

    /** An upgrade or a rollback begins: it runs meanwhile, and what its adapter was told before does not count any more. */
    public static Decision beginChange(AppInstance current) {
        return switch (current.status()) {
            case RUNNING -> new Accepted(current.commanded(), List.of());
            case REQUESTED, DEPLOYING, FAILED, DELETING, DELETED ->
                new Refused(
                        "instance_state_conflict",
                        "The instance is " + current.status().text() + ": only a running one changes its version.");
        };
    }

    /** It runs another version now. */
    public static Decision reportUpgraded(
            AppInstance current, int generation, UUID operationId, Upgrade upgrade, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case RUNNING, FAILED -> {
                var next = current.running(upgrade.app(), upgrade.config(), upgrade.terms(), upgrade.previous());
                yield current.app().equals(upgrade.app())
                        ? unchanged(current)
                        : new Accepted(
                                next.to(Status.RUNNING, runtimeState, null, now),
                                List.of(new InstanceEvent.Upgraded(current.app().version(), operationId)));
            }
            case DELETING -> unchanged(current);
            case DELETED -> gone();
            case REQUESTED, DEPLOYING ->
                new Refused("instance_state_conflict", "Nobody asked for this instance to be upgraded.");
        };
    }

    /** The time for its launch is over. */
    public static Decision expireLaunch(AppInstance current, String reason, Instant now) {
        return switch (current.status()) {
            case REQUESTED, DEPLOYING ->
                new Accepted(
                        current.to(Status.FAILED, current.runtimeState(), reason, now),
                        List.of(new InstanceEvent.Failed(reason)));
            case RUNNING, FAILED, DELETING, DELETED -> unchanged(current);
        };
    }

    /** It is given up, whatever is left of it: only where its own deletion is under way, or it has failed. */
    public static Decision forceDelete(AppInstance current, String reason, Instant now) {
        return switch (current.status()) {
            case DELETING, FAILED ->
                new Accepted(
                        current.noted().to(Status.DELETED, "{}", null, now),
                        List.of(new InstanceEvent.ForceDeleted(reason), new InstanceEvent.Deleted()));
            case DELETED -> unchanged(current);
            case REQUESTED, DEPLOYING, RUNNING ->
                new Refused(
                        "instance_state_conflict",
                        "The instance is " + current.status().text()
                                + ": delete it first, and give it up if that hangs.");
        };
    }

    public static Decision reportDeploying(AppInstance current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case REQUESTED ->
                new Accepted(
                        current.to(Status.DEPLOYING, runtimeState, null, now), List.of(new InstanceEvent.Deploying()));
            // Late, or again: the instance is further already.
            case DEPLOYING, RUNNING, FAILED, DELETING -> unchanged(current);
            case DELETED -> gone();
        };
    }

    public static Decision reportRunning(AppInstance current, int generation, String runtimeState, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            // From failed too: an adapter that gave up may come back with it, and the truth is what runs.
            case REQUESTED, DEPLOYING, FAILED ->
                new Accepted(current.to(Status.RUNNING, runtimeState, null, now), List.of(new InstanceEvent.Running()));
            case RUNNING ->
                current.runtimeState().equals(runtimeState)
                        ? unchanged(current)
                        : new Accepted(
                                current.to(Status.RUNNING, runtimeState, null, now),
                                List.of(new InstanceEvent.Running()));
            case DELETING -> unchanged(current);
            case DELETED -> gone();
        };
    }

    public static Decision reportFailed(AppInstance current, int generation, String reason, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case REQUESTED, DEPLOYING, RUNNING, DELETING ->
                new Accepted(
                        current.to(Status.FAILED, current.runtimeState(), reason, now),
                        List.of(new InstanceEvent.Failed(reason)));
            case FAILED -> unchanged(current);
            case DELETED -> gone();
        };
    }

    public static Decision reportDeleted(AppInstance current, int generation, Instant now) {
        if (generation < current.generation()) {
            return unchanged(current);
        }
        return switch (current.status()) {
            case DELETING, FAILED ->
                new Accepted(current.to(Status.DELETED, "{}", null, now), List.of(new InstanceEvent.Deleted()));
            case DELETED -> unchanged(current);
            case REQUESTED, DEPLOYING, RUNNING ->
                new Refused("instance_state_conflict", "Nobody asked for this instance to be deleted.");
        };
    }

    private static Decision unchanged(AppInstance current) {
        return new Accepted(current, List.of());
    }

    private static Decision gone() {
        return new Refused("instance_state_conflict", "The instance is deleted.");
    }
}
