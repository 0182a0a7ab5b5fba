package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.PreviousVersion;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.operations.domain.Subject;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A deployed app, owned by a project. {@code config} is JSON text whose meaning is defined by the app.
 *
 * @param policyVersion the effective policy at launch; null for instances from before policies existed
 * @param sharedRuntimeId the shared runtime that it uses; null unless the control plane is its tenant's
 * @param previous the version to roll back to; null if the instance was not upgraded, or was rolled back
 */
public record AppInstance(
        UUID id,
        String resourceName,
        UUID orgId,
        UUID projectId,
        AppVersionRef app,
        String displayName,
        String operatingMode,
        String controlPlaneScope,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        UUID operatorServiceAccountId,
        String config,
        Instant createdAt,
        Placement placement,
        @Nullable String policyVersion,
        LifecycleSettings lifecycleSettings,
        @Nullable PreviousVersion previous,
        @Nullable UUID sharedRuntimeId,
        SubjectState state) {

    public Status status() {
        return state.status();
    }

    public int generation() {
        return state.generation();
    }

    /** Derived from mode and scope, so that it cannot contradict them. */
    public String tenantBoundaryMode() {
        return operatingMode.equals("platform_managed") || controlPlaneScope.equals("platform")
                ? "shared_service"
                : "tenant_isolated";
    }

    public SubjectRef ref() {
        return new SubjectRef(SubjectKind.APP_INSTANCE, id, orgId, projectId);
    }

    public Subject subject() {
        return new Subject(ref(), app.slug(), app.runtimeBackend(), state.generation(), state.sequence());
    }

    /** Describes the change to another version as a launch, because the same rules apply to it. */
    public Launch toLaunch(String version, String nextConfig, UUID byUserId, UUID byPrincipalId) {
        return new Launch(
                projectId,
                app.slug(),
                version,
                displayName,
                operatingMode,
                controlPlaneScope,
                operatorServiceAccountId,
                nextConfig,
                byUserId,
                byPrincipalId,
                placement,
                Map.of(),
                sharedRuntimeId);
    }

    public AppInstance withSequence(long next) {
        return withState(state.withSequence(next));
    }

    AppInstance withVersion(VersionChange change) {
        return copy(change.app(), change.config(), change.lifecycleSettings(), change.previous(), state);
    }

    AppInstance withState(SubjectState next) {
        return copy(app, config, lifecycleSettings, previous, next);
    }

    private AppInstance copy(
            AppVersionRef nextApp,
            String nextConfig,
            LifecycleSettings nextSettings,
            @Nullable PreviousVersion nextPrevious,
            SubjectState nextState) {
        return new AppInstance(
                id,
                resourceName,
                orgId,
                projectId,
                nextApp,
                displayName,
                operatingMode,
                controlPlaneScope,
                requestedByUserId,
                requestedByPrincipalId,
                operatorServiceAccountId,
                nextConfig,
                createdAt,
                placement,
                policyVersion,
                nextSettings,
                nextPrevious,
                sharedRuntimeId,
                nextState);
    }
}
