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
import dev.slipway.operations.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A deployed app, owned by a project. {@code config} and {@code runtimeState} are JSON texts whose meaning is defined by the app.
 *
 * @param generation incremented by each command that replaces the ones before it; reports on an older generation change nothing
 * @param sequence number of the last event; gap-free, assigned by the store
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
        Status status,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        UUID operatorServiceAccountId,
        String config,
        String runtimeState,
        @Nullable String failureReason,
        int generation,
        long sequence,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant deletedAt,
        Placement placement,
        @Nullable String policyVersion,
        LifecycleSettings lifecycleSettings,
        @Nullable PreviousVersion previous,
        @Nullable UUID sharedRuntimeId) {

    /** Creates an instance that uses no shared runtime. */
    public AppInstance(
            UUID id,
            String resourceName,
            UUID orgId,
            UUID projectId,
            AppVersionRef app,
            String displayName,
            String operatingMode,
            String controlPlaneScope,
            Status status,
            UUID requestedByUserId,
            UUID requestedByPrincipalId,
            UUID operatorServiceAccountId,
            String config,
            String runtimeState,
            @Nullable String failureReason,
            int generation,
            long sequence,
            Instant createdAt,
            Instant updatedAt,
            @Nullable Instant deletedAt,
            Placement placement,
            @Nullable String policyVersion,
            LifecycleSettings lifecycleSettings,
            @Nullable PreviousVersion previous) {
        this(
                id,
                resourceName,
                orgId,
                projectId,
                app,
                displayName,
                operatingMode,
                controlPlaneScope,
                status,
                requestedByUserId,
                requestedByPrincipalId,
                operatorServiceAccountId,
                config,
                runtimeState,
                failureReason,
                generation,
                sequence,
                createdAt,
                updatedAt,
                deletedAt,
                placement,
                policyVersion,
                lifecycleSettings,
                previous,
                null);
    }

    /** The states of an instance. */
    public enum Status implements TextEnum {
        REQUESTED,
        DEPLOYING,
        RUNNING,
        FAILED,
        DELETING,
        DELETED
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
        return new Subject(ref(), app.slug(), app.runtimeBackend(), generation, sequence);
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
        return copy(status, runtimeState, failureReason, generation, next, updatedAt, deletedAt);
    }

    AppInstance withNextGeneration() {
        return copy(status, runtimeState, failureReason, generation + 1, sequence, updatedAt, deletedAt);
    }

    AppInstance withStatus(Status next, String nextRuntimeState, @Nullable String reason, Instant now) {
        return copy(
                next,
                nextRuntimeState,
                reason,
                next == Status.DELETING ? generation + 1 : generation,
                sequence,
                now,
                next == Status.DELETED ? now : deletedAt);
    }

    AppInstance withVersion(VersionChange change) {
        return new AppInstance(
                id,
                resourceName,
                orgId,
                projectId,
                change.app(),
                displayName,
                operatingMode,
                controlPlaneScope,
                status,
                requestedByUserId,
                requestedByPrincipalId,
                operatorServiceAccountId,
                change.config(),
                runtimeState,
                failureReason,
                generation,
                sequence,
                createdAt,
                updatedAt,
                deletedAt,
                placement,
                policyVersion,
                change.lifecycleSettings(),
                change.previous(),
                sharedRuntimeId);
    }

    private AppInstance copy(
            Status nextStatus,
            String nextRuntimeState,
            @Nullable String reason,
            int nextGeneration,
            long nextSequence,
            Instant nextUpdatedAt,
            @Nullable Instant nextDeletedAt) {
        return new AppInstance(
                id,
                resourceName,
                orgId,
                projectId,
                app,
                displayName,
                operatingMode,
                controlPlaneScope,
                nextStatus,
                requestedByUserId,
                requestedByPrincipalId,
                operatorServiceAccountId,
                config,
                nextRuntimeState,
                reason,
                nextGeneration,
                nextSequence,
                createdAt,
                nextUpdatedAt,
                nextDeletedAt,
                placement,
                policyVersion,
                lifecycleSettings,
                previous,
                sharedRuntimeId);
    }
}
