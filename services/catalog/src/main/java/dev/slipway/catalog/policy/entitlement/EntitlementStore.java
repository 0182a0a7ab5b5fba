package dev.slipway.catalog.policy.entitlement;

import dev.slipway.catalog.policy.entitlement.EntitlementJson.Snapshot;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.UpdatedEvent;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Stores entitlements. Every change publishes an event and a snapshot. */
public final class EntitlementStore {
    private static final TableColumns COLUMNS = TableColumns.of(
                    "project_app_entitlements",
                    "id",
                    "org_id",
                    "project_id",
                    "app_id",
                    "enabled",
                    "policy_overrides",
                    "updated_by_user_id",
                    "revision",
                    "created_at",
                    "updated_at")
            .withJson("policy_overrides");
    private static final String SELECT_ALL = "SELECT a.slug, " + COLUMNS.listOf("e") + """
             FROM project_app_entitlements e JOIN app_catalog a ON a.id = e.app_id
            """;
    /** Placeholders, which have revision 0, have no snapshot. */
    public static final String AFTER_ID =
            SELECT_ALL + "WHERE e.id > $1 AND e.revision > 0 ORDER BY e.id LIMIT $2 FOR SHARE OF e";

    private static final String SELECT = SELECT_ALL + "WHERE e.project_id = $1 AND e.org_id = $2 ";
    private static final String FIND = SELECT + "AND a.slug = $3";
    private static final String LOCK = FIND + " FOR UPDATE OF e";
    private static final String LIST = SELECT + """
            AND ($3::timestamptz IS NULL OR (e.created_at, e.id) < ($3, $4::uuid))
            ORDER BY e.created_at DESC, e.id DESC LIMIT $5
            """;
    private static final String INSERT_PLACEHOLDER = """
            INSERT INTO project_app_entitlements (id, org_id, project_id, app_id, revision, created_at, updated_at)
            SELECT $4, p.org_id, p.id, a.id, 0, $5, $5 FROM projects p, app_catalog a
            WHERE p.id = $1 AND p.org_id = $2 AND a.slug = $3
                AND EXISTS (SELECT FROM app_versions v WHERE v.app_id = a.id AND v.published_at IS NOT NULL)
            ON CONFLICT DO NOTHING
            """;
    private static final String UPDATE = COLUMNS.update(
            List.of("id", "project_id", "org_id"),
            "enabled",
            "policy_overrides",
            "updated_by_user_id",
            "revision",
            "updated_at");
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String PROJECT = "INSERT INTO projects (id, org_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";

    private final SqlClient reads;

    public EntitlementStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<Entitlement>> list(UUID orgId, UUID projectId, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                projectId,
                orgId,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(row).map(rows -> {
            var found = new ArrayList<Entitlement>();
            rows.forEach(each -> found.add(fromRow(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Entitlement> find(UUID orgId, UUID projectId, String appSlug) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(projectId, orgId, appSlug))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(Problem.of(
                                        ErrorCode.ENTITLEMENT_NOT_FOUND,
                                        "This project has no entitlement to app " + appSlug + ".")
                                .asException())
                        : Future.succeededFuture(fromRow(rows.iterator().next())));
    }

    /**
     * Locks an entitlement, inserting a placeholder if it does not exist, so that concurrent first writes are serialized. Returns null if
     * the app does not exist or was never published, or the project is not replicated yet.
     */
    static Future<@Nullable Entitlement> lock(UnitOfWork unit, UUID orgId, UUID projectId, String appSlug) {
        unit.write(INSERT_PLACEHOLDER, Tuple.of(projectId, orgId, appSlug, Ids.next(), SqlTime.of(unit.now())));
        return unit.query(LOCK, Tuple.of(projectId, orgId, appSlug))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    static void update(UnitOfWork unit, Entitlement next) {
        unit.write(UPDATE, Tuple.from(new Object[] {
            next.id(),
            next.projectId(),
            next.orgId(),
            next.enabled(),
            Json.text(next.policyOverrides()),
            next.updatedByUserId(),
            next.version(),
            SqlTime.of(next.updatedAt())
        }));
        appendEvents(unit, next);
    }

    /** Inserts an entitlement if it does not exist. */
    public static Future<Void> insertIfMissing(
            UnitOfWork unit, UUID id, UUID orgId, UUID projectId, UUID appId, String appSlug) {
        unit.write(PROJECT, Tuple.of(projectId, orgId));
        var now = unit.now();
        var seed = new Entitlement(id, orgId, projectId, appId, appSlug, true, Json.object(), null, 1, now, now);
        return unit.query(INSERT, toRow(seed)).map(inserted -> {
            if (inserted.size() > 0) {
                appendEvents(unit, seed);
            }
            return null;
        });
    }

    /** Publishes the snapshot of a row of {@link #AFTER_ID} again. */
    public static void republish(UnitOfWork unit, Row row) {
        publishSnapshot(unit, fromRow(row));
    }

    private static void appendEvents(UnitOfWork unit, Entitlement entitlement) {
        unit.publish(
                Topics.CATALOG_EVENTS,
                entitlement.projectId().toString(),
                "apps.entitlement.updated",
                Json.toObject(UpdatedEvent.of(entitlement)));
        publishSnapshot(unit, entitlement);
    }

    private static void publishSnapshot(UnitOfWork unit, Entitlement entitlement) {
        unit.publish(
                Topics.CATALOG_STATE,
                "entitlement:" + entitlement.id(),
                "catalog.entitlement.snapshot",
                Json.toObject(Snapshot.of(entitlement)));
    }

    private static Tuple toRow(Entitlement entitlement) {
        return Tuple.from(new @Nullable Object[] {
            entitlement.id(),
            entitlement.orgId(),
            entitlement.projectId(),
            entitlement.appId(),
            entitlement.enabled(),
            Json.text(entitlement.policyOverrides()),
            entitlement.updatedByUserId(),
            entitlement.version(),
            SqlTime.of(entitlement.createdAt()),
            SqlTime.of(entitlement.updatedAt())
        });
    }

    private static Entitlement fromRow(Row row) {
        return new Entitlement(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("app_id"),
                row.getString("slug"),
                row.getBoolean("enabled"),
                Json.parseStoredObject(row.getString("policy_overrides")),
                row.getUUID("updated_by_user_id"),
                row.getLong("revision"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }
}
