package dev.slipway.metering.rating;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.LineGroup;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * All SQL of the reconciliation of platform-managed apps over all tenants: raw facts, the sums of tenants and the booked charges. Without a slug, of all
 * such apps.
 */
public final class ReconciliationStore {
    private static final String FIND_GROUPS = """
            SELECT DISTINCT g.org_id, %s FROM usage_dimensions g WHERE ($1::text IS NULL OR g.app_slug = $1) AND g.operating_mode = 'platform_managed'
            """.formatted(FactSumStore.GROUP);
    private static final String SUM_FACTS = """
            SELECT f.org_id, f.unit, count(*) AS facts, sum(f.quantity) AS quantity FROM usage_facts f
            WHERE ($1::text IS NULL OR f.app_slug = $1) AND f.operating_mode = 'platform_managed' AND f.period = $2 GROUP BY f.org_id, f.unit
            """;
    private static final String SUM_TENANTS = """
            SELECT d.org_id, d.project_id, m.unit, sum(m.facts)::bigint AS facts, sum(m.quantity) AS quantity
            FROM usage_dimensions d JOIN usage_months m ON m.org_id = d.org_id AND m.dimension = d.dimension
            WHERE ($1::text IS NULL OR d.app_slug = $1) AND d.operating_mode = 'platform_managed' AND m.period = $2 GROUP BY d.org_id, d.project_id, m.unit
            """;
    /** The cost of a month can change without a fact of the app: tiers count the usage of all apps. */
    private static final String FIND_MONTHS = """
            SELECT m.org_id, m.month FROM usage_dimensions d JOIN usage_months m ON m.org_id = d.org_id AND m.dimension = d.dimension
            WHERE ($1::text IS NULL OR d.app_slug = $1) AND d.operating_mode = 'platform_managed' AND m.period = $2
            UNION
            SELECT l.org_id, l.usage_month FROM charges c JOIN rated_lines l ON l.id = c.line_id
            WHERE c.period = $2 AND c.amount <> 0 AND l.app_slug IN (
                SELECT app_slug FROM usage_dimensions WHERE ($1::text IS NULL OR app_slug = $1) AND operating_mode = 'platform_managed')
            """;

    private static final String FIND_CHARGES = """
            SELECT c.payer_id, c.amount, g.unit, %s FROM charges c JOIN rated_lines g ON g.id = c.line_id
            WHERE c.org_id = $1 AND c.period = $2 AND c.amount <> 0 AND ($3::text IS NULL OR g.app_slug = $3)
            """.formatted(FactSumStore.GROUP);
    private static final String FIND_UNACCOUNTED = """
            SELECT a.*, count(*) OVER () AS total FROM (
                SELECT f.fact_key, f.source, f.fact_id, f.org_id, f.project_id, f.unit, f.quantity,
                    CASE WHEN EXISTS (SELECT FROM unrated_facts u WHERE u.fact_key = f.fact_key) THEN 'unrated'
                        WHEN NOT EXISTS (SELECT FROM usage_months m WHERE m.org_id = f.org_id AND m.month = %1$s AND m.dimension = f.dimension
                            AND m.unit = f.unit AND m.unit_version = f.unit_version AND m.period = f.period) THEN 'not_summed'
                        WHEN NOT EXISTS (SELECT FROM rated_lines l WHERE l.org_id = f.org_id AND l.unit = f.unit AND l.usage_month = %1$s
                            AND (l.project_id, l.app_instance_id, l.shared_runtime_id, l.attachment_id, l.source_project_id, l.app_slug,
                                l.resource_type, l.resource_id) IS NOT DISTINCT FROM (f.project_id, f.app_instance_id, f.shared_runtime_id,
                                f.attachment_id, f.source_project_id, f.app_slug, f.resource_type, f.resource_id)) THEN 'not_charged'
                        END AS reason
                FROM usage_facts f WHERE ($1::text IS NULL OR f.app_slug = $1) AND f.operating_mode = 'platform_managed' AND f.period = $2) a
            WHERE a.reason IS NOT NULL ORDER BY a.fact_key LIMIT $3
            """.formatted(FactSumStore.USAGE_MONTH);

    /** A tenant, and the attribution of a line of the app. */
    record TenantGroup(UUID orgId, LineGroup group) {}

