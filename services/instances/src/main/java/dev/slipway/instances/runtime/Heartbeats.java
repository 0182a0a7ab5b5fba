package dev.slipway.instances.runtime;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/** What adapters say of themselves. */
public final class Heartbeats {
    public static final String TYPE = "runtime.report.heartbeat";
    public static final String ACTION = "runtime.adapter.report";

    private final AdapterStore adapters;

    public Heartbeats(AdapterStore adapters) {
        this.adapters = adapters;
    }

    /** Its sender is allowed to send it; that it speaks of itself is left to see. */
    public Future<Void> apply(UnitOfWork unit, Principal sender, Incoming record, Envelope event) {
        var said = event.payload();
        if (!sender.id().toString().equals(said.path("adapter_id").asText())) {
            return Future.failedFuture(Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "The token is another adapter's.")
                    .asException());
        }
        return adapters.heard(unit, sender.id(), record.appendedAt(), said);
    }
}
