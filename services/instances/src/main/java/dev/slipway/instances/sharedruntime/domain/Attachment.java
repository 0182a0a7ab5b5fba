package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * The attachment of a project to a shared runtime.
 *
 * @param contribution null if the default of the runtime applies
 * @param submission null if the default of the runtime applies
 * @param appPolicy JSON text whose meaning is defined by the app
 * @param revision incremented by each change
 */
public record Attachment(
        UUID id,
        UUID sharedRuntimeId,
        UUID orgId,
        UUID projectId,
        Status status,
        @Nullable ContributionPolicy contribution,
        @Nullable SubmissionPolicy submission,
        String appPolicy,
        @Nullable String billingPolicyRef,
        @Nullable String failureReason,
        int revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant detachedAt) {

    /** The states of an attachment. */
    public enum Status implements TextEnum {
        REQUESTED,
        ATTACHED,
        DETACHING,
        DETACHED,
        FAILED
    }

    /** The policies that a project is attached with; null values are the defaults of the runtime. */
    public record Policies(
            @Nullable ContributionPolicy contribution,
            @Nullable SubmissionPolicy submission,
            String appPolicy,
            @Nullable String billingPolicyRef) {
        public static final Policies DEFAULT = new Policies(null, null, "{}", null);
    }

    static Attachment create(UUID id, SharedRuntime runtime, UUID projectId, Policies policies, Instant now) {
        return new Attachment(
                id,
                runtime.id(),
                runtime.orgId(),
                projectId,
                Status.REQUESTED,
                policies.contribution(),
                policies.submission(),
                policies.appPolicy(),
                policies.billingPolicyRef(),
                null,
                1,
                now,
                now,
                null);
    }

    public ContributionPolicy contributionOr(ContributionPolicy defaultPolicy) {
        return contribution == null ? defaultPolicy : contribution;
    }

    public SubmissionPolicy submissionOr(SubmissionPolicy defaultPolicy) {
        return submission == null ? defaultPolicy : submission;
    }

    Attachment withStatus(Status next, @Nullable String reason, Instant now) {
        return new Attachment(
                id,
                sharedRuntimeId,
                orgId,
                projectId,
                next,
                contribution,
                submission,
                appPolicy,
                billingPolicyRef,
                reason,
                revision + 1,
                createdAt,
                now,
                next == Status.DETACHED ? now : detachedAt);
    }

    Attachment withPolicies(Policies next, Instant now) {
        return new Attachment(
                id,
                sharedRuntimeId,
                orgId,
                projectId,
                status,
                next.contribution(),
                next.submission(),
                next.appPolicy(),
                next.billingPolicyRef(),
                failureReason,
                revision + 1,
                createdAt,
                now,
                detachedAt);
    }
}
