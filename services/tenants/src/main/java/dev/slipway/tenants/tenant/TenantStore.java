package dev.slipway.tenants.tenant;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import dev.slipway.tenants.tenant.domain.DatabaseNames;
import dev.slipway.tenants.tenant.domain.DatabaseProvider;
import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantEvent;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of tenants. */
public final class TenantStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "tenants",
            "tenant_id",
            "org_id",
            "display_name",
            "admin_email",
            "plan",
            "region",
            "isolation_level",
            "database_provider",
            "status",
            "database_name",
            "schema_name",
            "owner_role",
            "role_name",
            "table_prefix",
            "sequence",
            "generation",
            "error",
            "destroy_after",
            "final_dump",
            "created_at",
            "updated_at",
            "provisioned_at");
    private static final String LIST = COLUMNS.select() + """
            WHERE org_id = $1 AND ($2::text IS NULL OR status = $2)
                AND ($3::timestamptz IS NULL OR (created_at, tenant_id) < ($3, $4))
            ORDER BY created_at DESC, tenant_id DESC LIMIT $5
            """;
    private static final String FIND = COLUMNS.select() + "WHERE org_id = $1 AND tenant_id = $2";
    private static final String LOCK = FIND + " FOR UPDATE";
    /** Finds a tenant for the router and the worker, which check the organization of the tenant themselves or act for the platform. */
    private static final String FIND_BY_ID = COLUMNS.select() + "WHERE tenant_id = $1";

    private static final String LIST_USABLE = COLUMNS.select() + """
            WHERE org_id = ANY($1) AND status IN ('active', 'suspended') AND ($2::text IS NULL OR display_name = $2)
            ORDER BY tenant_id LIMIT 2
            """;
    private static final String LOCK_BY_ID = FIND_BY_ID + " FOR UPDATE";
    private static final String INSERT = COLUMNS.insert();
    private static final String INSERT_USAGE = "INSERT INTO tenant_usage (tenant_id) VALUES ($1)";
    private static final String INSERT_REQUESTS = "INSERT INTO tenant_requests (tenant_id) VALUES ($1)";
    private static final String UPDATE = COLUMNS.update(
            List.of("tenant_id"),
            "plan",
            "status",
            "sequence",
            "generation",
            "error",
            "destroy_after",
            "final_dump",
            "updated_at",
            "provisioned_at");
    private static final String UPDATE_SEQUENCE = "UPDATE tenants SET sequence = $2 WHERE tenant_id = $1";
    private static final String REQUIRE_ACCESS_CHANGE = """
            UPDATE tenants SET access_pending = true WHERE tenant_id = $1 AND database_provider = 'postgres' AND provisioned_at IS NOT NULL
            """;
    private static final String LOCK_FOR_ACCESS_CHANGE = FIND_BY_ID + " AND access_pending FOR UPDATE";
    private static final String CLEAR_ACCESS_CHANGE =
            "UPDATE tenants SET access_pending = false WHERE tenant_id = $1 AND generation = $2";
    private static final String INCREMENT_GENERATION =
            "UPDATE tenants SET generation = generation + 1 WHERE tenant_id = $1 RETURNING " + COLUMNS.list();
    private static final String DELETE = "DELETE FROM tenants WHERE tenant_id = $1";

    private final SqlClient reads;

    public TenantStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Page<Tenant>> list(UUID orgId, @Nullable String status, @Nullable Cursor cursor, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(
                        orgId,
                        status,
                        cursor == null ? null : SqlTime.of(cursor.createdAt()),
                        cursor == null ? null : cursor.id(),
                        limit + 1))
                .map(rows -> Page.of(tenants(rows), limit, tenant -> new Cursor(tenant.createdAt(), tenant.id())));
    }

    /** Returns the tenant of the organization, or null. */
    public Future<@Nullable Tenant> find(UUID orgId, UUID tenantId) {
        return QueryExecutor.of(reads).query(FIND, Tuple.of(orgId, tenantId)).map(TenantStore::first);
    }

    /** Returns a tenant of any organization, or null. The caller checks that the organization is the caller's. */
    public Future<@Nullable Tenant> findById(UUID tenantId) {
        return QueryExecutor.of(reads).query(FIND_BY_ID, Tuple.of(tenantId)).map(TenantStore::first);
    }

    /** Returns up to two provisioned tenants of the organizations, with the name if one is given. */
    public Future<List<Tenant>> findUsable(List<UUID> orgIds, @Nullable String displayName) {
        return reads.preparedQuery(LIST_USABLE)
                .execute(Tuple.of(orgIds.toArray(UUID[]::new), displayName))
                .map(TenantStore::tenants);
    }

    /** Locks the tenant of the organization; null if there is none. */
    public Future<@Nullable Tenant> lock(UnitOfWork unit, UUID orgId, UUID tenantId) {
        return unit.query(LOCK, Tuple.of(orgId, tenantId)).map(TenantStore::first);
    }

    public Future<@Nullable Tenant> lockById(UnitOfWork unit, UUID tenantId) {
        return unit.query(LOCK_BY_ID, Tuple.of(tenantId)).map(TenantStore::first);
    }

    public void insert(UnitOfWork unit, Tenant tenant) {
        var names = tenant.names();
        unit.insert(INSERT, Tuple.from(new @Nullable Object[] {
            tenant.id(),
            tenant.orgId(),
            tenant.displayName(),
            tenant.adminEmail(),
            tenant.plan().text(),
            tenant.region(),
            tenant.isolationLevel().text(),
            tenant.databaseProvider().text(),
            tenant.status().text(),
            names.database(),
            names.schema(),
            names.owner(),
            names.role(),
            names.tablePrefix(),
            tenant.sequence(),
            tenant.generation(),
            tenant.error(),
            SqlTime.ofNullable(tenant.destroyAfter()),
            tenant.finalDump(),
            SqlTime.of(tenant.createdAt()),
            SqlTime.of(tenant.updatedAt()),
            SqlTime.ofNullable(tenant.provisionedAt())
        }));
        unit.insert(INSERT_USAGE, Tuple.of(tenant.id()));
        unit.insert(INSERT_REQUESTS, Tuple.of(tenant.id()));
        appendEvent(unit, tenant, new TenantEvent.Requested());
        publishSnapshot(unit, tenant);
    }

    /** Stores the next state with its event, and invalidates cached copies in all processes. */
    public void update(UnitOfWork unit, Tenant next, TenantEvent event) {
        unit.write(UPDATE, Tuple.from(new @Nullable Object[] {
            next.id(),
            next.plan().text(),
            next.status().text(),
            next.sequence(),
            next.generation(),
            next.error(),
            SqlTime.ofNullable(next.destroyAfter()),
            next.finalDump(),
            SqlTime.of(next.updatedAt()),
            SqlTime.ofNullable(next.provisionedAt())
        }));
        appendEvent(unit, next, event);
        publishSnapshot(unit, next);
    }

    /** Appends an event that leaves the tenant as it is, apart from the number of the event. */
    public Tenant appendStepEvent(UnitOfWork unit, Tenant tenant, TenantEvent event) {
        var next = tenant.withNextSequence();
        unit.write(UPDATE_SEQUENCE, Tuple.of(next.id(), next.sequence()));
        appendEvent(unit, next, event);
        return next;
    }

    /** Records that the rights in the database have to be changed. */
    public void requireAccessChange(UnitOfWork unit, UUID tenantId) {
        unit.write(REQUIRE_ACCESS_CHANGE, Tuple.of(tenantId));
    }

    /** Locks the tenant if the rights in its database have to be changed; otherwise null. */
    public Future<@Nullable Tenant> lockForAccessChange(UnitOfWork unit, UUID tenantId) {
        return unit.query(LOCK_FOR_ACCESS_CHANGE, Tuple.of(tenantId)).map(TenantStore::first);
    }

    /** Records that the rights match the state with this generation. */
    public void clearAccessChange(UnitOfWork unit, Tenant tenant) {
        unit.write(CLEAR_ACCESS_CHANGE, Tuple.of(tenant.id(), tenant.generation()));
    }

    /** Deletes the tenant and everything that belongs to it. */
    public void delete(UnitOfWork unit, Tenant tenant, @Nullable UUID dumpId) {
        appendEvent(unit, tenant.withNextSequence(), new TenantEvent.Destroyed(dumpId));
        unit.publishTombstone(Topics.TENANTS_STATE, tenant.id().toString(), TenantJson.SNAPSHOT);
        unit.write(DELETE, Tuple.of(tenant.id()));
    }

    /** Invalidates cached copies of the tenant in all processes, because its deployed objects or quotas have changed. */
    public Future<Void> invalidateCaches(UnitOfWork unit, UUID tenantId) {
        return unit.query(INCREMENT_GENERATION, Tuple.of(tenantId)).map(rows -> {
            rows.forEach(row -> publishSnapshot(unit, tenant(row)));
            return null;
        });
    }

    /** Throws a problem if the tenant does not exist in the organization. */
    public static Tenant required(@Nullable Tenant tenant) {
        if (tenant == null) {
            throw Problem.of(ErrorCode.TENANT_NOT_FOUND, "The organization has no tenant with this id.")
                    .asException();
        }
        return tenant;
    }

    private static void appendEvent(UnitOfWork unit, Tenant tenant, TenantEvent event) {
        unit.publish(Topics.TENANTS_EVENTS, tenant.id().toString(), event.type(), TenantJson.event(tenant, event));
    }

    private static void publishSnapshot(UnitOfWork unit, Tenant tenant) {
        unit.publish(Topics.TENANTS_STATE, tenant.id().toString(), TenantJson.SNAPSHOT, TenantJson.snapshot(tenant));
    }

    private static @Nullable Tenant first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : tenant(rows.iterator().next());
    }

    private static List<Tenant> tenants(RowSet<Row> rows) {
        var found = new ArrayList<Tenant>(rows.size());
        rows.forEach(row -> found.add(tenant(row)));
        return found;
    }

    public static Tenant tenant(Row row) {
        return new Tenant(
                row.getUUID("tenant_id"),
                row.getUUID("org_id"),
                row.getString("display_name"),
                row.getString("admin_email"),
                TextEnum.parse(TenantPlan.class, row.getString("plan")),
                row.getString("region"),
                TextEnum.parse(IsolationLevel.class, row.getString("isolation_level")),
                TextEnum.parse(DatabaseProvider.class, row.getString("database_provider")),
                TextEnum.parse(TenantStatus.class, row.getString("status")),
                new DatabaseNames(
                        row.getString("database_name"),
                        row.getString("schema_name"),
                        row.getString("owner_role"),
                        row.getString("role_name"),
                        row.getString("table_prefix")),
                row.getLong("sequence"),
                row.getLong("generation"),
                row.getString("error"),
                SqlTime.readNullable(row, "destroy_after"),
                row.getBoolean("final_dump"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"),
                SqlTime.readNullable(row, "provisioned_at"));
    }
}
