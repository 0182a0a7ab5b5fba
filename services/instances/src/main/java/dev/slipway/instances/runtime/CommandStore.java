package dev.slipway.instances.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.api.trace.Span;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/** Commands to adapters. Each is sent until its adapter has said something about it, and kept until it has ended. */
public final class CommandStore {
    /** An adapter that is there answers within a moment; one that is not gets its commands from the topic when it is back. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int DOUBLINGS = 6;
    private static final String DEPLOY = "runtime.command.deploy";
    private static final String DELETE = "runtime.command.delete";
    /** The commands that raise an instance's generation. */
    private static final List<String> GENERATIONS =
            List.of(DEPLOY, "runtime.command.upgrade", "runtime.command.rollback", DELETE);

    /** Of a command's {@code event_type}. */
    static final String OF_A_GENERATION = "IN ('" + String.join("', '", GENERATIONS) + "')";

    private static final String KEEP = """
            INSERT INTO runtime_commands (command_id, app_instance_id, runtime_backend, event_type, occurred_at, correlation_id, payload,
                due_at, traceparent)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9)
            """;
    private static final String SUPERSEDE =
            "DELETE FROM runtime_commands WHERE app_instance_id = $1 AND ($2 OR event_type " + OF_A_GENERATION + ")";
    private static final String ACKNOWLEDGE = """
            UPDATE runtime_commands SET due_at = NULL WHERE command_id = $1 AND app_instance_id = $2 AND due_at IS NOT NULL
            """;
    private static final String DUE_AGAIN =
            "UPDATE runtime_commands SET due_at = $3 WHERE command_id = $1 AND app_instance_id = $2 AND due_at IS NULL";
    private static final String END =
            "DELETE FROM runtime_commands WHERE command_id = $1 AND app_instance_id = $2 AND event_type NOT "
                    + OF_A_GENERATION;
    private static final String FORGET = "DELETE FROM runtime_commands WHERE app_instance_id = $1";
    /**
     * Of instances of all tenants: what is due is due. Nothing is sent to adapters that are not there, and what waits for them is not even
     * looked at: while one is away that may be very many.
     */
    private static final String DUE = """
            SELECT due.* FROM (
                SELECT DISTINCT runtime_backend FROM adapters WHERE state = 'active' AND last_seen_at > $2) AS alive
            CROSS JOIN LATERAL (
                SELECT command_id, app_instance_id, runtime_backend, event_type, occurred_at, correlation_id, payload::text AS payload, attempt
                FROM runtime_commands c WHERE c.runtime_backend = alive.runtime_backend AND due_at <= $1
                ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS due
            """;

    private static final String SENT = "UPDATE runtime_commands SET attempt = $2, due_at = $3 WHERE command_id = $1";

    /** Sends a command; answers its id, which is that of its event. {@code payload} has what every command has. */
    @CanIgnoreReturnValue
    public UUID send(UnitOfWork unit, String eventType, ObjectNode payload) {
        var instance = payload.path("app_instance_id").asText();
        var backend = payload.path("runtime_backend").asText();
        if (!eventType.equals(DEPLOY) && GENERATIONS.contains(eventType)) {
            // What was asked before it does not matter any more; a deletion does not wait behind anything.
            unit.write(SUPERSEDE, Tuple.of(UUID.fromString(instance), eventType.equals(DELETE)));
        }
        var command = unit.announce(Topics.runtimeCommands(backend), instance, eventType, payload);
        unit.insert(
                KEEP,
                Tuple.of(
                        command,
                        UUID.fromString(instance),
                        backend,
                        eventType,
                        unit.now().atOffset(ZoneOffset.UTC),
                        unit.cause().correlationId(),
                        Json.text(payload),
                        unit.now().plus(PATIENCE).atOffset(ZoneOffset.UTC),
                        traceparent(unit)));
        return command;
    }

    /** Its adapter has the command: it is not sent again. */
    public void acknowledged(UnitOfWork unit, UUID instanceId, UUID commandId) {
        unit.write(ACKNOWLEDGE, Tuple.of(commandId, instanceId));
    }

    /** Its adapter had the command and fell silent: it is sent again. */
    public void dueAgain(UnitOfWork unit, UUID instanceId, UUID commandId) {
        unit.write(DUE_AGAIN, Tuple.of(commandId, instanceId, unit.now().atOffset(ZoneOffset.UTC)));
    }

    /** The command is over, one way or the other. */
    public void ended(UnitOfWork unit, UUID instanceId, UUID commandId) {
        unit.write(END, Tuple.of(commandId, instanceId));
    }

    /** Nothing is left of the instance that an adapter could be told about. */
    public void forget(UnitOfWork unit, UUID instanceId) {
        unit.write(FORGET, Tuple.of(instanceId));
    }

    /** Sends once more what adapters that are alive have not said a word about; answers how many commands that were. */
    Future<Integer> sendDue(UnitOfWork unit, int limit) {
        var asked = Tuple.of(
                unit.now().atOffset(ZoneOffset.UTC),
                unit.now().minus(AdapterStore.SILENCE).atOffset(ZoneOffset.UTC),
                limit);
        return unit.query(DUE, asked).map(rows -> {
            rows.forEach(row -> sendAgain(unit, row));
            return rows.size();
        });
    }

    private static void sendAgain(UnitOfWork unit, Row row) {
        var attempt = row.getInteger("attempt") + 1;
        var command = new Envelope(
                row.getUUID("command_id"),
                row.getString("event_type"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                1,
                row.getString("correlation_id"),
                Json.trusted(row.getString("payload")).put("attempt", attempt));
        unit.announceAgain(
                Topics.runtimeCommands(row.getString("runtime_backend")),
                row.getUUID("app_instance_id").toString(),
                command);
        unit.write(
                SENT,
                Tuple.of(command.eventId(), attempt, next(unit.now(), attempt).atOffset(ZoneOffset.UTC)));
    }

    /** As W3C writes it; null where nobody traces. */
    private static @Nullable String traceparent(UnitOfWork unit) {
        var span = Span.fromContext(unit.cause().trace()).getSpanContext();
        return span.isValid()
                ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-"
                        + span.getTraceFlags().asHex()
                : null;
    }

    private static Instant next(Instant now, int attempt) {
        return now.plus(PATIENCE.multipliedBy(1L << Math.min(attempt, DOUBLINGS)));
    }
}
