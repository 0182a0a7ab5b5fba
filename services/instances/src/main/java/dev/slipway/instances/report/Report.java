package dev.slipway.instances.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.operation.domain.Operation;
import org.jspecify.annotations.Nullable;

/**
 * What an adapter says about an instance, and is allowed to say.
 *
 * @param instance behind its lock
 * @param operation that the reported command is part of; null for commands from before there were any
 */
public record Report(
        Principal principal,
        Envelope event,
        AppInstance instance,
        @Nullable Operation operation) {

    public ObjectNode payload() {
        return event.payload();
    }

    public int generation() {
        return payload().path("generation").asInt();
    }

    /** Of a command that a later one made void: it changes nothing. */
    public boolean outdated() {
        return generation() < instance.generation();
    }
}
