package dev.slipway.tenants;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.StateReader;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import dev.slipway.tenants.context.TenantContextApi;
import dev.slipway.tenants.credential.TenantCredentialApi;
import dev.slipway.tenants.credential.TenantCredentialStore;
import dev.slipway.tenants.data.MemoryRecordStore;
import dev.slipway.tenants.data.PostgresRecordStore;
import dev.slipway.tenants.data.RecordApi;
import dev.slipway.tenants.database.TenantAccess;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.database.TenantExporter;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.deployment.DeploymentApi;
import dev.slipway.tenants.deployment.DeploymentPlanner;
import dev.slipway.tenants.deployment.DeploymentRequests;
import dev.slipway.tenants.deployment.DeploymentStore;
import dev.slipway.tenants.deployment.DeploymentWorker;
import dev.slipway.tenants.deployment.EntitlementConsumer;
import dev.slipway.tenants.deployment.MigrationExecutor;
import dev.slipway.tenants.deployment.TenantAppApi;
import dev.slipway.tenants.deployment.TenantAppStore;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.provisioning.DumpStore;
import dev.slipway.tenants.provisioning.ProvisioningStore;
import dev.slipway.tenants.provisioning.TenantApi;
import dev.slipway.tenants.provisioning.TenantDumps;
import dev.slipway.tenants.provisioning.TenantWorker;
import dev.slipway.tenants.quota.QuotaGuard;
import dev.slipway.tenants.quota.QuotaStore;
import dev.slipway.tenants.quota.RequestCounter;
import dev.slipway.tenants.quota.TenantUsers;
import dev.slipway.tenants.quota.UsageRefresher;
import dev.slipway.tenants.router.TenantAuthorizer;
import dev.slipway.tenants.router.TenantPools;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.router.domain.TenantRuntimeContext;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.usage.TenantUsageApi;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Wires the tenants service. */
public final class TenantsVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(TenantsVerticle.class);
    private static final String VERSION = "1.0.0";
    /** A worker renews it while it works, so it is the time until another process continues after a crash. */
    private static final Duration LEASE = Duration.ofSeconds(40);

    private static final Duration DEPLOYMENT_LEASE = Duration.ofSeconds(10);

    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private static final long CREDENTIAL_CLEANUP_MS = 30_000;

    private final ServiceContext serviceContext;
    private final TenantsConfig config;
    /** The parts that were started, the last one first. */
    private final Deque<Supplier<Future<Void>>> started = new ArrayDeque<>();

    public TenantsVerticle(ServiceContext serviceContext, TenantsConfig config) {
        this.serviceContext = serviceContext;
        this.config = config;
    }

    @Override
    public Future<?> start() {
        var database = Objects.requireNonNull(serviceContext.database(), "the tenants service needs a database");
        return Service.open(vertx, serviceContext, "tenants")
                .onSuccess(opened -> started.push(opened::stop))
                .compose(
                        opened -> TenantDatabases.open(vertx, database).compose(databases -> serve(opened, databases)));
    }

    private Future<Void> serve(Service opened, TenantDatabases databases) {
        var clock = serviceContext.clock();
        var tenants = new TenantStore(opened.reads());
        var metadata = new MetadataStore(opened.reads());
        var quotas = new QuotaStore(opened.reads());
        var requests = new RequestCounter(opened.outbox(), quotas, clock);
        var guard = new QuotaGuard(quotas);
        var users = new TenantUsers(opened.outbox(), guard, clock);
        var access = new TenantAccess(databases);
        var provisioner = new TenantProvisioner(databases);
        var router = new TenantRouter(
                tenants,
                quotas,
                metadata,
                databases,
                new TenantPools(vertx, databases, config.poolLimits()),
                TenantRuntimeContext.kernel(Ids.next(), VERSION, clock.millis()),
                config.poolIdle());
        started.push(router::close);
        var authorizer = new TenantAuthorizer(serviceContext.authz(), clock);
        var memory = new MemoryRecordStore(clock);
        var worker = serveTenants(opened, databases, tenants, provisioner, access, memory::deleteAll);
        serveCredentials(opened, databases, tenants, access, users);
        serveRecords(
                opened,
                new RecordApi(
                        router,
                        authorizer,
                        requests,
                        users,
                        guard,
                        opened.mutations(),
                        new PostgresRecordStore(router),
                        memory));
        var deployments = serveDeployments(opened, databases, tenants);
        var usage = new TenantUsageApi(tenants, quotas, metadata, requests, clock);
        var context = new TenantContextApi(router, authorizer);
        opened.serve("getTenantUsage", usage::get)
                .serve("checkTenantQuota", usage::check)
                .serve("getTenantContext", context::get);
        opened.outbox().onCommitted(Topics.TENANTS_EVENTS, tenantId -> worker.wake());
        opened.outbox()
                .onCommitted(Topics.TENANTS_STATE, tenantId -> router.invalidateCache(UUID.fromString(tenantId)));
        var refresher = new UsageRefresher(
                vertx,
                opened.outbox(),
                quotas,
                metadata,
                provisioner,
                requests,
                authorizer::isMember,
                config.usageInterval(),
                clock);
        var state = new StateReader(vertx, serviceContext.kafka(), Topics.TENANTS_STATE, router::apply);
        started.push(state::stop);
        return state.start().compose(ok -> opened.start()).onSuccess(ok -> {
            worker.start();
            deployments.start();
            refresher.start();
            started.push(() -> {
                worker.stop();
                deployments.stop();
                refresher.stop();
                return Future.succeededFuture();
            });
        });
    }

    private TenantWorker serveTenants(
            Service opened,
            TenantDatabases databases,
            TenantStore tenants,
            TenantProvisioner provisioner,
            TenantAccess access,
            Consumer<UUID> onDestroyed) {
        var steps = new ProvisioningStore(opened.reads());
        var dumps = new TenantDumps(
                vertx,
                new DumpStore(opened.reads()),
                opened.outbox(),
                new TenantExporter(databases),
                config.dumpDirectory());
        var worker = new TenantWorker(
                vertx,
                opened.outbox(),
                tenants,
                steps,
                provisioner,
                access,
                dumps,
                onDestroyed,
                config.workers(),
                LEASE,
                serviceContext.clock());
        var api = new TenantApi(tenants, steps, databases, opened.mutations(), worker);
        opened.serve("listTenants", api::list)
                .serve("createTenant", api::create)
                .serve("getTenant", api::get)
                .serve("deleteTenant", api::delete)
                .serve("getTenantStatus", api::status)
                .serve("retryTenantProvisioning", api::retry)
                .serve("suspendTenant", api::suspend)
                .serve("resumeTenant", api::resume)
                .serve("migrateTenantPlan", api::migratePlan)
                .serve("listTenantDumps", dumps::list);
        return worker;
    }

    private DeploymentWorker serveDeployments(Service opened, TenantDatabases databases, TenantStore tenants) {
        var store = new DeploymentStore(opened.reads());
        var executor = new MigrationExecutor(databases);
        var planner = new DeploymentPlanner(executor);
        var requests = new DeploymentRequests(tenants, store);
        var deployments =
                new DeploymentWorker(vertx, opened.outbox(), store, tenants, planner, executor, DEPLOYMENT_LEASE);
        var api = new DeploymentApi(store, requests, planner, opened.mutations(), deployments::wake);
        var appStore = new TenantAppStore(opened.reads(), store);
        var apps = new TenantAppApi(appStore, store, requests, opened.mutations(), deployments::wake);
        opened.serve("listTenantDeployments", api::list)
                .serve("createTenantDeployment", api::create)
                .serve("planTenantDeployment", api::plan)
                .serve("getTenantDeployment", api::get)
                .serve("rollbackTenantDeployment", api::rollBack)
                .serve("listTenantApps", apps::list)
                .serve("installTenantApp", apps::install)
                .serve("checkTenantAppCompatibility", apps::checkCompatibility)
                .serve("getTenantApp", apps::get)
                .serve("upgradeTenantApp", apps::upgrade)
                .serve("uninstallTenantApp", apps::uninstall)
                .consumeBatches(
                        "entitlements",
                        List.of(Topics.CATALOG_STATE),
                        BATCH_WINDOW,
                        new EntitlementConsumer(appStore)::apply);
        return deployments;
    }

    private void serveCredentials(
            Service opened, TenantDatabases databases, TenantStore tenants, TenantAccess access, TenantUsers users) {
        var api = new TenantCredentialApi(
                tenants,
                new TenantCredentialStore(opened.reads()),
                databases,
                access,
                opened.outbox(),
                opened.mutations(),
                users,
                serviceContext.clock());
        opened.serve("listTenantCredentials", api::list)
                .serve("createTenantCredential", api::create)
                .serve("revokeTenantCredential", api::revoke);
        vertx.setPeriodic(CREDENTIAL_CLEANUP_MS, timer -> api.deleteExpired()
                .onFailure(e -> LOG.atWarn().setCause(e).log("expired credentials not deleted; retrying")));
    }

    private static void serveRecords(Service opened, RecordApi api) {
        opened.serve("listTenantRecords", api::list)
                .serve("createTenantRecord", api::create)
                .serve("getTenantRecord", api::get)
                .serve("updateTenantRecord", api::update)
                .serve("deleteTenantRecord", api::delete);
    }

    @Override
    public Future<?> stop() {
        var chain = Future.<Void>succeededFuture();
        while (!started.isEmpty()) {
            var part = started.pop();
            chain = chain.eventually(part);
        }
        return chain;
    }
}
