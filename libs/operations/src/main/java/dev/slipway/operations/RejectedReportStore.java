package dev.slipway.operations;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.OperationBlockers.RejectedReports;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;

/** All SQL of rejected reports. */
public final class RejectedReportStore {
    private static final Duration RETENTION = Duration.ofDays(30);

    /** Spans all tenants: a report names an instance, and the platform determines whose it is. */
    private static final String FIND_INSTANCE_OWNER = """
            SELECT i.org_id, i.project_id, v.runtime_backend FROM app_instances i JOIN app_versions v ON v.id = i.app_version_id WHERE i.id = $1
            """;

    private static final String FIND_RUNTIME_OWNER = """
            SELECT r.org_id, NULL::uuid AS project_id, v.runtime_backend
            FROM shared_runtimes r JOIN app_versions v ON v.id = r.app_version_id WHERE r.id = $1
            """;

    private static final TableColumns COLUMNS = TableColumns.of(
            "rejected_reports",
            "id",
            "rejected_at",
            "report_event_id",
            "report_event_type",
            "code",
            "reason",
            "correlation_id",
            "adapter_id",
            "org_id",
            "project_id",
            "runtime_backend",
            "subject_kind",
            "subject_id",
            "command_id");
    private static final String INSERT = COLUMNS.insert();
    private static final String LIST = COLUMNS.select() + """
            WHERE ($1::timestamptz IS NULL OR (rejected_at, id) < ($1, $2::uuid)) AND ($4::text IS NULL OR correlation_id = $4) AND %s
            ORDER BY rejected_at DESC, id DESC LIMIT $3
            """;
    private static final String LIST_ALL = LIST.formatted("true");
    private static final String LIST_OF_PROJECT =
            LIST.formatted("project_id = $5 AND ($6::uuid IS NULL OR subject_id = $6)");
    private static final String LIST_OF_SHARED_RUNTIME =
            LIST.formatted("org_id = $5 AND subject_id = $6 AND subject_kind = 'shared_runtime'");
    private static final String LIST_OF_ADAPTER = LIST.formatted("""
            (adapter_id = $5 OR adapter_id IS NULL AND runtime_backend = (SELECT runtime_backend FROM adapters WHERE id = $5))""");
    private static final String SUMMARIZE = """
            SELECT count(*) AS count, (array_agg(code || ': ' || reason ORDER BY rejected_at DESC, id DESC))[1] AS last_reason
            FROM rejected_reports WHERE org_id = $1 AND subject_id = $2 AND command_id = $3
            """;
    private static final String DELETE_EXPIRED = "DELETE FROM rejected_reports WHERE rejected_at < $1";

    private final SqlClient reads;

    public RejectedReportStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The owner and backend of an instance or shared runtime; the latter has no project. */
    record SubjectOwner(UUID orgId, @Nullable UUID projectId, String runtimeBackend) {}

    /** Returns null for an unknown subject. */
    Future<@Nullable SubjectOwner> findOwner(UnitOfWork unit, SubjectKind kind, UUID id) {
        var sql =
                switch (kind) {
                    case APP_INSTANCE -> FIND_INSTANCE_OWNER;
                    case SHARED_RUNTIME -> FIND_RUNTIME_OWNER;
                };
        return unit.query(sql, Tuple.of(id)).map(rows -> {
            if (rows.size() == 0) {
                return null;
            }
            var row = rows.iterator().next();
            return new SubjectOwner(row.getUUID("org_id"), row.getUUID("project_id"), row.getString("runtime_backend"));
        });
    }

    void insert(UnitOfWork unit, RejectedReport report) {
        unit.write(INSERT, Tuple.from(new @Nullable Object[] {
            report.id(),
            report.rejectedAt().atOffset(ZoneOffset.UTC),
            report.reportEventId(),
            report.reportEventType(),
            report.code(),
            report.reason(),
            report.correlationId(),
            report.adapterId(),
            report.orgId(),
            report.projectId(),
            report.runtimeBackend(),
            report.subjectKind().text(),
            report.subjectId(),
            report.commandId()
        }));
    }

    /** Returns how many reports on a command were rejected, and why; null if none was. */
    public Future<@Nullable RejectedReports> summarize(UnitOfWork unit, SubjectRef subject, @Nullable UUID commandId) {
        return unit.query(SUMMARIZE, Tuple.of(subject.orgId(), subject.id(), commandId))
                .map(rows -> {
                    var row = rows.iterator().next();
                    return row.getLong("count") == 0
                            ? null
                            : new RejectedReports(row.getLong("count"), row.getString("last_reason"));
                });
    }

    Future<Page<RejectedReport>> list(@Nullable Cursor after, int limit, @Nullable String correlationId) {
        return list(LIST_ALL, parameters(after, limit, correlationId), limit);
    }

    Future<Page<RejectedReport>> listOfProject(
            UUID projectId,
            @Nullable UUID instanceId,
            @Nullable Cursor after,
            int limit,
            @Nullable String correlationId) {
        var parameters =
                parameters(after, limit, correlationId).addUUID(projectId).addUUID(instanceId);
        return list(LIST_OF_PROJECT, parameters, limit);
    }

    Future<Page<RejectedReport>> listOfSharedRuntime(
            UUID orgId, UUID runtimeId, @Nullable Cursor after, int limit, @Nullable String correlationId) {
        var parameters = parameters(after, limit, correlationId).addUUID(orgId).addUUID(runtimeId);
        return list(LIST_OF_SHARED_RUNTIME, parameters, limit);
    }

    Future<Page<RejectedReport>> listOfAdapter(
            UUID adapterId, @Nullable Cursor after, int limit, @Nullable String correlationId) {
        return list(LIST_OF_ADAPTER, parameters(after, limit, correlationId).addUUID(adapterId), limit);
    }

    /** Deletes the reports that were rejected more than 30 days ago. */
    public void deleteExpired(UnitOfWork unit) {
        unit.write(DELETE_EXPIRED, Tuple.of(unit.now().minus(RETENTION).atOffset(ZoneOffset.UTC)));
    }

    private static Tuple parameters(@Nullable Cursor after, int limit, @Nullable String correlationId) {
        return Tuple.of(
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1,
                correlationId);
    }

    private Future<Page<RejectedReport>> list(String sql, Tuple parameters, int limit) {
        return reads.preparedQuery(sql).execute(parameters).map(rows -> {
            var found = new ArrayList<RejectedReport>(rows.size());
            rows.forEach(row -> found.add(fromRow(row)));
            return Page.of(found, limit, RejectedReport::cursor);
        });
    }

    private static RejectedReport fromRow(Row row) {
        return new RejectedReport(
                row.getUUID("id"),
                row.getOffsetDateTime("rejected_at").toInstant(),
                row.getUUID("report_event_id"),
                row.getString("report_event_type"),
                row.getString("code"),
                row.getString("reason"),
                row.getString("correlation_id"),
                row.getUUID("adapter_id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("runtime_backend"),
                TextEnum.parse(SubjectKind.class, row.getString("subject_kind")),
                row.getUUID("subject_id"),
                row.getUUID("command_id"));
    }
}
