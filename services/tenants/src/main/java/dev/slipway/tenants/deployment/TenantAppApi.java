package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.deployment.BundleJson.ContentBody;
import dev.slipway.tenants.deployment.DeploymentApi.DeploymentTarget;
import dev.slipway.tenants.deployment.TenantAppJson.AppResponse;
import dev.slipway.tenants.deployment.TenantAppJson.InstallBody;
import dev.slipway.tenants.deployment.TenantAppJson.ManifestHead;
import dev.slipway.tenants.deployment.TenantAppJson.UpgradeBody;
import dev.slipway.tenants.deployment.TenantAppStore.InstalledApp;
import dev.slipway.tenants.deployment.domain.AppCompatibility;
import dev.slipway.tenants.deployment.domain.BundleValidator;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentKind;
import dev.slipway.tenants.deployment.domain.TenantAppStatus;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Installs, upgrades and uninstalls apps in tenants. Each change is a deployment of the app's bundle. */
public final class TenantAppApi {
    private static final String INSTALL_ACTION = "tenants.app.install";
    private static final String UNINSTALL_ACTION = "tenants.app.uninstall";

    private final TenantAppStore store;
    private final DeploymentStore deployments;
    private final DeploymentRequests requests;
    private final Mutations mutations;
    private final Runnable wakeWorker;

    /**
     * @param wakeWorker called when a deployment is queued
     */
    public TenantAppApi(
            TenantAppStore store,
            DeploymentStore deployments,
            DeploymentRequests requests,
            Mutations mutations,
            Runnable wakeWorker) {
        this.store = store;
        this.deployments = deployments;
        this.requests = requests;
        this.mutations = mutations;
        this.wakeWorker = wakeWorker;
    }

    public Future<Reply> list(Request request) {
        return requests.requireTenant(request)
                .compose(tenant -> store.list(tenant.orgId(), tenant.id()))
                .map(apps -> ItemList.reply(apps, app -> Json.toObject(AppResponse.of(app))));
    }

    public Future<Reply> get(Request request) {
        return requests.requireTenant(request)
                .compose(tenant -> store.find(tenant.orgId(), tenant.id(), request.path("app_name")))
                .map(app -> Reply.ofRecord(AppResponse.of(requireApp(app, request))));
    }

    /** Checks an app and changes nothing. */
    public Future<Reply> checkCompatibility(Request request) {
        return requests.requireTenant(request)
                .compose(tenant -> check(store.outsideTransaction(), tenant, (ObjectNode) request.body(), null))
                .map(Reply::ofRecord);
    }

    private Future<AppCompatibility> check(
            QueryExecutor executor, Tenant tenant, ObjectNode manifest, @Nullable Boolean entitled) {
        var head = Json.toRecord(manifest, ManifestHead.class);
        var content = Json.toRecord(manifest, ContentBody.class).content();
        return deployments.loadMetadata(executor, tenant.id()).compose(metadata -> store.list(
                        executor, tenant.orgId(), tenant.id())
                .compose(apps -> deployments
                        .loadQuotas(executor, tenant.plan())
                        .map(quotas -> AppCompatibility.check(
                                head.requirements(),
                                BundleValidator.validate(content, metadata.elsewhere(head.name())),
                                installedNames(apps),
                                quotas.reasonAgainstObjects(metadata.objectCountWith(head.name(), content.objects())),
                                entitled))));
    }

    private static Set<String> installedNames(List<InstalledApp> apps) {
        return apps.stream()
                .filter(app -> isInstalled(app))
                .map(InstalledApp::name)
                .collect(Collectors.toSet());
    }

    private static boolean isInstalled(InstalledApp app) {
        return TenantAppStatus.of(app.latest(), app.effective()) == TenantAppStatus.INSTALLED;
    }

