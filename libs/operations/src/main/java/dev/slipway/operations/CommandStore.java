package dev.slipway.operations;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.OperationUpdate;
import dev.slipway.operations.domain.RegisteredAdapter;
import dev.slipway.operations.domain.RuntimeCommandType;
import dev.slipway.operations.domain.Subject;
import dev.slipway.operations.domain.SubjectKind;
import io.opentelemetry.api.trace.Span;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;

/** All SQL of the commands of one kind of subject. A command is resent until its adapter reports on it, and stored until it has ended. */
public final class CommandStore {
    /** A running adapter reports within moments; one that is down reads its commands from the topic when it is back. */
    private static final Duration RESEND_AFTER = Duration.ofSeconds(30);

    private static final int MAX_DOUBLINGS = 6;

    /** SQL condition on {@code event_type}: the command starts a generation. */
    public static final String STARTS_GENERATION = Arrays.stream(RuntimeCommandType.values())
            .filter(RuntimeCommandType::startsGeneration)
            .map(type -> "'" + type.eventType() + "'")
            .collect(Collectors.joining(", ", "IN (", ")"));

    private static final String INSERT = """
            INSERT INTO {commands} (command_id, {id}, runtime_backend, event_type, occurred_at, correlation_id, payload,
                due_at, traceparent)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9)
            """;
    private static final String SUPERSEDE =
            "DELETE FROM {commands} WHERE {id} = $1 AND ($2 OR event_type " + STARTS_GENERATION + ")";
    private static final String ACKNOWLEDGE = """
            UPDATE {commands} SET due_at = NULL WHERE command_id = $1 AND {id} = $2 AND due_at IS NOT NULL
            """;
    private static final String SCHEDULE_RESEND =
            "UPDATE {commands} SET due_at = $3 WHERE command_id = $1 AND {id} = $2 AND due_at IS NULL";
    private static final String DELETE =
            "DELETE FROM {commands} WHERE command_id = $1 AND {id} = $2 AND event_type NOT " + STARTS_GENERATION;
    private static final String DELETE_ALL = "DELETE FROM {commands} WHERE {id} = $1";
    /** Spans all tenants. Commands to unavailable adapters are not even read: there may be very many. */
    private static final String LIST_DUE = """
            SELECT due.* FROM (
                SELECT DISTINCT runtime_backend FROM adapters WHERE state = 'active' AND last_seen_at > $2) AS alive
            CROSS JOIN LATERAL (
                SELECT command_id, {id} AS subject_id, runtime_backend, event_type, occurred_at, correlation_id, payload::text AS payload, attempt
                FROM {commands} c WHERE c.runtime_backend = alive.runtime_backend AND due_at <= $1
                ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS due
            """;

    private static final String RESENT = "UPDATE {commands} SET attempt = $2, due_at = $3 WHERE command_id = $1";

    private final SubjectTables tables;

    public CommandStore(SubjectKind kind) {
        tables = new SubjectTables(kind);
    }

    /** Publishes and stores a command; one that starts a generation replaces those before it, a deletion replaces all. */
    public void send(UnitOfWork unit, UUID id, RuntimeCommandType type, Subject subject, ObjectNode payload) {
        if (type.startsGeneration() && type != RuntimeCommandType.DEPLOY) {
            unit.write(tables.sql(SUPERSEDE), Tuple.of(subject.id(), type == RuntimeCommandType.DELETE));
        }
        unit.publish(id, Topics.runtimeCommands(subject.backend()), subject.id().toString(), type.eventType(), payload);
        unit.insert(
                tables.sql(INSERT),
                Tuple.of(
                        id,
                        subject.id(),
                        subject.backend(),
                        type.eventType(),
                        unit.now().atOffset(ZoneOffset.UTC),
                        unit.context().correlationId(),
                        Json.text(payload),
                        unit.now().plus(RESEND_AFTER).atOffset(ZoneOffset.UTC),
                        traceparent(unit)));
    }

    /** Stops resending a command: its adapter has reported on it. */
    void acknowledge(UnitOfWork unit, UUID subjectId, UUID commandId) {
        unit.write(tables.sql(ACKNOWLEDGE), Tuple.of(commandId, subjectId));
    }

    /** Resends a command whose adapter accepted it and then went silent. */
    void scheduleResend(UnitOfWork unit, UUID subjectId, UUID commandId) {
        unit.write(
                tables.sql(SCHEDULE_RESEND),
                Tuple.of(commandId, subjectId, unit.now().atOffset(ZoneOffset.UTC)));
    }

    /** Deletes a command that has ended; one that started a generation stays, because it describes the desired state. */
    void delete(UnitOfWork unit, UUID subjectId, UUID commandId) {
        unit.write(tables.sql(DELETE), Tuple.of(commandId, subjectId));
    }

    /** Deletes all commands of a deleted subject. */
    void deleteAll(UnitOfWork unit, UUID subjectId) {
        unit.write(tables.sql(DELETE_ALL), Tuple.of(subjectId));
    }

    /** Stops resending the commands of an operation that ends. */
    void endCommands(UnitOfWork unit, OperationUpdate update) {
        var operation = update.next();
        var command = operation.commandId();
        if (command != null) {
            acknowledge(unit, operation.subject().id(), command);
            delete(unit, operation.subject().id(), command);
        }
        var cancel = operation.cancelCommandId();
        if (cancel != null && operation.startedAt() != null) {
            delete(unit, operation.subject().id(), cancel);
        }
    }

    /** Resends the commands that available adapters have not reported on; returns how many. */
    Future<Integer> resendDue(UnitOfWork unit, int limit) {
        var parameters = Tuple.of(
                unit.now().atOffset(ZoneOffset.UTC),
                unit.now().minus(RegisteredAdapter.HEARTBEAT_TIMEOUT).atOffset(ZoneOffset.UTC),
                limit);
        return unit.query(tables.sql(LIST_DUE), parameters).map(rows -> {
            rows.forEach(row -> resend(unit, row));
            return rows.size();
        });
    }

    private void resend(UnitOfWork unit, Row row) {
        var attempt = row.getInteger("attempt") + 1;
        var command = new Envelope(
                row.getUUID("command_id"),
                row.getString("event_type"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                1,
                row.getString("correlation_id"),
                Json.parseStoredObject(row.getString("payload")).put("attempt", attempt));
        unit.republish(
                Topics.runtimeCommands(row.getString("runtime_backend")),
                row.getUUID("subject_id").toString(),
                command);
        unit.write(
                tables.sql(RESENT),
                Tuple.of(
                        command.eventId(),
                        attempt,
                        nextAttemptAt(unit.now(), attempt).atOffset(ZoneOffset.UTC)));
    }

    /** Returns the W3C traceparent; null without a trace. */
    private static @Nullable String traceparent(UnitOfWork unit) {
        var span = Span.fromContext(unit.context().trace()).getSpanContext();
        return span.isValid()
                ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-"
                        + span.getTraceFlags().asHex()
                : null;
    }

    private static Instant nextAttemptAt(Instant now, int attempt) {
        return now.plus(RESEND_AFTER.multipliedBy(1L << Math.min(attempt, MAX_DOUBLINGS)));
    }
}
