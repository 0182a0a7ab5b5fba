package dev.slipway.adapter;

import io.vertx.core.Future;

import java.util.UUID;

/** Says what became of an instance after its deployment was over. */
public interface Reports {

    /**
     * Reports that a deployed instance failed, or runs again, perhaps elsewhere. Done when the report is safe; it is sent as soon as
     * possible. Of an instance that is being deleted, or was never deployed here, nothing is reported.
     */
    Future<Void> report(UUID appInstanceId, Outcome outcome);
}
