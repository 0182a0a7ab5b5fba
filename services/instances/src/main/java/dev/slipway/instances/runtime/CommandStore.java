package dev.slipway.instances.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.UUID;

/** Commands to adapters: each is kept until its adapter has said something about it. */
public final class CommandStore {
    /** An adapter that is there answers within a moment; one that is not gets its commands from the topic when it is back. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String KEEP = """
            INSERT INTO runtime_commands (command_id, app_instance_id, runtime_backend, event_type, occurred_at, correlation_id, payload,
                due_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8)
            """;
    private static final String ACKNOWLEDGE =
            "DELETE FROM runtime_commands WHERE command_id = $1 AND app_instance_id = $2";
    private static final String WITHDRAW = "DELETE FROM runtime_commands WHERE app_instance_id = $1";

    /** Sends a command; answers its id, which is that of its event. {@code payload} has what every command has. */
    @CanIgnoreReturnValue
    public UUID send(UnitOfWork unit, String eventType, ObjectNode payload) {
        var instance = payload.path("app_instance_id").asText();
        var backend = payload.path("runtime_backend").asText();
        var command = unit.announce(Topics.runtimeCommands(backend), instance, eventType, payload);
        unit.write(
                KEEP,
                Tuple.of(
                        command,
                        UUID.fromString(instance),
                        backend,
                        eventType,
                        unit.now().atOffset(ZoneOffset.UTC),
                        unit.cause().correlationId(),
                        Json.text(payload),
                        unit.now().plus(PATIENCE).atOffset(ZoneOffset.UTC)));
        return command;
    }

    /** Its adapter has the command: it is not sent again. */
    public void acknowledged(UnitOfWork unit, UUID instanceId, UUID commandId) {
        unit.write(ACKNOWLEDGE, Tuple.of(commandId, instanceId));
    }

    /** Nothing of what the instance's adapter was told so far matters any more: a deletion does not wait behind a launch. */
    public void withdraw(UnitOfWork unit, UUID instanceId) {
        unit.write(WITHDRAW, Tuple.of(instanceId));
    }
}
