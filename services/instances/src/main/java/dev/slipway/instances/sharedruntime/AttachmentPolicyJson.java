package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.Json;
import dev.slipway.instances.sharedruntime.domain.ContributionPolicy;
import dev.slipway.instances.sharedruntime.domain.SubmissionPolicy;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The JSON of policies: limits that are not set are left out. */
final class AttachmentPolicyJson {
    private AttachmentPolicyJson() {}

    /** The JSON of a contribution policy. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Contribution(
            boolean allowed,
            @Nullable Integer maxWorkers,
            @Nullable List<String> allowedSkus,
            @Nullable List<String> allowedRegions) {
        static Contribution of(ContributionPolicy policy) {
            return new Contribution(
                    policy.allowed(), policy.maxWorkers(), policy.allowedSkus(), policy.allowedRegions());
        }

        ContributionPolicy toPolicy() {
            return new ContributionPolicy(allowed, maxWorkers, allowedSkus, allowedRegions);
        }
    }

    /** The JSON of a submission policy. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Submission(
            boolean allowed,
            @Nullable List<String> operations,
            @Nullable Integer maxConcurrent) {
        static Submission of(SubmissionPolicy policy) {
            return new Submission(policy.allowed(), policy.operations(), policy.maxConcurrent());
        }

        SubmissionPolicy toPolicy() {
            return new SubmissionPolicy(allowed, operations, maxConcurrent);
        }
    }

    static @Nullable String text(@Nullable ContributionPolicy policy) {
        return policy == null ? null : Json.text(Contribution.of(policy));
    }

    static @Nullable String text(@Nullable SubmissionPolicy policy) {
        return policy == null ? null : Json.text(Submission.of(policy));
    }

    static ContributionPolicy parseContribution(String stored) {
        return Json.toRecord(Json.parseStoredObject(stored), Contribution.class).toPolicy();
    }

    static SubmissionPolicy parseSubmission(String stored) {
        return Json.toRecord(Json.parseStoredObject(stored), Submission.class).toPolicy();
    }
}
