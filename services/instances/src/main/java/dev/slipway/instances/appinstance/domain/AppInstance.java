package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * One deployed app, owned by a project. {@code config} and {@code runtimeState} are JSON texts whose meaning is the app's.
 *
 * @param generation raised by every command to the runtime: a report of an older one changes nothing
 * @param sequence of the last event: gap-free
 * @param policyVersion the effective policy that it was admitted under; null for those from before there was one
 * @param previous null where it runs what it was launched with, or what it was rolled back to
 */
public record AppInstance(
        UUID id,
        String resourceName,
        UUID orgId,
        UUID projectId,
        App app,
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
        Terms terms,
        @Nullable Previous previous) {

    /**
     * What its version said that counts when the version is of no use any more.
     *
     * @param registryVersions JSON text: the version of every registry entry that it is made under; null where that is not known
     */
    public record Terms(
            int deleteSeconds, boolean reap, @Nullable String registryVersions) {
        public static final Terms USUAL = new Terms(1_800, false, null);
    }

    /** What it ran before, to go back to. */
    public record Previous(UUID versionId, String version, String config) {}

    /** The version of the app that the instance runs. */
    public record App(UUID appId, UUID versionId, String slug, String version, String runtimeBackend) {}

    /** Where an instance is in its life. */
    public enum Status {
        REQUESTED,
        DEPLOYING,
        RUNNING,
        FAILED,
        DELETING,
        DELETED;

        public static Status of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Derived, so that it cannot contradict what it is derived from. */
    public String tenantBoundaryMode() {
        return operatingMode.equals("platform_managed") || controlPlaneScope.equals("platform")
                ? "shared_service"
                : "tenant_isolated";
    }

    /** One more event was told of it, that left it as it is. */
    public AppInstance noted() {
        return with(status, runtimeState, failureReason, generation, sequence + 1, updatedAt, deletedAt);
    }

    /** Its adapter is told something that makes what it was told before void. */
    AppInstance commanded() {
        return with(status, runtimeState, failureReason, generation + 1, sequence, updatedAt, deletedAt);
    }

    AppInstance to(Status next, String nextRuntimeState, @Nullable String reason, Instant now) {
        return with(
                next,
                nextRuntimeState,
                reason,
                next == Status.DELETING ? generation + 1 : generation,
                sequence + 1,
                now,
                next == Status.DELETED ? now : deletedAt);
    }

    /** With the launch parameters that its version makes of those it was asked for with. */
    public AppInstance launchedWith(String resolved, Terms agreed) {
        return running(app, resolved, agreed, null);
    }

    AppInstance running(App next, String nextConfig, Terms nextTerms, @Nullable Previous before) {
        return new AppInstance(
                id,
                resourceName,
                orgId,
                projectId,
                next,
                displayName,
                operatingMode,
                controlPlaneScope,
                status,
                requestedByUserId,
                requestedByPrincipalId,
                operatorServiceAccountId,
                nextConfig,
                runtimeState,
                failureReason,
                generation,
                sequence,
                createdAt,
                updatedAt,
                deletedAt,
                placement,
                policyVersion,
                nextTerms,
                before);
    }

    private AppInstance with(
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
                terms,
                previous);
    }
}
