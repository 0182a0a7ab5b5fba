package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.launch.domain.AppVersionRef;
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
import java.util.UUID;

/**
 * A deployed app that an organization owns and its projects share. {@code config} and {@code runtimeState} are JSON texts whose meaning is
 * defined by the app.
 *
 * @param operatorId the identity that the controller acts as
 * @param placement of the controller
 * @param contribution the policy of attachments without one of their own
 * @param submission the policy of attachments without one of their own
 * @param previous the version to roll back to; null if the runtime was not upgraded, or was rolled back
 */
public record SharedRuntime(
        UUID id,
        String resourceName,
        UUID orgId,
        String environment,
        AppVersionRef app,
        String displayName,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        UUID operatorId,
        Placement placement,
        String config,
        ContributionPolicy contribution,
        SubmissionPolicy submission,
        @Nullable String policyVersion,
        LifecycleSettings lifecycleSettings,
        @Nullable PreviousVersion previous,
        Instant createdAt,
        State state) {
    public static final String OPERATING_MODE = "tenant_dedicated";
    public static final String CONTROL_PLANE_SCOPE = "tenant";

    /** The states of a shared runtime. */
    public enum Status implements TextEnum {
        REQUESTED,
        DEPLOYING,
        RUNNING,
        FAILED,
        DELETING,
        DELETED
    }

    /**
     * The part that reports and requests change.
     *
     * @param sequence number of the last event; gap-free, assigned by the store
     */
    public record State(
            Status status,
            String runtimeState,
            @Nullable String failureReason,
            int generation,
            long sequence,
            Instant updatedAt,
            @Nullable Instant deletedAt) {
        static State initial(Instant now) {
            return new State(Status.REQUESTED, "{}", null, 1, 0, now, null);
        }
    }

    public Status status() {
        return state.status;
    }

    public int generation() {
        return state.generation;
    }

    public SubjectRef ref() {
        return new SubjectRef(SubjectKind.SHARED_RUNTIME, id, orgId, null);
    }

    public Subject subject() {
        return new Subject(ref(), app.slug(), app.runtimeBackend(), state.generation, state.sequence);
    }

    public SharedRuntime withSequence(long next) {
        return withState(new State(
                state.status,
                state.runtimeState,
                state.failureReason,
                state.generation,
                next,
                state.updatedAt,
                state.deletedAt));
    }

    SharedRuntime withNextGeneration() {
        return withState(new State(
                state.status,
                state.runtimeState,
                state.failureReason,
                state.generation + 1,
                state.sequence,
                state.updatedAt,
                state.deletedAt));
    }

    SharedRuntime withStatus(Status next, String runtimeState, @Nullable String reason, Instant now) {
        return withState(new State(
                next,
                runtimeState,
                reason,
                next == Status.DELETING ? state.generation + 1 : state.generation,
                state.sequence,
                now,
                next == Status.DELETED ? now : state.deletedAt));
    }

    SharedRuntime withVersion(VersionChange change) {
        return new SharedRuntime(
                id,
                resourceName,
                orgId,
                environment,
                change.app(),
                displayName,
                requestedByUserId,
                requestedByPrincipalId,
                operatorId,
                placement,
                change.config(),
                contribution,
                submission,
                policyVersion,
                change.lifecycleSettings(),
                change.previous(),
                createdAt,
                state);
    }

    private SharedRuntime withState(State next) {
        return new SharedRuntime(
                id,
                resourceName,
                orgId,
                environment,
                app,
                displayName,
                requestedByUserId,
                requestedByPrincipalId,
                operatorId,
                placement,
                config,
                contribution,
                submission,
                policyVersion,
                lifecycleSettings,
                previous,
                createdAt,
                next);
    }
}
