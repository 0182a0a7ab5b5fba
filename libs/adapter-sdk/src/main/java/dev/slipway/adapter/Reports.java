package dev.slipway.adapter;

import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/**
 * Says what became of an instance after its command was over. Each is done when the report is safe; it is sent as soon as possible. Of
 * an instance that was never deployed here, or is gone, nothing is reported.
 */
public interface Reports {

    /** Reports that a deployed instance failed, or runs again, perhaps elsewhere. Not of one that is being deleted. */
    Future<Void> report(UUID appInstanceId, Outcome outcome);

    /** Reports what became of members. */
    Future<Void> members(UUID appInstanceId, List<MemberState> members);

    /** Reports what was used: also the last of it, before a delete is over. */
    Future<Void> usage(UUID appInstanceId, Usage usage);
}
