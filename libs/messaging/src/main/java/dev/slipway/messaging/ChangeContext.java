package dev.slipway.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * The correlation id, trace and actor of a change.
 *
 * @param actor the actor in the format of audit records; null if the platform acts itself or the change is not audited
 * @param rolePath the scope and the role that allowed the change, such as {@code organization:ID/ROLE}; null if no role did
 * @param source the address and user agent of the request; null if the platform acts itself
 */
public record ChangeContext(
        String correlationId,
        Context trace,
        @Nullable ObjectNode actor,
        @Nullable String rolePath,
        @Nullable ObjectNode source) {
    public ChangeContext(String correlationId, Context trace) {
        this(correlationId, trace, null, null, null);
    }

    public ChangeContext withActor(ObjectNode newActor) {
        return new ChangeContext(correlationId, trace, newActor, rolePath, source);
    }

    public ChangeContext withRolePath(@Nullable String newRolePath) {
        return new ChangeContext(correlationId, trace, actor, newRolePath, source);
    }

    public ChangeContext withSource(@Nullable ObjectNode newSource) {
        return new ChangeContext(correlationId, trace, actor, rolePath, newSource);
    }
}
