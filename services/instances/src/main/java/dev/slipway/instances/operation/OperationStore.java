package dev.slipway.instances.operation;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.history.HistoryStore;
import dev.slipway.instances.operation.domain.NewOperation;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Operation.Progress;
import dev.slipway.instances.operation.domain.Operation.Status;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationEvent;
import dev.slipway.instances.operation.domain.OperationLifecycle;
import dev.slipway.instances.runtime.CommandStore;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * All SQL that changes operations. Whoever changes one holds the lock of its instance, and keeps the instance that is answered: an event of an
 * operation takes a number of the instance.
 */
public final class OperationStore {
    static final String COLUMNS = """
            SELECT o.id, o.app_instance_id, o.org_id, o.project_id, o.kind, o.name, o.action, o.status, o.percent, o.message,
                o.blockers::text AS blockers, o.input::text AS input, o.output::text AS output, o.reason, o.command_id,
                o.cancel_command_id, o.member_id, o.from_version, o.to_version, o.requested_by_user_id, o.requested_by_principal_id,
                o.correlation_id, o.created_at, o.started_at, o.ended_at, o.deadline_at, o.due_at
            FROM app_instance_operations o
            """;
    private static final String ONE = "WHERE o.id = $1 AND o.app_instance_id = $2 AND o.project_id = $3";
    static final String FIND = COLUMNS + ONE;
    private static final String BY_COMMAND = COLUMNS + """
            WHERE o.app_instance_id = $1 AND o.project_id = $2 AND (o.command_id = $3 OR o.cancel_command_id = $3)
            """;
    private static final String OPEN = COLUMNS + """
            WHERE o.app_instance_id = $1 AND o.project_id = $2 AND o.status IN ('accepted', 'running')
            ORDER BY o.created_at, o.id
            """;
    private static final String DUE = """
            SELECT o.id, o.app_instance_id, o.project_id FROM app_instance_operations o
            WHERE o.status IN ('accepted', 'running') AND o.due_at <= $1 ORDER BY o.due_at LIMIT $2
            """;
    private static final String INSERT = """
            INSERT INTO app_instance_operations (id, app_instance_id, org_id, project_id, kind, name, action, status, input, command_id,
                member_id, from_version, to_version, requested_by_user_id, requested_by_principal_id, correlation_id, created_at,
                deadline_at, due_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::jsonb, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)
            """;
    private static final String UPDATE = """
            UPDATE app_instance_operations SET status = $4, percent = $5, message = $6, blockers = $7::text::jsonb,
                output = $8::text::jsonb, reason = $9, cancel_command_id = $10, started_at = $11, ended_at = $12, due_at = $13
            WHERE id = $1 AND app_instance_id = $2 AND project_id = $3
            """;

    private final CommandStore commands;
    private final HistoryStore history = new HistoryStore();

    public OperationStore(CommandStore commands) {
        this.commands = commands;
    }

    /** An operation, and its instance with the number of the operation's last event: to be kept by who asked for the change. */
    public record Changed(AppInstance instance, Operation operation) {}

    /** Opens one, unless it changes the instance and another that does is open. */
    public Future<Changed> open(UnitOfWork unit, AppInstance instance, NewOperation asked) {
        if (!asked.kind().mutates()) {
            return Future.succeededFuture(accept(unit, instance, asked));
        }
        return requireNoneChanging(unit, instance).map(ok -> accept(unit, instance, asked));
    }

    /** Refuses, with the first, where an operation that changes the instance is open. */
    public Future<Void> requireNoneChanging(UnitOfWork unit, AppInstance instance) {
        return openOf(unit, instance).map(open -> {
            open.stream().filter(other -> other.kind().mutates()).findFirst().ifPresent(other -> {
                throw inProgress(other);
            });
            return null;
        });
    }

    /** Opens one where it is known that no other is open. */
    public Changed accept(UnitOfWork unit, AppInstance instance, NewOperation asked) {
        var accepted = OperationLifecycle.accept(
                asked,
                instance.id(),
                instance.orgId(),
                instance.projectId(),
                unit.cause().correlationId(),
                unit.now());
        insert(unit, accepted);
        return announced(unit, instance, accepted, OperationEvent.ACCEPTED);
    }

    /** Keeps what was decided, and announces it. */
    public Changed apply(UnitOfWork unit, AppInstance instance, Operation current, Accepted decided) {
        var next = decided.next();
        if (!next.equals(current)) {
            update(unit, next);
        }
        if (next.status().ended() && !current.status().ended()) {
            endCommands(unit, next);
        }
        var event = decided.event();
        return event == null ? new Changed(instance, next) : announced(unit, instance, next, event);
    }

