package dev.slipway.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * The correlation id, trace and actor of a change.
 *
 * @param actor the actor in the format of audit records; null if the platform acts itself or the change is not audited
 */
public record ChangeContext(
        String correlationId, Context trace, @Nullable ObjectNode actor) {
    public ChangeContext(String correlationId, Context trace) {
        this(correlationId, trace, null);
    }

    public ChangeContext withActor(ObjectNode newActor) {
        return new ChangeContext(correlationId, trace, newActor);
    }
}
