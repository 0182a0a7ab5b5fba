package dev.slipway.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * Why something is being done: the correlation id it carries on, and the trace it belongs to.
 *
 * @param actor who does it, as the audit trail writes actors; null where the platform does it of itself, or nobody needs to know
 */
public record Cause(
        String correlationId, Context trace, @Nullable ObjectNode actor) {
    public Cause(String correlationId, Context trace) {
        this(correlationId, trace, null);
    }

    public Cause by(ObjectNode someone) {
        return new Cause(correlationId, trace, someone);
    }
}
