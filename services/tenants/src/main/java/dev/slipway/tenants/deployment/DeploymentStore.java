package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import dev.slipway.tenants.deployment.DeployedMetadata.AppMetadata;
import dev.slipway.tenants.deployment.DeployedMetadata.DeployedDocument;
import dev.slipway.tenants.deployment.DeployedMetadata.DeployedObject;
import dev.slipway.tenants.deployment.DeployedMetadata.DocumentKind;
import dev.slipway.tenants.deployment.DeploymentJson.StoredDocuments;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentKind;
import dev.slipway.tenants.deployment.domain.DeploymentQuotas;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** All SQL of deployments and of the metadata that they deploy. */
public final class DeploymentStore {
    private static final String COLUMNS = """
            deployment_id, tenant_id, org_id, app_name, kind, version, checksum, keep_tables, allow_breaking, expected_plan_hash, status, plan_hash,
            statements_executed, seeded_records, unrestorable::text AS unrestorable, error, requested_by, correlation_id, created_at, started_at,
            completed_at, rolled_back_at
            """;
    private static final String INSERT = """
            INSERT INTO deployments (deployment_id, tenant_id, org_id, app_name, kind, version, checksum, metadata, bundle, keep_tables,
                allow_breaking, expected_plan_hash, status, requested_by, correlation_id, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9::text::jsonb, $10, $11, $12, $13, $14, $15, $16)
            """;
    private static final String FIND = "SELECT " + COLUMNS
            + ", metadata::text AS metadata, diff::text AS diff, plan::text AS plan FROM deployments "
            + "WHERE org_id = $1 AND tenant_id = $2 AND deployment_id = $3";
    private static final String PAGE = "SELECT " + COLUMNS + """
            , metadata::text AS metadata, NULL AS diff, NULL AS plan FROM deployments
            WHERE org_id = $1 AND tenant_id = $2 AND ($3::timestamptz IS NULL OR (created_at, deployment_id) < ($3, $4))
            ORDER BY created_at DESC, deployment_id DESC LIMIT $5
            """;
    /** The newest deployment of an app that was not undone and did not fail: what is deployed, or will be. */
    private static final String FIND_LATEST = "SELECT " + COLUMNS + """
            , metadata::text AS metadata, NULL AS diff, NULL AS plan FROM deployments
            WHERE tenant_id = $1 AND app_name = $2 AND status <> 'failed' ORDER BY position DESC LIMIT 1
            """;

    private static final String FIND_QUOTAS =
            "SELECT max_objects, max_deployments_per_day FROM plan_quotas WHERE plan = $1";
    private static final String COUNT_DEPLOYMENT = """
            UPDATE tenant_usage
            SET deployments_today = CASE WHEN deployments_day = $2 THEN deployments_today + 1 ELSE 1 END, deployments_day = $2
            WHERE tenant_id = $1 RETURNING deployments_today
            """;
    /** Deployments of one tenant run in order; a deployment that another worker has claimed is left to it until its lease ends. */
    private static final String CLAIM =
            """
            UPDATE deployments SET lease_id = $1, lease_until = $2::timestamptz + $3::bigint * interval '1 millisecond'
            WHERE deployment_id = (
                SELECT d.deployment_id FROM deployments d
                WHERE d.status NOT IN ('ready', 'failed') AND (d.lease_until IS NULL OR d.lease_until <= $2) AND NOT EXISTS (
                    SELECT FROM deployments earlier
                    WHERE earlier.tenant_id = d.tenant_id AND earlier.position < d.position AND earlier.status NOT IN ('ready', 'failed'))
                ORDER BY d.position LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING\s""" + COLUMNS + ", attempts, bundle::text AS bundle, plan::text AS plan, previous::text AS previous";

    private static final String IS_PENDING =
            "SELECT EXISTS (SELECT FROM deployments WHERE status NOT IN ('ready', 'failed')) AS pending";
    private static final String RENEW = """
            UPDATE deployments SET lease_until = $3::timestamptz + $4::bigint * interval '1 millisecond'
            WHERE deployment_id = $1 AND lease_id = $2
            """;
    private static final String HOLDS_LEASE =
            "SELECT FROM deployments WHERE deployment_id = $1 AND lease_id = $2 FOR UPDATE";
    private static final String RELEASE =
            "UPDATE deployments SET lease_id = NULL, lease_until = $2, attempts = $3 WHERE deployment_id = $1";

