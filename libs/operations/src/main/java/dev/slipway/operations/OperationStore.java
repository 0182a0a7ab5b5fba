package dev.slipway.operations;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Operation.Progress;
import dev.slipway.operations.domain.Operation.Status;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of the operations on one kind of subject. Whoever changes an operation holds the lock of its subject. */
public final class OperationStore {
    private static final String SELECT = """
            SELECT o.id, o.{id} AS subject_id, o.org_id, o.project_id, o.kind, o.name, o.action, o.status, o.percent, o.message,
                o.blockers::text AS blockers, o.input::text AS input, o.output::text AS output, o.reason, o.command_id,
                o.cancel_command_id, o.member_id, o.from_version, o.to_version, o.requested_by_user_id, o.requested_by_principal_id,
                o.correlation_id, o.created_at, o.started_at, o.ended_at, o.deadline_at, o.due_at{attribution}
            FROM {operations} o
            """;
    private static final String FIND = SELECT + "WHERE o.id = $1 AND o.{id} = $2 AND o.{owner} = $3";
    private static final String FIND_BY_COMMAND = SELECT + """
            WHERE o.{id} = $1 AND o.{owner} = $2 AND (o.command_id = $3 OR o.cancel_command_id = $3)
            """;
    private static final String LIST_OPEN = SELECT + """
            WHERE o.{id} = $1 AND o.{owner} = $2 AND o.status IN ('accepted', 'running')
            ORDER BY o.created_at, o.id
            """;
    private static final String LIST = SELECT + """
            WHERE o.{id} = $1 AND o.{owner} = $2 AND ($3::text IS NULL OR o.status = $3)
            AND ($7::uuid IS NULL OR o.project_id = $7) AND ($8::text IS NULL OR o.kind = $8)
            AND ($4::timestamptz IS NULL OR (o.created_at, o.id) < ($4, $5::uuid))
            ORDER BY o.created_at DESC, o.id DESC LIMIT $6
            """;
    private static final String LIST_DUE = """
            SELECT o.id, o.{id} AS subject_id, o.org_id, o.project_id FROM {operations} o
            WHERE o.status IN ('accepted', 'running') AND o.due_at <= $1 ORDER BY o.due_at LIMIT $2
            """;
    private static final String INSERT = """
            INSERT INTO {operations} (id, {id}, org_id, project_id, kind, name, action, status, input, command_id,
                member_id, from_version, to_version, requested_by_user_id, requested_by_principal_id, correlation_id, created_at,
                deadline_at, due_at{attribution})
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::jsonb, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18{values})
            """;
    private static final String UPDATE = """
            UPDATE {operations} SET status = $4, percent = $5, message = $6, blockers = $7::text::jsonb,
                output = $8::text::jsonb, reason = $9, cancel_command_id = $10, started_at = $11, ended_at = $12, due_at = $13
            WHERE id = $1 AND {id} = $2 AND {owner} = $3
            """;

    private final SubjectTables tables;
    private final SqlClient reads;

    public OperationStore(SubjectKind kind, SqlClient reads) {
        this.tables = new SubjectTables(kind);
        this.reads = reads;
    }

    /** An operation whose deadline has passed. */
    public record DueOperation(UUID operationId, SubjectRef subject) {}

    void insert(UnitOfWork unit, Operation o) {
        var attribution = o.attribution();
        var parameters = Tuple.from(new @Nullable Object[] {
            o.id(),
            o.subject().id(),
            o.subject().orgId(),
            attribution == null ? o.subject().projectId() : attribution.projectId(),
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
            toUtc(o.createdAt()),
            toUtc(o.deadlineAt())
        });
        if (attribution != null) {
            parameters.addValue(attribution.attachmentId()).addValue(attribution.principalType());
        }
        unit.insert(tables.sql(INSERT), parameters);
    }

    void update(UnitOfWork unit, Operation o) {
        unit.write(tables.sql(UPDATE), Tuple.from(new @Nullable Object[] {
            o.id(),
            o.subject().id(),
            o.subject().ownerId(),
            o.status().text(),
            o.progress().percent(),
            o.progress().message(),
            Json.text(o.progress().blockers()),
            o.output(),
            o.reason(),
            o.cancelCommandId(),
            toUtcOrNull(o.startedAt()),
            toUtcOrNull(o.endedAt()),
            toUtc(o.dueAt())
        }));
    }

