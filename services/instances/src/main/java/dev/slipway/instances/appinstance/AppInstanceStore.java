package dev.slipway.instances.appinstance;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.history.HistoryStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;

/** All SQL of app instances. */
public final class AppInstanceStore {
    private static final String COLUMNS = """
            i.id, i.resource_name, i.org_id, i.project_id, i.app_id, i.app_version_id, a.slug, v.version, v.runtime_backend,
            i.display_name, i.operating_mode, i.control_plane_scope, i.status, i.requested_by_user_id,
            i.requested_by_principal_id, i.operator_service_account_id, %s AS config, i.runtime_state::text AS runtime_state,
            i.failure_reason, i.generation, i.sequence, i.created_at, i.updated_at, i.deleted_at,
            i.placement_intent::text AS placement_intent, i.policy_version, i.delete_seconds, i.reap, i.previous_version_id, b.version,
            %s AS previous_config, i.registry_versions::text AS registry_versions
            """;
    private static final String FROM = """
             FROM app_instances i JOIN app_catalog a ON a.id = i.app_id JOIN app_versions v ON v.id = i.app_version_id
            LEFT JOIN app_versions b ON b.id = i.previous_version_id
            """;
    private static final String ONE = FROM + "WHERE i.id = $1 AND i.project_id = $2";
    private static final String FIND = "SELECT " + COLUMNS.formatted("i.config::text", "i.previous_config::text") + ONE;
    private static final String CURRENT =
            "SELECT " + COLUMNS.formatted("i.config::text", "i.previous_config::text") + """
            , (SELECT o.id FROM app_instance_operations o WHERE o.app_instance_id = i.id AND o.kind <> 'declared'
                AND o.status IN ('accepted', 'running')) AS operation_id
            """ + ONE;
    private static final String LOCK = FIND + " FOR NO KEY UPDATE OF i";
    private static final String LOCK_IF_FREE = LOCK + " SKIP LOCKED";
    private static final String LIST = "SELECT " + COLUMNS.formatted("'{}'", "'{}'") + FROM + """
            WHERE i.project_id = $1 AND ($2::text IS NULL OR i.status = $2)
            AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4::uuid))
            ORDER BY i.created_at DESC, i.id DESC LIMIT $5
            """;
    private static final String INSERT = """
            INSERT INTO app_instances (id, resource_name, org_id, project_id, app_id, app_version_id, display_name, operating_mode,
                control_plane_scope, tenant_boundary_mode, status, requested_by_user_id, requested_by_principal_id,
                operator_service_account_id, config, runtime_state, generation, sequence, created_at, updated_at, placement_intent,
                policy_version, delete_seconds, reap, registry_versions)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text::jsonb, $16::text::jsonb, $17, $18, $19, $19,
                $20::text::jsonb, $21, $22, $23, $24::text::jsonb)
            """;
    private static final String UPDATE = """
            UPDATE app_instances SET status = $3, runtime_state = $4::text::jsonb, failure_reason = $5, generation = $6, sequence = $7,
                updated_at = $8, deleted_at = $9
            WHERE id = $1 AND project_id = $2
            """;
    private static final String UPGRADE = """
            UPDATE app_instances SET app_version_id = $3, config = $4::text::jsonb, delete_seconds = $5, reap = $6,
                previous_version_id = $7, previous_config = $8::text::jsonb, registry_versions = $9::text::jsonb
            WHERE id = $1 AND project_id = $2
            """;

    private final SqlClient reads;
    private final HistoryStore history = new HistoryStore();

