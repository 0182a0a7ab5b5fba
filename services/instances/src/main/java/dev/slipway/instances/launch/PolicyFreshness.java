package dev.slipway.instances.launch;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;

import java.time.Duration;

/**
 * The limit of the age of policy data.
 *
 * @param maxAge the maximum age that a change accepts
 */
public record PolicyFreshness(Duration maxAge, PolicyMetrics metrics) {
    /** Records the age of the policy data that was read, and rejects the change if it is too old. */
    public void requireFresh(double ageSeconds) {
        metrics.recordAge(ageSeconds);
        if (ageSeconds > maxAge.toSeconds()) {
            metrics.recordStale();
            throw Problem.of(
                            ErrorCode.POLICY_STALE,
                            "Policy data is out of date, so the change was not made. Retry shortly.")
                    .asException();
        }
    }
}
