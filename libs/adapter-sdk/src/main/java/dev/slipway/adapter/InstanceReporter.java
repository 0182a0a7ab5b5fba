package dev.slipway.adapter;

import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/**
 * Reports changes of an instance outside of a command. Each method completes when the report is on disk; it is sent as soon as possible.
 * Nothing is reported for an instance that is not deployed here.
 */
public interface InstanceReporter {

    /** Reports that a deployed instance failed or runs again, possibly at new endpoints. Ignored while the instance is being deleted. */
    Future<Void> reportOutcome(UUID appInstanceId, Outcome outcome);

    /** Reports the states of members. */
    Future<Void> reportMembers(UUID appInstanceId, List<MemberState> members);

    /** Reports usage. The last window must be reported before a delete completes. */
    Future<Void> reportUsage(UUID appInstanceId, UsageWindow usageWindow);
}
