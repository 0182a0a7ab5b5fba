package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.launch.domain.AppVersionRef;
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
import java.util.UUID;

/**
 * A deployed app that an organization owns and its projects share. {@code config} is JSON text whose meaning is defined by the
 * app.
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
        SubjectState state) {
    public static final String OPERATING_MODE = "tenant_dedicated";
    public static final String CONTROL_PLANE_SCOPE = "tenant";

    public Status status() {
        return state.status();
    }

    public int generation() {
        return state.generation();
    }

    public SubjectRef ref() {
        return new SubjectRef(SubjectKind.SHARED_RUNTIME, id, orgId, null);
    }

    public Subject subject() {
        return new Subject(ref(), app.slug(), app.runtimeBackend(), state.generation(), state.sequence());
    }

    public SharedRuntime withSequence(long next) {
        return withState(state.withSequence(next));
    }

    SharedRuntime withVersion(VersionChange change) {
        return copy(change.app(), change.config(), change.lifecycleSettings(), change.previous(), state);
    }

    SharedRuntime withState(SubjectState next) {
        return copy(app, config, lifecycleSettings, previous, next);
    }

    private SharedRuntime copy(
            AppVersionRef nextApp,
            String nextConfig,
            LifecycleSettings nextSettings,
            @Nullable PreviousVersion nextPrevious,
            SubjectState nextState) {
        return new SharedRuntime(
                id,
                resourceName,
                orgId,
                environment,
                nextApp,
                displayName,
                requestedByUserId,
                requestedByPrincipalId,
                operatorId,
                placement,
                nextConfig,
                contribution,
                submission,
                policyVersion,
                nextSettings,
                nextPrevious,
                createdAt,
                nextState);
    }
}