    /** A sum of facts; without a project, of the tenant itself. */
    record UsageTotal(UUID orgId, @Nullable UUID projectId, String unit, long facts, BigDecimal quantity) {}

    /** An amount that is charged to a project, or to the tenant itself. */
    record BookedCharge(@Nullable UUID payer, String unit, LineGroup group, BigDecimal amount) {}

    /** A fact that no line of a tenant contains. */
    record UnaccountedFact(
            String source,
            String factId,
            UUID orgId,
            @Nullable UUID projectId,
            String unit,
            BigDecimal quantity,
            String reason) {}

    record UnaccountedFacts(long total, List<UnaccountedFact> facts) {}

    /** Makes all statements see the same data. Must be the first statement of the transaction. */
    Future<Void> beginSnapshot(UnitOfWork unit) {
        return unit.query(ReconstructionStore.SNAPSHOT, Tuple.tuple()).mapEmpty();
    }

    /** Returns the attributions that belong to the app where the platform manages it. */
    Future<Set<TenantGroup>> findGroups(UnitOfWork unit, @Nullable String appSlug) {
        return unit.query(FIND_GROUPS, Tuple.of(appSlug)).map(rows -> {
            var groups = new HashSet<TenantGroup>();
            rows.forEach(row -> groups.add(new TenantGroup(row.getUUID("org_id"), RatingStore.group(row))));
            return groups;
        });
    }

    /** Sums the raw facts that are booked in a period. */
    Future<List<UsageTotal>> sumFacts(UnitOfWork unit, @Nullable String appSlug, LocalDate period) {
        return unit.query(SUM_FACTS, Tuple.of(appSlug, period))
                .map(rows -> RatingStore.list(rows, row -> total(row, null)));
    }

    /** Adds up the sums that tenants see, by project. */
    Future<List<UsageTotal>> sumTenants(UnitOfWork unit, @Nullable String appSlug, LocalDate period) {
        return unit.query(SUM_TENANTS, Tuple.of(appSlug, period))
                .map(rows -> RatingStore.list(rows, row -> total(row, row.getUUID("project_id"))));
    }

    private static UsageTotal total(Row row, @Nullable UUID projectId) {
        return new UsageTotal(
                row.getUUID("org_id"),
                projectId,
                row.getString("unit"),
                row.getLong("facts"),
                row.getBigDecimal("quantity"));
    }

    /** Returns the months of usage that the period has charges or facts of, by tenant. */
    Future<Map<UUID, Set<LocalDate>>> findMonths(UnitOfWork unit, @Nullable String appSlug, LocalDate period) {
        return unit.query(FIND_MONTHS, Tuple.of(appSlug, period)).map(ReconciliationStore::months);
    }

    private static Map<UUID, Set<LocalDate>> months(RowSet<Row> rows) {
        var months = new HashMap<UUID, Set<LocalDate>>();
        rows.forEach(row -> months.computeIfAbsent(row.getUUID("org_id"), first -> new HashSet<>())
                .add(row.getLocalDate("month")));
        return new TreeMap<>(months);
    }

    /** Returns the charges of lines of the app that are booked in a period, in all operating modes. */
    Future<List<BookedCharge>> findCharges(UnitOfWork unit, UUID orgId, LocalDate period, @Nullable String appSlug) {
        return unit.query(FIND_CHARGES, Tuple.of(orgId, period, appSlug))
                .map(rows -> RatingStore.list(
                        rows,
                        row -> new BookedCharge(
                                row.getUUID("payer_id"),
                                row.getString("unit"),
                                RatingStore.group(row),
                                row.getBigDecimal("amount"))));
    }

    /** Returns facts that are not rated, or that no sum or no charged line contains. */
    Future<UnaccountedFacts> findUnaccounted(UnitOfWork unit, @Nullable String appSlug, LocalDate period, int limit) {
        return unit.query(FIND_UNACCOUNTED, Tuple.of(appSlug, period, limit))
                .map(rows -> new UnaccountedFacts(
                        rows.size() == 0 ? 0 : rows.iterator().next().getLong("total"),
                        RatingStore.list(
                                rows,
                                row -> new UnaccountedFact(
                                        row.getString("source"),
                                        row.getString("fact_id"),
                                        row.getUUID("org_id"),
                                        row.getUUID("project_id"),
                                        row.getString("unit"),
                                        row.getBigDecimal("quantity"),
                                        row.getString("reason")))));
    }
}
