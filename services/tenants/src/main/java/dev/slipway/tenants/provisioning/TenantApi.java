package dev.slipway.tenants.provisioning;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.tenant.TenantJson;
import dev.slipway.tenants.tenant.TenantJson.CreateBody;
import dev.slipway.tenants.tenant.TenantJson.MigrateBody;
import dev.slipway.tenants.tenant.TenantJson.SuspendBody;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.DatabaseProvider;
import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantDecision;
import dev.slipway.tenants.tenant.domain.TenantDecision.Accepted;
import dev.slipway.tenants.tenant.domain.TenantDecision.Refused;
import dev.slipway.tenants.tenant.domain.TenantLifecycle;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;

/** Creates, suspends, resumes and destroys tenants. */
public final class TenantApi {
    private static final String CREATE = "tenants.tenant.create";
    private static final String UPDATE = "tenants.tenant.update";
    private static final String DELETE = "tenants.tenant.delete";
    private static final String DEFAULT_NAME = "Workspace";
    private static final String DEFAULT_REGION = "us-east";
    private static final String DEFAULT_GRACE_HOURS = "72";

    private final TenantStore store;
    private final ProvisioningStore steps;
    private final TenantDatabases databases;
    private final Mutations mutations;
    private final TenantWorker worker;

    public TenantApi(
            TenantStore store,
            ProvisioningStore steps,
            TenantDatabases databases,
            Mutations mutations,
            TenantWorker worker) {
        this.store = store;
        this.steps = steps;
        this.databases = databases;
        this.mutations = mutations;
        this.worker = worker;
    }

    public Future<Reply> list(Request request) {
        return store.list(orgId(request), request.query("status"), request.cursor(), request.limit())
                .map(page -> page.toReply(this::body));
    }

    public Future<Reply> get(Request request) {
        return find(request).map(this::reply);
    }

    public Future<Reply> status(Request request) {
        return find(request).compose(tenant -> steps.listSteps(tenant.id())
                .map(found -> Reply.ofRecord(TenantJson.provisioning(tenant, found, databases.connectionUrl(tenant)))));
    }

    /** The metadata of the audit entry of a creation. */
    private record CreationAudit(
            String displayName, TenantPlan plan, IsolationLevel isolationLevel, DatabaseProvider databaseProvider) {}

    /** The metadata of the audit entry of a change. */
    private record ChangeAudit(String change) {}

    /** The metadata of the audit entry of a suspension. */
    private record SuspensionAudit(String change, @Nullable String reason) {}

    /** The metadata of the audit entry of a migration to another plan. */
    private record MigrationAudit(String change, TenantPlan plan) {}