    private static final String UPDATE_STATUS = """
            UPDATE deployments SET status = $2, started_at = coalesce(started_at, $3) WHERE deployment_id = $1
            """;
    private static final String UPDATE_PLAN = """
            UPDATE deployments SET status = 'migrating', diff = $2::text::jsonb, plan = $3::text::jsonb, plan_hash = $4, previous = $5::text::jsonb,
                unrestorable = $6::text::jsonb
            WHERE deployment_id = $1
            """;
    private static final String UPDATE_MIGRATED =
            "UPDATE deployments SET status = 'registering', statements_executed = $2 WHERE deployment_id = $1";
    private static final String COMPLETE = """
            UPDATE deployments SET status = $2, error = $3, seeded_records = $4, completed_at = $5 WHERE deployment_id = $1
            """;
    private static final String COMPLETE_ROLLBACK = """
            UPDATE deployments SET status = 'failed', error = $2, statements_executed = 0, completed_at = $3, rolled_back_at = $3
            WHERE deployment_id = $1
            """;
    private static final String START_ROLLBACK =
            "UPDATE deployments SET status = 'rolling_back', error = $2 WHERE deployment_id = $1";
    private static final String FIND_OBJECTS = """
            SELECT app_name, definition::text AS definition FROM deployed_objects WHERE tenant_id = $1 ORDER BY object_name
            """;
    private static final String FIND_DOCUMENTS = """
            SELECT app_name, kind, definition::text AS definition FROM deployed_documents WHERE tenant_id = $1 ORDER BY kind, name
            """;
    private static final String FIND_RETAINED = """
            SELECT definition::text AS definition FROM retained_objects WHERE tenant_id = $1 ORDER BY object_name
            """;
    private static final String DELETE_OBJECTS = "DELETE FROM deployed_objects WHERE tenant_id = $1 AND app_name = $2";
    private static final String DELETE_DOCUMENTS =
            "DELETE FROM deployed_documents WHERE tenant_id = $1 AND app_name = $2";
    private static final String INSERT_OBJECTS = """
            INSERT INTO deployed_objects (tenant_id, app_name, object_name, definition, deployment_id)
            SELECT $1, $2, o ->> 'name', o, $3 FROM jsonb_array_elements($4::text::jsonb) o
            """;
    private static final String INSERT_DOCUMENTS = """
            INSERT INTO deployed_documents (tenant_id, app_name, kind, name, definition, deployment_id)
            SELECT $1, $2, $5, o ->> 'name', o, $3 FROM jsonb_array_elements($4::text::jsonb) o
            """;
    private static final String DELETE_RETAINED = """
            DELETE FROM retained_objects WHERE tenant_id = $1 AND object_name IN (SELECT o ->> 'name' FROM jsonb_array_elements($2::text::jsonb) o)
            """;
    private static final String INSERT_RETAINED = """
            INSERT INTO retained_objects (tenant_id, object_name, definition)
            SELECT $1, o ->> 'name', o FROM jsonb_array_elements($2::text::jsonb) o
            ON CONFLICT (tenant_id, object_name) DO UPDATE SET definition = excluded.definition
            """;

    private final SqlClient reads;

    public DeploymentStore(SqlClient reads) {
        this.reads = reads;
    }

    /** A deployment with the documents of a response. */
    record StoredDeployment(Deployment deployment, StoredDocuments documents) {}

    /** A claimed deployment whose next step is to be run, with everything that the step needs. */
    record DeploymentWork(
            UUID leaseId,
            int attempts,
            Deployment deployment,
            String bundle,
            @Nullable String plan,
            @Nullable String previous) {}

    void insert(UnitOfWork unit, Deployment deployment, String bundle, String metadata) {
        unit.write(INSERT, Tuple.from(new @Nullable Object[] {
            deployment.id(),
            deployment.tenantId(),
            deployment.orgId(),
            deployment.appName(),
            deployment.kind().text(),
            deployment.version(),
            deployment.checksum(),
            metadata,
            bundle,
            deployment.keepTables(),
            deployment.allowBreaking(),
            deployment.expectedPlanHash(),
            deployment.status().text(),
            deployment.requestedBy(),
            deployment.correlationId(),
            SqlTime.of(deployment.createdAt())
        }));
    }

    Future<@Nullable StoredDeployment> find(QueryExecutor executor, UUID orgId, UUID tenantId, UUID id) {
        return executor.query(FIND, Tuple.of(orgId, tenantId, id)).map(DeploymentStore::firstStored);
    }

    Future<@Nullable StoredDeployment> find(UUID orgId, UUID tenantId, UUID id) {
        return find(QueryExecutor.of(reads), orgId, tenantId, id);
    }