    public Future<Reply> install(Request request) {
        var body = Json.toRecord(request.body(), InstallBody.class);
        var head = Json.toRecord(body.manifest(), ManifestHead.class);
        return mutations
                .run(request, unit -> requests.lockTenant(unit, request)
                        .compose(tenant -> requireNotInstalled(unit, tenant, head.name())
                                .compose(ok -> store.isEntitled(unit, tenant.orgId(), body.appSlug()))
                                .compose(entitled -> requireCompatible(unit, tenant, body.manifest(), entitled))
                                .compose(ok -> deploy(
                                        unit,
                                        request,
                                        tenant,
                                        body.manifest(),
                                        new Change(DeploymentKind.INSTALL, body.skipSeedData(), false)))
                                .map(deployment -> {
                                    var appId = Ids.next();
                                    var overrides = body.configOverrides();
                                    store.upsert(
                                            unit,
                                            appId,
                                            deployment,
                                            body.appSlug(),
                                            overrides == null ? "{}" : Json.text(overrides));
                                    return toReply(queued(appId, head, body.appSlug(), deployment, null), deployment);
                                })))
                .onSuccess(reply -> wakeWorker.run());
    }

    public Future<Reply> upgrade(Request request) {
        var body = Json.toRecord(request.body(), UpgradeBody.class);
        var head = Json.toRecord(body.manifest(), ManifestHead.class);
        if (!head.name().equals(request.path("app_name"))) {
            throw Problem.validationOf(
                            ErrorCode.BUNDLE_INVALID, "/manifest/name", "is not the name of the app in the path")
                    .asException();
        }
        return change(request, (unit, tenant, app) -> store.isEntitled(unit, tenant.orgId(), app.appSlug())
                .compose(entitled -> requireCompatible(unit, tenant, body.manifest(), entitled))
                .compose(ok -> deploy(
                        unit,
                        request,
                        tenant,
                        body.manifest(),
                        new Change(DeploymentKind.UPGRADE, false, body.allowBreaking())))
                .map(deployment -> queued(app.appId(), head, app.appSlug(), deployment, app.effective())));
    }

    /** Uninstalls an app; refuses while other apps depend on it. */
    public Future<Reply> uninstall(Request request) {
        var dropTables = Boolean.parseBoolean(request.query("drop_tables"));
        return change(
                request, (unit, tenant, app) -> requireUnused(unit, tenant, app).map(ok -> {
                    var latest = app.latest();
                    var target = new DeploymentTarget(
                            app.name(),
                            DeploymentKind.UNINSTALL,
                            latest.version(),
                            BundleJson.checksum(Json.object()),
                            !dropTables,
                            true,
                            null);
                    var deployment = DeploymentApi.newDeployment(unit, request, tenant, target);
                    deployments.insert(unit, deployment, "{}", "{}");
                    DeploymentEvents.publishRequested(unit, request.principal(), UNINSTALL_ACTION, deployment);
                    var head = new ManifestHead(app.name(), latest.version(), app.label(), null, null, null, null);
                    return queued(app.appId(), head, app.appSlug(), deployment, app.effective());
                }));
    }

    /** A change of an installed app. */
    private interface AppChange {
        Future<InstalledApp> apply(UnitOfWork unit, Tenant tenant, InstalledApp app);
    }

    private Future<Reply> change(Request request, AppChange change) {
        return mutations
                .run(request, unit -> requests.lockTenant(unit, request)
                        .compose(tenant -> store.list(unit, tenant.orgId(), tenant.id())
                                .compose(apps -> {
                                    var app = requireApp(
                                            apps.stream()
                                                    .filter(each -> each.name().equals(request.path("app_name")))
                                                    .findFirst()
                                                    .orElse(null),
                                            request);
                                    requireSettled(app);
                                    return change.apply(unit, tenant, app);
                                })
                                .map(changed -> toReply(changed, changed.latest()))))
                .onSuccess(reply -> wakeWorker.run());
    }

    /** The options of the deployment of an app. */
    private record Change(DeploymentKind kind, boolean skipSeedData, boolean allowBreaking) {}