    /** The metadata of the audit entry of a destruction. */
    private record DestructionAudit(int graceHours, boolean finalDump) {}

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class);
        var provider = Objects.requireNonNullElse(body.databaseProvider(), DatabaseProvider.POSTGRES);
        if (provider == DatabaseProvider.TURSO) {
            return Future.succeededFuture(Reply.of(Problem.of(
                    ErrorCode.PROVIDER_NOT_CONFIGURED,
                    "No provider is configured for turso databases. Use postgres or memory.")));
        }
        return mutations.run(request, unit -> {
            var tenant = newTenant(orgId(request), body, provider, unit.now());
            store.insert(unit, tenant);
            steps.insertSteps(unit, tenant.id());
            var metadata = new CreationAudit(tenant.displayName(), tenant.plan(), tenant.isolationLevel(), provider);
            audit(unit, request, CREATE, tenant.id(), Json.toObject(metadata));
            return Future.succeededFuture(Reply.ofRecord(body(tenant), location(tenant)));
        });
    }

    private Tenant newTenant(UUID orgId, CreateBody body, DatabaseProvider provider, Instant now) {
        var id = Ids.next();
        var level = Objects.requireNonNullElse(body.isolationLevel(), IsolationLevel.ISOLATED_DB);
        return new Tenant(
                id,
                orgId,
                Objects.requireNonNullElse(body.displayName(), DEFAULT_NAME),
                body.adminEmail(),
                Objects.requireNonNullElse(body.plan(), TenantPlan.FREE),
                Objects.requireNonNullElse(body.region(), DEFAULT_REGION),
                level,
                provider,
                TenantStatus.PROVISIONING,
                databases.names(id, level),
                1,
                1,
                null,
                null,
                false,
                now,
                now,
                null);
    }

    public Future<Reply> retry(Request request) {
        return change(
                request,
                UPDATE,
                (tenant, now) -> TenantLifecycle.retry(tenant, now),
                unit -> steps.resetFailedSteps(unit, request.pathId("tenant_id")),
                Json.toObject(new ChangeAudit("retry")));
    }

    public Future<Reply> suspend(Request request) {
        var reason = Json.toRecord(request.body(), SuspendBody.class).reason();
        var metadata = Json.toObject(new SuspensionAudit("suspend", reason));
        return changeAccess(request, (tenant, now) -> TenantLifecycle.suspend(tenant, reason, now), metadata);
    }

    public Future<Reply> resume(Request request) {
        return changeAccess(request, TenantLifecycle::resume, Json.toObject(new ChangeAudit("resume")));
    }

    public Future<Reply> migratePlan(Request request) {
        var plan = Json.toRecord(request.body(), MigrateBody.class).plan();
        var metadata = Json.toObject(new MigrationAudit("migrate_plan", plan));
        return change(
                request, UPDATE, (tenant, now) -> TenantLifecycle.migratePlan(tenant, plan, now), unit -> {}, metadata);
    }

    public Future<Reply> delete(Request request) {
        var hours = Integer.parseInt(Objects.requireNonNullElse(request.query("grace_hours"), DEFAULT_GRACE_HOURS));
        var dump = Boolean.parseBoolean(request.query("final_dump"));
        var metadata = Json.toObject(new DestructionAudit(hours, dump));
        var tenantId = request.pathId("tenant_id");
        return change(
                        request,
                        DELETE,
                        (tenant, now) -> TenantLifecycle.destroy(tenant, Duration.ofHours(hours), dump, now),
                        unit -> store.requireAccessChange(unit, tenantId),
                        metadata)
                .compose(reply -> applyAccess(tenantId, reply));
    }

    private Future<Reply> changeAccess(
            Request request, BiFunction<Tenant, Instant, TenantDecision> decide, ObjectNode metadata) {
        var tenantId = request.pathId("tenant_id");
        return change(request, UPDATE, decide, unit -> store.requireAccessChange(unit, tenantId), metadata)
                .compose(reply -> applyAccess(tenantId, reply));
    }

    /** The caller relies on the effect of the change, so the response waits for it. The worker repeats it if this process ends before. */
    private Future<Reply> applyAccess(UUID tenantId, Reply reply) {
        return reply.problem() == null ? worker.applyAccess(tenantId).map(reply) : Future.succeededFuture(reply);
    }

    /** Additional writes of a change. */
    private interface SideEffect {
        void write(UnitOfWork unit);
    }

    private Future<Reply> change(
            Request request,
            String action,
            BiFunction<Tenant, Instant, TenantDecision> decide,
            SideEffect sideEffect,
            ObjectNode metadata) {
        return mutations.run(request, unit -> store.lock(unit, orgId(request), request.pathId("tenant_id"))
                .map(TenantStore::required)
                .map(tenant -> {
                    var decision = decide.apply(tenant, unit.now());
                    if (decision instanceof Refused refused) {
                        throw Problem.of(ErrorCode.STATE_CONFLICT, refused.message())
                                .asException();
                    }
                    var accepted = (Accepted) decision;
                    store.update(unit, accepted.next(), accepted.event());
                    sideEffect.write(unit);
                    audit(unit, request, action, tenant.id(), metadata);
                    return Reply.ofRecord(body(accepted.next()), location(tenant));
                }));
    }

    private Future<Tenant> find(Request request) {
        return store.find(orgId(request), request.pathId("tenant_id")).map(TenantStore::required);
    }

    private static void audit(UnitOfWork unit, Request request, String action, UUID tenantId, ObjectNode metadata) {
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(action, "tenant", tenantId.toString(), orgId(request), null, metadata));
    }

    private Reply reply(Tenant tenant) {
        return Reply.ofRecord(body(tenant));
    }

    private TenantJson.TenantBody body(Tenant tenant) {
        return TenantJson.body(tenant, databases.connectionUrl(tenant));
    }

    private static String location(Tenant tenant) {
        return "/api/v1/orgs/" + tenant.orgId() + "/tenants/" + tenant.id();
    }

    private static UUID orgId(Request request) {
        return request.pathId("org_id");
    }
}