    /** Returns the operation that a command belongs to; null if it belongs to none. */
    public Future<@Nullable Operation> findByCommand(UnitOfWork unit, UUID ownerId, UUID subjectId, UUID commandId) {
        return unit.query(tables.sql(FIND_BY_COMMAND), Tuple.of(subjectId, ownerId, commandId))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    /** Returns the operations that have not ended, the oldest first. */
    public Future<List<Operation>> listOpen(UnitOfWork unit, UUID ownerId, UUID subjectId) {
        return unit.query(tables.sql(LIST_OPEN), Tuple.of(subjectId, ownerId)).map(this::fromRows);
    }

    public Future<Operation> find(UnitOfWork unit, UUID ownerId, UUID subjectId, UUID id) {
        return unit.query(tables.sql(FIND), Tuple.of(id, subjectId, ownerId)).compose(rows -> requireOne(rows, id));
    }

    /** Returns the operations that are past their deadline, the longest overdue first. */
    Future<List<DueOperation>> listDue(UnitOfWork unit, int limit) {
        return unit.query(tables.sql(LIST_DUE), Tuple.of(toUtc(unit.now()), limit))
                .map(rows -> {
                    var due = new ArrayList<DueOperation>(rows.size());
                    rows.forEach(row -> due.add(new DueOperation(row.getUUID("id"), subject(row))));
                    return due;
                });
    }

    Future<Operation> find(UUID ownerId, UUID subjectId, UUID id) {
        return reads.preparedQuery(tables.sql(FIND))
                .execute(Tuple.of(id, subjectId, ownerId))
                .compose(rows -> requireOne(rows, id));
    }

    /** The operations to list; null values do not restrict them. */
    record OperationFilter(
            @Nullable String status,
            @Nullable UUID projectId,
            @Nullable Kind kind) {}

    Future<Page<Operation>> list(
            UUID ownerId, UUID subjectId, OperationFilter filter, @Nullable Cursor after, int limit) {
        var kind = filter.kind;
        var parameters = Tuple.from(new @Nullable Object[] {
            subjectId,
            ownerId,
            filter.status,
            after == null ? null : toUtc(after.createdAt()),
            after == null ? null : after.id(),
            limit + 1,
            filter.projectId,
            kind == null ? null : kind.text()
        });
        return reads.preparedQuery(tables.sql(LIST))
                .execute(parameters)
                .map(rows -> Page.of(fromRows(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    static ProblemException notFound(UUID id) {
        return Problem.of(ErrorCode.OPERATION_NOT_FOUND, "Operation " + id + " was not found.")
                .asException();
    }

    private Future<Operation> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(notFound(id))
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private List<Operation> fromRows(RowSet<Row> rows) {
        var operations = new ArrayList<Operation>(rows.size());
        rows.forEach(row -> operations.add(fromRow(row)));
        return operations;
    }

    private Operation fromRow(Row row) {
        return new Operation(
                row.getUUID("id"),
                subject(row),
                TextEnum.parse(Kind.class, row.getString("kind")),
                row.getString("name"),
                row.getString("action"),
                TextEnum.parse(Status.class, row.getString("status")),
                new Progress(
                        row.getInteger("percent"),
                        row.getString("message"),
                        OperationJson.parseBlockers(row.getString("blockers"))),
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
                toInstantOrNull(row.getOffsetDateTime("started_at")),
                toInstantOrNull(row.getOffsetDateTime("ended_at")),
                row.getOffsetDateTime("deadline_at").toInstant(),
                row.getOffsetDateTime("due_at").toInstant(),
                attribution(row));
    }

    private SubjectRef subject(Row row) {
        return new SubjectRef(
                tables.kind(),
                row.getUUID("subject_id"),
                row.getUUID("org_id"),
                tables.hasAttribution() ? null : row.getUUID("project_id"));
    }

    private @Nullable Attribution attribution(Row row) {
        return tables.hasAttribution()
                ? new Attribution(
                        row.getUUID("project_id"), row.getUUID("attachment_id"), row.getString("principal_type"))
                : null;
    }

    private static OffsetDateTime toUtc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable OffsetDateTime toUtcOrNull(@Nullable Instant instant) {
        return instant == null ? null : toUtc(instant);
    }

    private static @Nullable Instant toInstantOrNull(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