    private Future<Deployment> deploy(
            UnitOfWork unit, Request request, Tenant tenant, ObjectNode manifest, Change change) {
        var head = Json.toRecord(manifest, ManifestHead.class);
        var content = TenantAppJson.content(Json.toRecord(manifest, ContentBody.class), change.skipSeedData);
        return requests.requireQuotas(unit, tenant, 0).map(ok -> {
            var target = new DeploymentTarget(
                    head.name(),
                    change.kind,
                    head.version(),
                    BundleJson.checksum(manifest),
                    false,
                    change.allowBreaking,
                    null);
            var deployment = DeploymentApi.newDeployment(unit, request, tenant, target);
            deployments.insert(unit, deployment, Json.text(content), Json.text(head));
            DeploymentEvents.publishRequested(unit, request.principal(), INSTALL_ACTION, deployment);
            return deployment;
        });
    }

    private Future<Void> requireNotInstalled(UnitOfWork unit, Tenant tenant, String name) {
        return store.list(unit, tenant.orgId(), tenant.id()).map(apps -> {
            apps.stream().filter(app -> app.name().equals(name)).findFirst().ifPresent(app -> {
                var status = TenantAppStatus.of(app.latest(), app.effective());
                if (status != TenantAppStatus.UNINSTALLED && status != TenantAppStatus.FAILED) {
                    throw Problem.of(
                                    ErrorCode.TENANT_APP_EXISTS,
                                    "The app " + name + " is installed or being installed. Upgrade it instead.")
                            .asException();
                }
            });
            return null;
        });
    }

    private Future<Void> requireCompatible(UnitOfWork unit, Tenant tenant, ObjectNode manifest, boolean entitled) {
        return check(unit, tenant, manifest, entitled).map(result -> {
            if (!entitled) {
                throw Problem.of(
                                ErrorCode.APP_NOT_ENTITLED,
                                "No project of the organization is entitled to this app. Ask an administrator for an entitlement.")
                        .asException();
            }
            if (!result.compatible()) {
                throw Problem.validationOf(
                                ErrorCode.APP_INCOMPATIBLE,
                                result.issues().stream()
                                        .map(issue -> new FieldProblem(
                                                issue.category().text(), issue.message()))
                                        .toList())
                        .asException();
            }
            return null;
        });
    }

    private static void requireSettled(InstalledApp app) {
        if (!isInstalled(app)) {
            throw Problem.of(
                            ErrorCode.TENANT_APP_STATE_CONFLICT,
                            "The app " + app.name() + " is not installed, or a change of it is not finished.")
                    .asException();
        }
    }

    private Future<Void> requireUnused(UnitOfWork unit, Tenant tenant, InstalledApp app) {
        return store.list(unit, tenant.orgId(), tenant.id()).map(apps -> {
            apps.stream()
                    .filter(other -> isInstalled(other) && other.dependencies().contains(app.name()))
                    .findFirst()
                    .ifPresent(other -> {
                        throw Problem.of(
                                        ErrorCode.TENANT_APP_STATE_CONFLICT,
                                        "The app " + other.name() + " depends on " + app.name()
                                                + ". Uninstall it first.")
                                .asException();
                    });
            return null;
        });
    }

    private static InstalledApp requireApp(@Nullable InstalledApp app, Request request) {
        if (app == null) {
            throw Problem.of(
                            ErrorCode.TENANT_APP_NOT_FOUND,
                            "The app " + request.path("app_name") + " was never installed in this tenant.")
                    .asException();
        }
        return app;
    }

    private static InstalledApp queued(
            UUID appId, ManifestHead head, String appSlug, Deployment deployment, @Nullable Deployment effective) {
        return new InstalledApp(
                appId,
                head.name(),
                appSlug,
                head.label(),
                head.dependencies(),
                deployment,
                effective,
                List.of(),
                List.of());
    }

    private static Reply toReply(InstalledApp app, Deployment deployment) {
        return Reply.ofRecord(
                AppResponse.of(app),
                "/api/v1/orgs/" + deployment.orgId() + "/tenants/" + deployment.tenantId() + "/apps/" + app.name());
    }
}