    public AppInstanceStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Loads one behind its lock, which every change begins with. Another project's instance is not found. */
    public Future<AppInstance> lock(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(id))
                        : Future.succeededFuture(fromRow(rows.iterator().next())));
    }

    /** As {@link #lock}, but does not wait: null where somebody else is changing it just now, or there is none. */
    public Future<@Nullable AppInstance> lockIfFree(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(LOCK_IF_FREE, Tuple.of(id, projectId))
                .map(rows -> rows.size() == 0 ? null : fromRow(rows.iterator().next()));
    }

    /** Announces what happened, each event under its number; the last has that of the instance after it. */
    public AppInstance announce(UnitOfWork unit, Accepted decided) {
        var next = decided.next();
        var number = next.sequence() - decided.events().size();
        for (var event : decided.events()) {
            number++;
            history.append(
                    unit,
                    AppInstanceJson.type(event),
                    AppInstanceJson.event(next, event, number),
                    AppInstanceJson.own(next, event));
        }
        return next;
    }

    /** An instance, and the operation that is changing it; null if none is. */
    record Current(AppInstance instance, @Nullable UUID operationId) {}

    Future<Current> current(UUID projectId, UUID id) {
        return reads.preparedQuery(CURRENT)
                .execute(Tuple.of(id, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(id))
                        : Future.succeededFuture(current(rows.iterator().next())));
    }

    private static Current current(Row row) {
        return new Current(fromRow(row), row.getUUID("operation_id"));
    }

    public Future<AppInstance> find(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(id, projectId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(id))
                        : Future.succeededFuture(fromRow(rows.iterator().next())));
    }

    public Future<Page<AppInstance>> list(UUID projectId, @Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                projectId,
                status,
                after == null ? null : at(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var items = new ArrayList<AppInstance>();
            rows.forEach(row -> items.add(fromRow(row)));
            return Page.of(items, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    public void insert(UnitOfWork unit, AppInstance i) {
        unit.insert(INSERT, Tuple.from(new @Nullable Object[] {
            i.id(),
            i.resourceName(),
            i.orgId(),
            i.projectId(),
            i.app().appId(),
            i.app().versionId(),
            i.displayName(),
            i.operatingMode(),
            i.controlPlaneScope(),
            i.tenantBoundaryMode(),
            i.status().text(),
            i.requestedByUserId(),
            i.requestedByPrincipalId(),
            i.operatorServiceAccountId(),
            i.config(),
            i.runtimeState(),
            i.generation(),
            i.sequence(),
            at(i.createdAt()),
            Json.text(AppInstanceJson.placement(i.placement())),
            i.policyVersion(),
            i.terms().deleteSeconds(),
            i.terms().reap(),
            i.terms().registryVersions()
        }));
    }

    /** Keeps what an instance runs; the rest of it is kept as after any change. */
    public void keepVersion(UnitOfWork unit, AppInstance i) {
        var previous = i.previous();
        unit.write(UPGRADE, Tuple.from(new @Nullable Object[] {
            i.id(),
            i.projectId(),
            i.app().versionId(),
            i.config(),
            i.terms().deleteSeconds(),
            i.terms().reap(),
            previous == null ? null : previous.versionId(),
            previous == null ? null : previous.config(),
            i.terms().registryVersions()
        }));
    }

    /** Keeps an instance as it is after all that a transaction did to it. */
    public void keep(UnitOfWork unit, AppInstance i) {
        var deletedAt = i.deletedAt();
        unit.write(UPDATE, Tuple.from(new Object[] {
            i.id(),
            i.projectId(),
            i.status().text(),
            i.runtimeState(),
            i.failureReason(),
            i.generation(),
            i.sequence(),
            at(i.updatedAt()),
            deletedAt == null ? null : at(deletedAt)
        }));
    }

    /** By position, in the order of COLUMNS: finding two dozen columns by name is a good part of what a read costs. */
    private static AppInstance fromRow(Row row) {
        var deletedAt = row.getOffsetDateTime(23);
        return new AppInstance(
                row.getUUID(0),
                row.getString(1),
                row.getUUID(2),
                row.getUUID(3),
                new App(row.getUUID(4), row.getUUID(5), row.getString(6), row.getString(7), row.getString(8)),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                Status.of(row.getString(12)),
                row.getUUID(13),
                row.getUUID(14),
                row.getUUID(15),
                row.getString(16),
                row.getString(17),
                row.getString(18),
                row.getInteger(19),
                row.getLong(20),
                row.getOffsetDateTime(21).toInstant(),
                row.getOffsetDateTime(22).toInstant(),
                deletedAt == null ? null : deletedAt.toInstant(),
                AppInstanceJson.placement(row.getString(24)),
                row.getString(25),
                new Terms(row.getInteger(26), row.getBoolean(27), row.getString(31)),
                row.getUUID(28) == null ? null : new Previous(row.getUUID(28), row.getString(29), row.getString(30)));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Throwable notFound(UUID id) {
        return Problem.of(ErrorCode.APP_INSTANCE_NOT_FOUND, "There is no app instance " + id + " in this project.")
                .asException();
    }
}
