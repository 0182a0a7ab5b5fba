package dev.slipway.metering.runtimeusage;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of the usage of shared runtimes. Each report counts once, by the id that its adapter chose. */
public final class RuntimeUsageStore {
    private static final int MAX_TOTALS = 500;

    private static final String INSERT_RUNTIME = """
            INSERT INTO metered_runtimes (shared_runtime_id, org_id, app_slug) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;
    private static final String INSERT_USAGE = """
            INSERT INTO reported_runtime_usage (shared_runtime_id, usage_id, org_id, project_id, attachment_id, source_project_id, app_slug,
                unit, quantity, window_start, window_end, correlation_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (shared_runtime_id, usage_id) DO NOTHING
            """;
    private static final String FIND_RUNTIME =
            "SELECT app_slug FROM metered_runtimes WHERE shared_runtime_id = $1 AND org_id = $2";
    private static final String TOTALS = """
            SELECT u.shared_runtime_id, u.org_id, u.app_slug, u.project_id, u.attachment_id, u.source_project_id, u.unit,
                sum(u.quantity) AS quantity
            FROM reported_runtime_usage u
            """;
    private static final String GROUPS = """
             GROUP BY u.shared_runtime_id, u.org_id, u.app_slug, u.project_id, u.attachment_id, u.source_project_id, u.unit
            ORDER BY u.shared_runtime_id, u.project_id NULLS FIRST, u.source_project_id NULLS FIRST, u.unit LIMIT %d
            """.formatted(MAX_TOTALS);
    private static final String OF_RUNTIME = TOTALS + "WHERE u.shared_runtime_id = $1 AND u.org_id = $2" + GROUPS;
    private static final String OF_PROJECT = TOTALS + "WHERE u.project_id = $1 OR u.source_project_id = $1" + GROUPS;

    private final SqlClient reads;

    public RuntimeUsageStore(SqlClient reads) {
        this.reads = reads;
    }

    /** A usage report; which of the nullable fields it has depends on whom the usage belongs to. */
    record RuntimeUsage(
            UUID sharedRuntimeId,
            UUID usageId,
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId,
            String appSlug,
            String unit,
            BigDecimal quantity,
            Instant windowStart,
            Instant windowEnd) {}

    /** The total of one unit, for one combination of projects. */
    record UsageTotal(
            UUID sharedRuntimeId,
            UUID orgId,
            String appSlug,
            @Nullable UUID projectId,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId,
            String unit,
            BigDecimal quantity) {}

    void insertRuntime(UnitOfWork unit, UUID id, UUID orgId, String appSlug) {
        unit.write(INSERT_RUNTIME, Tuple.of(id, orgId, appSlug));
    }

    void insert(UnitOfWork unit, RuntimeUsage usage, String correlationId) {
        unit.write(INSERT_USAGE, Tuple.from(new @Nullable Object[] {
            usage.sharedRuntimeId,
            usage.usageId,
            usage.orgId,
            usage.projectId,
            usage.attachmentId,
            usage.sourceProjectId,
            usage.appSlug,
            usage.unit,
            usage.quantity,
            usage.windowStart.atOffset(ZoneOffset.UTC),
            usage.windowEnd.atOffset(ZoneOffset.UTC),
            correlationId
        }));
    }

    /** Returns the totals of a runtime, by project. A runtime of another organization is not found. */
    Future<List<UsageTotal>> listOfRuntime(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND_RUNTIME)
                .execute(Tuple.of(id, orgId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(Problem.of(
                                        ErrorCode.SHARED_RUNTIME_NOT_FOUND,
                                        "There is no shared runtime " + id + " here.")
                                .asException())
                        : reads.preparedQuery(OF_RUNTIME)
                                .execute(Tuple.of(id, orgId))
                                .map(RuntimeUsageStore::fromRows));
    }

    /** Returns the totals of what a project used and of what it contributed. */
    Future<List<UsageTotal>> listOfProject(UUID projectId) {
        return reads.preparedQuery(OF_PROJECT).execute(Tuple.of(projectId)).map(RuntimeUsageStore::fromRows);
    }

    private static List<UsageTotal> fromRows(RowSet<Row> rows) {
        var totals = new ArrayList<UsageTotal>(rows.size());
        rows.forEach(row -> totals.add(new UsageTotal(
                row.getUUID("shared_runtime_id"),
                row.getUUID("org_id"),
                row.getString("app_slug"),
                row.getUUID("project_id"),
                row.getUUID("attachment_id"),
                row.getUUID("source_project_id"),
                row.getString("unit"),
                row.getBigDecimal("quantity"))));
        return totals;
    }
}