    Future<Page<StoredDeployment>> page(UUID orgId, UUID tenantId, @Nullable Cursor cursor, int limit) {
        var before = cursor == null ? null : SqlTime.of(cursor.createdAt());
        var id = cursor == null ? null : cursor.id();
        return reads.preparedQuery(PAGE)
                .execute(Tuple.of(orgId, tenantId, before, id, limit + 1))
                .map(rows -> Page.of(
                        stream(rows, DeploymentStore::stored),
                        limit,
                        found -> new Cursor(found.deployment.createdAt(), found.deployment.id())));
    }

    Future<@Nullable StoredDeployment> findLatest(QueryExecutor executor, UUID tenantId, String appName) {
        return executor.query(FIND_LATEST, Tuple.of(tenantId, appName)).map(DeploymentStore::firstStored);
    }

    Future<DeploymentQuotas> loadQuotas(QueryExecutor executor, TenantPlan plan) {
        return executor.query(FIND_QUOTAS, Tuple.of(plan.text())).map(rows -> {
            var row = rows.iterator().next();
            return new DeploymentQuotas(row.getLong("max_objects"), row.getLong("max_deployments_per_day"));
        });
    }

    /** Counts a deployment of today (UTC); returns how many there are, this one included. */
    Future<Long> countDeployment(UnitOfWork unit, UUID tenantId) {
        return unit.query(COUNT_DEPLOYMENT, Tuple.of(tenantId, LocalDate.ofInstant(unit.now(), ZoneOffset.UTC)))
                .map(rows -> rows.iterator().next().getLong("deployments_today"));
    }

    /** Returns whether a deployment is not completed, claimed or not. */
    Future<Boolean> isPending() {
        return reads.query(IS_PENDING)
                .execute()
                .map(rows -> rows.iterator().next().getBoolean("pending"));
    }

    /** Claims the next deployment; returns null if there is nothing to do. */
    Future<@Nullable DeploymentWork> claim(UnitOfWork unit, UUID leaseId, Duration lease) {
        return unit.query(CLAIM, Tuple.of(leaseId, SqlTime.of(unit.now()), lease.toMillis()))
                .map(rows -> {
                    if (rows.size() == 0) {
                        return null;
                    }
                    var row = rows.iterator().next();
                    return new DeploymentWork(
                            leaseId,
                            row.getInteger("attempts"),
                            deployment(row),
                            row.getString("bundle"),
                            row.getString("plan"),
                            row.getString("previous"));
                });
    }

    void renew(UnitOfWork unit, DeploymentWork work, Duration lease) {
        unit.write(RENEW, Tuple.of(work.deployment.id(), work.leaseId, SqlTime.of(unit.now()), lease.toMillis()));
    }

    /** Locks the deployment and returns whether the lease is still held: another worker may have taken over. */
    Future<Boolean> holdsLease(UnitOfWork unit, DeploymentWork work) {
        return unit.query(HOLDS_LEASE, Tuple.of(work.deployment.id(), work.leaseId))
                .map(rows -> rows.size() > 0);
    }

    /** Releases the lease of the deployment. It is not claimed again before the delay has passed. */
    void release(UnitOfWork unit, UUID id, Duration delay, int attempts) {
        unit.write(RELEASE, Tuple.of(id, SqlTime.of(unit.now().plus(delay)), attempts));
    }

    void updateStatus(UnitOfWork unit, UUID id, DeploymentStatus status) {
        unit.write(UPDATE_STATUS, Tuple.of(id, status.text(), SqlTime.of(unit.now())));
    }

    void updatePlan(
            UnitOfWork unit, UUID id, String diff, String plan, String planHash, String previous, String unrestorable) {
        unit.write(UPDATE_PLAN, Tuple.of(id, diff, plan, planHash, previous, unrestorable));
    }

    void updateMigrated(UnitOfWork unit, UUID id, int statementsExecuted) {
        unit.write(UPDATE_MIGRATED, Tuple.of(id, statementsExecuted));
    }

    void complete(UnitOfWork unit, UUID id, DeploymentStatus status, @Nullable String error, int seededRecords) {
        unit.write(COMPLETE, Tuple.of(id, status.text(), error, seededRecords, SqlTime.of(unit.now())));
    }

    void startRollback(UnitOfWork unit, UUID id, @Nullable String error) {
        unit.write(START_ROLLBACK, Tuple.of(id, error));
    }

    void completeRollback(UnitOfWork unit, UUID id, String error) {
        unit.write(COMPLETE_ROLLBACK, Tuple.of(id, error, SqlTime.of(unit.now())));
    }

