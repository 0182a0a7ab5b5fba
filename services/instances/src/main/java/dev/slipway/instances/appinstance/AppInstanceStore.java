package dev.slipway.instances.appinstance;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ResourceName;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.history.HistoryStore;
import dev.slipway.instances.runtime.CommandStore;
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
import java.util.function.Function;

/** All SQL of app instances. A change runs the lifecycle's decision behind a lock and stores what it decided, with its events. */
public final class AppInstanceStore {
    private static final String COLUMNS = """
            i.id, i.resource_name, i.org_id, i.project_id, i.app_id, i.app_version_id, a.slug, v.version, v.runtime_backend,
            i.display_name, i.operating_mode, i.control_plane_scope, i.status, i.requested_by_user_id,
            i.requested_by_principal_id, i.operator_service_account_id, %s AS config, i.runtime_state::text AS runtime_state,
            i.failure_reason, i.generation, i.sequence, i.created_at, i.updated_at, i.deleted_at,
            i.placement_intent::text AS placement_intent, i.policy_version
            FROM app_instances i JOIN app_catalog a ON a.id = i.app_id JOIN app_versions v ON v.id = i.app_version_id
            """;
    private static final String FIND =
            "SELECT " + COLUMNS.formatted("i.config::text") + " WHERE i.id = $1 AND i.project_id = $2";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE OF i";
    private static final String LIST = "SELECT " + COLUMNS.formatted("'{}'") + """
            WHERE i.project_id = $1 AND ($2::text IS NULL OR i.status = $2)
            AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4::uuid))
            ORDER BY i.created_at DESC, i.id DESC LIMIT $5
            """;
    private static final String INSERT = """
            INSERT INTO app_instances (id, resource_name, org_id, project_id, app_id, app_version_id, display_name, operating_mode,
                control_plane_scope, tenant_boundary_mode, status, requested_by_user_id, requested_by_principal_id,
                operator_service_account_id, config, runtime_state, generation, sequence, created_at, updated_at, placement_intent,
                policy_version)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text::jsonb, $16::text::jsonb, $17, $18, $19, $19,
                $20::text::jsonb, $21)
            """;
    private static final String UPDATE = """
            UPDATE app_instances SET status = $3, runtime_state = $4::text::jsonb, failure_reason = $5, generation = $6, sequence = $7,
                updated_at = $8, deleted_at = $9
            WHERE id = $1 AND project_id = $2
            """;

    private final SqlClient reads;
    private final String region;
    private final AdmissionStore admissions;
    private final HistoryStore history = new HistoryStore();
    private final CommandStore commands;

    public AppInstanceStore(SqlClient reads, AdmissionStore admissions, CommandStore commands, String region) {
        this.reads = reads;
        this.admissions = admissions;
        this.commands = commands;
        this.region = region;
    }

    public Future<AppInstance> create(UnitOfWork unit, Launch launch) {
        return admissions.admit(unit, launch).compose(admitted -> {
            var admission = admitted.admission();
            var id = Ids.next();
            var name = new ResourceName(region, admission.orgId(), launch.projectId(), "app_instance", id).toString();
            return accepted(InstanceLifecycle.request(launch, admission, id, name, unit.now()))
                    .map(decided -> {
                        insert(unit, decided.next());
                        announce(unit, decided, admitted.manifest());
                        return decided.next();
                    });
        });
    }

    /** Loads behind a lock, decides, stores. Another project's instance is not found. */
    public Future<AppInstance> change(
            UnitOfWork unit, UUID projectId, UUID id, Function<AppInstance, Decision> decide) {
        return unit.query(LOCK, Tuple.of(id, projectId)).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(notFound(id));
            }
            return accepted(decide.apply(fromRow(rows.iterator().next()))).map(decided -> {
                if (!decided.events().isEmpty()) {
                    update(unit, decided.next());
                    announce(unit, decided, "{}");
                }
                return decided.next();
            });
        });
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

    private static Future<Accepted> accepted(Decision decision) {
        if (decision instanceof Refused refused) {
            return Future.failedFuture(
                    Problem.of(ErrorCode.of(refused.code()), refused.message()).asException());
        }
        return Future.succeededFuture((Accepted) decision);
    }

    private static void insert(UnitOfWork unit, AppInstance i) {
        unit.write(INSERT, Tuple.from(new Object[] {
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
            i.policyVersion()
        }));
    }

    private static void update(UnitOfWork unit, AppInstance i) {
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

    private void announce(UnitOfWork unit, Accepted decided, String manifest) {
        var instance = decided.next();
        for (var event : decided.events()) {
            history.append(unit, AppInstanceJson.type(event), AppInstanceJson.event(instance, event));
            if (event instanceof InstanceEvent.Requested) {
                commands.send(unit, "runtime.command.deploy", AppInstanceJson.deploy(instance, manifest));
            } else if (event instanceof InstanceEvent.Deleting) {
                commands.send(unit, "runtime.command.delete", AppInstanceJson.command(instance));
            } else if (event instanceof InstanceEvent.Deleted) {
                commands.forget(unit, instance.id());
            }
        }
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
                row.getString(25));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Throwable notFound(UUID id) {
        return Problem.of(ErrorCode.APP_INSTANCE_NOT_FOUND, "There is no app instance " + id + " in this project.")
                .asException();
    }
}