    /** The operation that a command is part of; null if it is of none. */
    public Future<@Nullable Operation> byCommand(UnitOfWork unit, UUID projectId, UUID instanceId, UUID commandId) {
        return unit.query(BY_COMMAND, Tuple.of(instanceId, projectId, commandId))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    /** What has not ended, the oldest first. */
    public Future<List<Operation>> openOf(UnitOfWork unit, AppInstance instance) {
        return unit.query(OPEN, Tuple.of(instance.id(), instance.projectId())).map(rows -> {
            var open = new ArrayList<Operation>(rows.size());
            rows.forEach(row -> open.add(fromRow(row)));
            return open;
        });
    }

    public Future<Operation> find(UnitOfWork unit, UUID projectId, UUID instanceId, UUID id) {
        return unit.query(FIND, Tuple.of(id, instanceId, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(id))
                        : Future.succeededFuture(fromRow(rows.iterator().next())));
    }

    /** Where an operation is that somebody has to look at. */
    public record Due(UUID operationId, UUID instanceId, UUID projectId) {}

    /** What is past its time, the longest first. */
    public Future<List<Due>> due(UnitOfWork unit, int limit) {
        return unit.query(DUE, Tuple.of(at(unit.now()), limit)).map(rows -> {
            var due = new ArrayList<Due>(rows.size());
            rows.forEach(row ->
                    due.add(new Due(row.getUUID("id"), row.getUUID("app_instance_id"), row.getUUID("project_id"))));
            return due;
        });
    }

    /** Nothing of it is sent again. */
    private void endCommands(UnitOfWork unit, Operation operation) {
        var command = operation.commandId();
        if (command != null) {
            commands.acknowledged(unit, operation.appInstanceId(), command);
            commands.ended(unit, operation.appInstanceId(), command);
        }
        var cancel = operation.cancelCommandId();
        if (cancel != null && operation.startedAt() != null) {
            commands.ended(unit, operation.appInstanceId(), cancel);
        }
    }

    private Changed announced(UnitOfWork unit, AppInstance instance, Operation operation, OperationEvent event) {
        var noted = instance.noted();
        // A change that begins raises the generation, and its operation's first event is the only one to tell.
        var own = Json.object().put("instance_generation", noted.generation());
        history.append(unit, OperationJson.type(event), OperationJson.event(noted, operation), own);
        return new Changed(noted, operation);
    }

    private static void insert(UnitOfWork unit, Operation o) {
        unit.insert(INSERT, Tuple.from(new @Nullable Object[] {
            o.id(),
            o.appInstanceId(),
            o.orgId(),
            o.projectId(),
            o.kind().text(),
            o.name(),
            o.action(),
            o.status().text(),
            o.input(),
            o.commandId(),
            o.memberId(),
            o.fromVersion(),
            o.toVersion(),
            o.requestedByUserId(),
            o.requestedByPrincipalId(),
            o.correlationId(),
            at(o.createdAt()),
            at(o.deadlineAt())
        }));
    }

    private static void update(UnitOfWork unit, Operation o) {
        unit.write(UPDATE, Tuple.from(new @Nullable Object[] {
            o.id(),
            o.appInstanceId(),
            o.projectId(),
            o.status().text(),
            o.progress().percent(),
            o.progress().message(),
            Json.text(OperationJson.blockers(o.progress().blockers())),
            o.output(),
            o.reason(),
            o.cancelCommandId(),
            atOrNull(o.startedAt()),
            atOrNull(o.endedAt()),
            at(o.dueAt())
        }));
    }

    static Operation fromRow(Row row) {
        return new Operation(
                row.getUUID("id"),
                row.getUUID("app_instance_id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                Kind.of(row.getString("kind")),
                row.getString("name"),
                row.getString("action"),
                Status.of(row.getString("status")),
                new Progress(
                        row.getInteger("percent"),
                        row.getString("message"),
                        OperationJson.blockers(
                                Json.node(row.getString("blockers").getBytes(StandardCharsets.UTF_8)))),
                row.getString("input"),
                row.getString("output"),
                row.getString("reason"),
                row.getUUID("command_id"),
                row.getUUID("cancel_command_id"),
                row.getUUID("member_id"),
                row.getString("from_version"),
                row.getString("to_version"),
                row.getUUID("requested_by_user_id"),
                row.getUUID("requested_by_principal_id"),
                row.getString("correlation_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                instantOrNull(row.getOffsetDateTime("started_at")),
                instantOrNull(row.getOffsetDateTime("ended_at")),
                row.getOffsetDateTime("deadline_at").toInstant(),
                row.getOffsetDateTime("due_at").toInstant());
    }

    static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable OffsetDateTime atOrNull(@Nullable Instant instant) {
        return instant == null ? null : at(instant);
    }

    private static @Nullable Instant instantOrNull(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    private static ProblemException inProgress(Operation other) {
        var details = Json.object();
        details.put("operation_id", other.id().toString());
        details.put("kind", other.kind().text());
        details.put("operation", other.name());
        var message = "The " + other.name() + " of this instance (operation " + other.id()
                + ") has not ended: wait for it, or cancel it.";
        return new Problem(ErrorCode.OPERATION_IN_PROGRESS, message, details).asException();
    }

    static ProblemException notFound(UUID id) {
        return Problem.of(ErrorCode.OPERATION_NOT_FOUND, "This instance has no operation " + id + ".")
                .asException();
    }
}
