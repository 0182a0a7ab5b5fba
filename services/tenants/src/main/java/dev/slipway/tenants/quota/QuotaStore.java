package dev.slipway.tenants.quota;

import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.quota.domain.TenantUsage;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** All SQL of quotas and usage. A count grows by a conditional update of its row, so that parallel writers cannot exceed a limit. */
public final class QuotaStore {
    private static final String FIND_QUOTAS = """
            SELECT max_users, max_storage_bytes, api_rate_limit, max_objects, max_records_per_object, max_deployments_per_day
            FROM plan_quotas WHERE plan = $1
            """;
    private static final String FIND_USAGE = """
            SELECT u.current_storage_bytes, u.last_updated_at,
                (SELECT count(*) FROM tenant_users t WHERE t.tenant_id = u.tenant_id) AS users,
                (SELECT r.granted FROM tenant_requests r WHERE r.tenant_id = u.tenant_id AND r.minute = $3) AS requests,
                CASE WHEN u.deployments_day = $2 THEN u.deployments_today ELSE 0 END AS deployments_today,
                (SELECT count(*) FROM deployed_objects o WHERE o.tenant_id = u.tenant_id) AS objects,
                (SELECT coalesce(sum(record_count), 0)::bigint FROM object_usage o WHERE o.tenant_id = u.tenant_id) AS records
            FROM tenant_usage u WHERE u.tenant_id = $1
            """;
    private static final String FIND_RECORDS =
            "SELECT record_count FROM object_usage WHERE tenant_id = $1 AND object_name = $2";
    private static final String INSERT_RECORDS =
            "INSERT INTO object_usage (tenant_id, object_name) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    private static final String ADD_RECORDS = """
            UPDATE object_usage SET record_count = record_count + $3
            WHERE tenant_id = $1 AND object_name = $2 AND ($4::bigint IS NULL OR record_count + $3 <= $4)
            """;
    private static final String REMOVE_RECORDS = """
            UPDATE object_usage SET record_count = greatest(record_count - $3, 0) WHERE tenant_id = $1 AND object_name = $2
            """;
    private static final String CLAIM_DUE = """
            SELECT t.* FROM tenants t JOIN tenant_usage u USING (tenant_id)
            WHERE t.status IN ('active', 'suspended') AND (u.last_updated_at IS NULL OR u.last_updated_at < $1)
            ORDER BY u.last_updated_at NULLS FIRST LIMIT 1 FOR UPDATE OF u SKIP LOCKED
            """;
    private static final String LOCK_RECORDS =
            "SELECT object_name FROM object_usage WHERE tenant_id = $1 ORDER BY object_name FOR UPDATE";
    private static final String SET_RECORDS = """
            INSERT INTO object_usage (tenant_id, object_name, record_count) VALUES ($1, $2, $3)
            ON CONFLICT (tenant_id, object_name) DO UPDATE SET record_count = $3
            """;
    private static final String DELETE_MISSING_RECORDS =
            "DELETE FROM object_usage WHERE tenant_id = $1 AND NOT object_name = ANY($2)";
    private static final String SET_USAGE =
            "UPDATE tenant_usage SET current_storage_bytes = $2, last_updated_at = $3 WHERE tenant_id = $1";
    /** Parallel registrations of users of one tenant wait for each other. */
    private static final String LOCK_USERS =
            "SELECT pg_advisory_xact_lock(hashtextextended('users ' || $1::uuid::text, 0))";

    private static final String COUNT_USERS = """
            SELECT count(*) AS users, coalesce(bool_or(user_id = $2), false) AS registered FROM tenant_users WHERE tenant_id = $1
            """;
    private static final String UPSERT_USER = """
            INSERT INTO tenant_users (tenant_id, user_id, last_seen_at) VALUES ($1, $2, $3)
            ON CONFLICT (tenant_id, user_id) DO UPDATE SET last_seen_at = $3
            """;
    private static final String LIST_USERS = "SELECT user_id FROM tenant_users WHERE tenant_id = $1";
    private static final String DELETE_USERS =
            "DELETE FROM tenant_users WHERE tenant_id = $1 AND (last_seen_at < $2 OR user_id = ANY($3))";
    /** $3 permits of the limit $4. A process whose clock is behind takes them from the minute of the others. */
    private static final String TAKE_REQUESTS = """
            UPDATE tenant_requests SET minute = greatest(minute, $2), total = total + $5,
                last_grant = greatest(least($3, $4 - CASE WHEN minute < $2 THEN 0 ELSE granted END), 0),
                granted = CASE WHEN minute < $2 THEN 0 ELSE granted END
                    + greatest(least($3, $4 - CASE WHEN minute < $2 THEN 0 ELSE granted END), 0)
            WHERE tenant_id = $1 RETURNING last_grant
            """;

    private static final String LOCK_UNREPORTED =
            "SELECT total - reported AS unreported FROM tenant_requests WHERE tenant_id = $1 FOR UPDATE";
    private static final String SET_REPORTED = "UPDATE tenant_requests SET reported = total WHERE tenant_id = $1";

    private final SqlClient reads;

    public QuotaStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Quotas> findQuotas(TenantPlan plan) {
        return reads.preparedQuery(FIND_QUOTAS)
                .execute(Tuple.of(plan.text()))
                .map(rows -> quotas(rows.iterator().next()));
    }

    /** Returns the usage, with the requests that processes have taken in this minute. */
    public Future<TenantUsage> findUsage(UUID tenantId, Instant now) {
        return findUsage(QueryExecutor.of(reads), tenantId, now);
    }

    public Future<TenantUsage> findUsage(QueryExecutor executor, UUID tenantId, Instant now) {
        return executor.query(FIND_USAGE, Tuple.of(tenantId, day(now), now.toEpochMilli() / RequestCounter.MINUTE_MS))
                .map(rows -> usage(rows.iterator().next()));
    }

    public Future<Long> countRecords(UUID tenantId, String objectName) {
        return countRecords(QueryExecutor.of(reads), tenantId, objectName);
    }

    Future<Long> countRecords(QueryExecutor executor, UUID tenantId, String objectName) {
        return executor.query(FIND_RECORDS, Tuple.of(tenantId, objectName))
                .map(rows -> rows.size() == 0 ? 0L : rows.iterator().next().getLong("record_count"));
    }

    /** Adds records within the limit and locks the count until the end of the transaction. Returns false if the limit does not allow it. */
    Future<Boolean> addRecords(UnitOfWork unit, UUID tenantId, String objectName, long amount, @Nullable Long limit) {
        unit.write(INSERT_RECORDS, Tuple.of(tenantId, objectName));
        return unit.query(ADD_RECORDS, Tuple.of(tenantId, objectName, amount, limit))
                .map(rows -> rows.rowCount() > 0);
    }

    public void removeRecords(UnitOfWork unit, UUID tenantId, String objectName, long amount) {
        unit.write(REMOVE_RECORDS, Tuple.of(tenantId, objectName, amount));
    }

    /** Locks the usage of a tenant that was not measured since the given time; null if there is none. */
    Future<@Nullable Tenant> claimDue(UnitOfWork unit, Instant before) {
        return unit.query(CLAIM_DUE, Tuple.of(SqlTime.of(before)))
                .map(rows -> rows.size() == 0
                        ? null
                        : TenantStore.tenant(rows.iterator().next()));
    }

    /** Locks the counts of all objects: writers of records wait, so that counting sees all of them. */
    Future<List<String>> lockRecordCounts(UnitOfWork unit, UUID tenantId) {
        return unit.query(LOCK_RECORDS, Tuple.of(tenantId)).map(rows -> {
            var names = new ArrayList<String>();
            rows.forEach(row -> names.add(row.getString("object_name")));
            return names;
        });
    }

    void setRecords(UnitOfWork unit, UUID tenantId, String objectName, long count) {
        unit.write(SET_RECORDS, Tuple.of(tenantId, objectName, count));
    }

    void deleteMissingRecords(UnitOfWork unit, UUID tenantId, List<String> existing) {
        unit.write(
                DELETE_MISSING_RECORDS,
                Tuple.tuple().addUUID(tenantId).addArrayOfString(existing.toArray(String[]::new)));
    }

    void setUsage(UnitOfWork unit, UUID tenantId, long storageBytes) {
        unit.write(SET_USAGE, Tuple.of(tenantId, storageBytes, SqlTime.of(unit.now())));
    }

    /** The users of a tenant, and whether one of them is a certain user. */
    record RegisteredUsers(long count, boolean includesUser) {}

    /** Counts the users of a tenant, and locks them until the end of the transaction. */
    Future<RegisteredUsers> lockUsers(UnitOfWork unit, UUID tenantId, UUID userId) {
        return unit.query(LOCK_USERS, Tuple.of(tenantId))
                .compose(ok -> unit.query(COUNT_USERS, Tuple.of(tenantId, userId)))
                .map(rows -> {
                    var row = rows.iterator().next();
                    return new RegisteredUsers(row.getLong("users"), row.getBoolean("registered"));
                });
    }

    void upsertUser(UnitOfWork unit, UUID tenantId, UUID userId) {
        unit.write(UPSERT_USER, Tuple.of(tenantId, userId, SqlTime.of(unit.now())));
    }

    Future<List<UUID>> listUsers(UnitOfWork unit, UUID tenantId) {
        return unit.query(LIST_USERS, Tuple.of(tenantId)).map(rows -> {
            var ids = new ArrayList<UUID>();
            rows.forEach(row -> ids.add(row.getUUID("user_id")));
            return ids;
        });
    }

    /** Deletes users that were not seen since the given time, and the given ones. */
    void deleteUsers(UnitOfWork unit, UUID tenantId, Instant before, List<UUID> userIds) {
        unit.write(
                DELETE_USERS,
                Tuple.tuple()
                        .addUUID(tenantId)
                        .addValue(SqlTime.of(before))
                        .addArrayOfUUID(userIds.toArray(UUID[]::new)));
    }

    /** Takes permits of the limit of a minute and adds requests to the total. Returns how many permits there were. */
    Future<Long> takeRequests(UnitOfWork unit, UUID tenantId, long minute, long permits, long limit, long requests) {
        return unit.query(TAKE_REQUESTS, Tuple.of(tenantId, minute, permits, limit, requests))
                .map(rows -> rows.size() == 0 ? 0L : rows.iterator().next().getLong("last_grant"));
    }

    /** Returns the requests since the last report, and marks them as reported. */
    Future<Long> takeUnreported(UnitOfWork unit, UUID tenantId) {
        return unit.query(LOCK_UNREPORTED, Tuple.of(tenantId)).map(rows -> {
            unit.write(SET_REPORTED, Tuple.of(tenantId));
            return rows.size() == 0 ? 0L : rows.iterator().next().getLong("unreported");
        });
    }

    private static LocalDate day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    private static TenantUsage usage(Row row) {
        return new TenantUsage(
                row.getLong("users"),
                row.getLong("current_storage_bytes"),
                row.getLong("objects"),
                row.getLong("records"),
                row.getLong("deployments_today"),
                Objects.requireNonNullElse(row.getLong("requests"), 0L),
                SqlTime.readNullable(row, "last_updated_at"));
    }

    private static Quotas quotas(Row row) {
        return new Quotas(
                row.getLong("max_users"),
                row.getLong("max_storage_bytes"),
                row.getLong("api_rate_limit"),
                row.getLong("max_objects"),
                row.getLong("max_records_per_object"),
                row.getLong("max_deployments_per_day"));
    }
}
