package dev.slipway.metering.runtimeusage;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of the totals of shared runtimes. */
public final class RuntimeUsageStore {
    /** The most totals in a response. One more is read, to know whether there are others. */
    static final int MAX_TOTALS = 500;

    private static final String FIND_RUNTIME =
            "SELECT app_slug FROM metered_runtimes WHERE shared_runtime_id = $1 AND org_id = $2";
    /** The running time of the controller is not part of the totals: it has its own lines. */
    private static final String TOTALS = """
            SELECT d.shared_runtime_id, d.org_id, d.app_slug, d.project_id, d.attachment_id, d.source_project_id, u.unit,
                sum(u.quantity) AS quantity
            FROM usage_dimensions d JOIN usage_months u ON u.dimension = d.dimension
            WHERE d.shared_runtime_id IS NOT NULL AND d.source <> 'lifecycle' AND
            """;

    private static final String GROUPS = """
             GROUP BY d.shared_runtime_id, d.org_id, d.app_slug, d.project_id, d.attachment_id, d.source_project_id, u.unit
            ORDER BY d.shared_runtime_id, d.project_id NULLS FIRST, d.source_project_id NULLS FIRST, u.unit LIMIT %d
            """.formatted(MAX_TOTALS + 1);
    private static final String OF_RUNTIME = TOTALS + " d.shared_runtime_id = $1 AND d.org_id = $2" + GROUPS;
    private static final String OF_PROJECT =
            TOTALS + " d.org_id = $2 AND (d.project_id = $1 OR d.source_project_id = $1)" + GROUPS;

    private final SqlClient reads;

    public RuntimeUsageStore(SqlClient reads) {
        this.reads = reads;
    }

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
    Future<List<UsageTotal>> listOfProject(UUID orgId, UUID projectId) {
        return reads.preparedQuery(OF_PROJECT)
                .execute(Tuple.of(projectId, orgId))
                .map(RuntimeUsageStore::fromRows);
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
