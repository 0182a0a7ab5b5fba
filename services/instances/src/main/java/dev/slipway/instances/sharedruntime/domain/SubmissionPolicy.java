package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The permission of a project to submit operations, with its limits. A null limit is no limit; an empty list allows none.
 *
 * @param operations the names of the declared operations
 * @param maxConcurrent the maximum number of unfinished operations
 */
public record SubmissionPolicy(
        boolean allowed,
        @Nullable List<String> operations,
        @Nullable Integer maxConcurrent) {
    public static final SubmissionPolicy NONE = new SubmissionPolicy(false, null, null);

    /** Returns why a project with a number of unfinished operations cannot submit another one; null if it can. */
    @Nullable
    Refusal check(String operation, long unfinished) {
        if (!allowed || (operations != null && !operations.contains(operation))) {
            return Refusal.of(
                    "submission_not_allowed",
                    "The attachment does not allow this project to submit " + operation
                            + ". Ask the owner of the shared runtime.");
        }
        return maxConcurrent != null && unfinished >= maxConcurrent
                ? Refusal.of(
                        "submission_limit_reached",
                        "The project already has its maximum of " + maxConcurrent
                                + " unfinished operations. Wait until one ends.")
                : null;
    }
}