    Future<DeployedMetadata> loadMetadata(QueryExecutor executor, UUID tenantId) {
        var tenant = Tuple.of(tenantId);
        var objects = executor.query(FIND_OBJECTS, tenant);
        var documents = executor.query(FIND_DOCUMENTS, tenant);
        var retained = executor.query(FIND_RETAINED, tenant);
        return Future.all(objects, documents, retained)
                .map(all -> new DeployedMetadata(
                        stream(objects.result(), row -> new DeployedObject(row.getString("app_name"), object(row))),
                        stream(
                                documents.result(),
                                row -> new DeployedDocument(
                                        row.getString("app_name"),
                                        TextEnum.parse(DocumentKind.class, row.getString("kind")),
                                        Json.parseStoredObject(row.getString("definition")))),
                        stream(retained.result(), DeploymentStore::object)));
    }

    Future<DeployedMetadata> loadMetadata(UUID tenantId) {
        return loadMetadata(QueryExecutor.of(reads), tenantId);
    }

    /** Replaces the metadata of an app. */
    void replaceMetadata(UnitOfWork unit, Deployment deployment, AppMetadata metadata) {
        var tenantId = deployment.tenantId();
        var app = Tuple.of(tenantId, deployment.appName());
        unit.write(DELETE_OBJECTS, app);
        unit.write(DELETE_DOCUMENTS, app);
        unit.write(
                INSERT_OBJECTS,
                Tuple.of(tenantId, deployment.appName(), deployment.id(), Json.text(metadata.objects())));
        insertDocuments(unit, deployment, DocumentKind.VIEW, metadata.views());
        insertDocuments(unit, deployment, DocumentKind.FLOW, metadata.flows());
        insertDocuments(unit, deployment, DocumentKind.PERMISSION, metadata.permissions());
    }

    private static void insertDocuments(
            UnitOfWork unit, Deployment deployment, DocumentKind kind, List<ObjectNode> documents) {
        if (!documents.isEmpty()) {
            unit.write(
                    INSERT_DOCUMENTS,
                    Tuple.of(
                            deployment.tenantId(),
                            deployment.appName(),
                            deployment.id(),
                            Json.text(documents),
                            kind.text()));
        }
    }

    /** Records objects whose tables remain although no app has them any more. */
    void insertRetained(UnitOfWork unit, UUID tenantId, List<ObjectDefinition> objects) {
        unit.write(INSERT_RETAINED, Tuple.of(tenantId, Json.text(objects)));
    }

    void deleteRetained(UnitOfWork unit, UUID tenantId, List<ObjectDefinition> objects) {
        unit.write(DELETE_RETAINED, Tuple.of(tenantId, Json.text(objects)));
    }

    private static @Nullable StoredDeployment firstStored(RowSet<Row> rows) {
        return rows.size() == 0 ? null : stored(rows.iterator().next());
    }

    private static StoredDeployment stored(Row row) {
        return new StoredDeployment(
                deployment(row),
                new StoredDocuments(row.getString("metadata"), row.getString("diff"), row.getString("plan")));
    }

    private static Deployment deployment(Row row) {
        var unrestorable = new ArrayList<String>();
        Json.parseTrusted(row.getString("unrestorable").getBytes(StandardCharsets.UTF_8))
                .forEach(item -> unrestorable.add(item.asText()));
        return new Deployment(
                row.getUUID("deployment_id"),
                row.getUUID("tenant_id"),
                row.getUUID("org_id"),
                row.getString("app_name"),
                TextEnum.parse(DeploymentKind.class, row.getString("kind")),
                row.getString("version"),
                row.getString("checksum"),
                row.getBoolean("keep_tables"),
                row.getBoolean("allow_breaking"),
                row.getString("expected_plan_hash"),
                TextEnum.parse(DeploymentStatus.class, row.getString("status")),
                row.getString("plan_hash"),
                row.getInteger("statements_executed"),
                row.getInteger("seeded_records"),
                unrestorable,
                row.getString("error"),
                row.getUUID("requested_by"),
                row.getString("correlation_id"),
                SqlTime.read(row, "created_at"),
                SqlTime.readNullable(row, "started_at"),
                SqlTime.readNullable(row, "completed_at"),
                SqlTime.readNullable(row, "rolled_back_at"));
    }

    private static ObjectDefinition object(Row row) {
        return Json.toRecord(Json.parseStoredObject(row.getString("definition")), ObjectDefinition.class);
    }

    private static <T> List<T> stream(RowSet<Row> rows, Function<Row, T> mapper) {
        return StreamSupport.stream(rows.spliterator(), false).map(mapper).toList();
    }
}
