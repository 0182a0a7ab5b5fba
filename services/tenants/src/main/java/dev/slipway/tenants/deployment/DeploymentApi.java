package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.deployment.BundleJson.ContentBody;
import dev.slipway.tenants.deployment.BundleJson.ManifestBody;
import dev.slipway.tenants.deployment.DeploymentJson.DeploymentBody;
import dev.slipway.tenants.deployment.DeploymentJson.DeploymentResponse;
import dev.slipway.tenants.deployment.DeploymentJson.PlanResponse;
import dev.slipway.tenants.deployment.DeploymentJson.StoredDocuments;
import dev.slipway.tenants.deployment.DeploymentStore.StoredDeployment;
import dev.slipway.tenants.deployment.domain.BundleValidator;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentKind;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/** Serves the deployments of a tenant's own bundles. */
public final class DeploymentApi {
    private static final String NO_METADATA = "{}";

    private final DeploymentStore store;
    private final DeploymentRequests requests;
    private final DeploymentPlanner planner;
    private final Mutations mutations;
    private final Runnable wakeWorker;

    /**
     * @param wakeWorker called when a deployment is queued
     */
    public DeploymentApi(
            DeploymentStore store,
            DeploymentRequests requests,
            DeploymentPlanner planner,
            Mutations mutations,
            Runnable wakeWorker) {
        this.store = store;
        this.requests = requests;
        this.planner = planner;
        this.mutations = mutations;
        this.wakeWorker = wakeWorker;
    }

    public Future<Reply> list(Request request) {
        var cursor = request.cursor();
        var limit = request.limit();
        return requests.requireTenant(request).compose(tenant -> store.page(tenant.orgId(), tenant.id(), cursor, limit)
                .map(page -> page.toReply(DeploymentApi::response)));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.pathId("tenant_id"), request.pathId("deployment_id"))
                .map(found -> Reply.ofRecord(response(requireDeployment(found, request))));
    }

    /** Plans a deployment and changes nothing. */
    public Future<Reply> plan(Request request) {
        var bundle = (ObjectNode) request.body();
        var content = Json.toRecord(bundle, ContentBody.class).content();
        var checksum = requireChecksum(bundle);
        return requests.requireTenant(request)
                .map(DeploymentRequests::requireActive)
                .compose(tenant -> store.loadMetadata(tenant.id()).compose(metadata -> {
                    var validation = BundleValidator.validate(content, metadata.elsewhere(Deployment.OWN_BUNDLE));
                    DeploymentRequests.requireValid(validation);
                    return planner.plan(tenant, Deployment.OWN_BUNDLE, false, metadata, content)
                            .map(planned -> Reply.ofRecord(new PlanResponse(
                                    validation, planned.diff(), planned.plan(), planned.hash(), checksum)));
                }));
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), DeploymentBody.class);
        var manifest = Json.toRecord(body.bundle().path("manifest"), ManifestBody.class);
        var checksum = requireChecksum(body.bundle());
        return mutations
                .run(request, unit -> requests.lockTenant(unit, request).compose(tenant -> store.findLatest(
                                unit, tenant.id(), Deployment.OWN_BUNDLE)
                        .compose(latest ->
                                latest != null && latest.deployment().checksum().equals(checksum)
                                        ? Future.succeededFuture(accepted(latest))
                                        : queue(unit, request, tenant, body, manifest, checksum))))
                .onSuccess(reply -> wakeWorker.run());
    }

    private Future<Reply> queue(
            UnitOfWork unit,
            Request request,
            Tenant tenant,
            DeploymentBody body,
            ManifestBody manifest,
            String checksum) {
        var content = Json.toRecord(body.bundle(), ContentBody.class).content();
        return store.loadMetadata(unit, tenant.id()).compose(metadata -> {
            DeploymentRequests.requireValid(
                    BundleValidator.validate(content, metadata.elsewhere(Deployment.OWN_BUNDLE)));
            return requests.requireQuotas(
                            unit, tenant, metadata.objectCountWith(Deployment.OWN_BUNDLE, content.objects()))
                    .map(ok -> {
                        var deployment = newDeployment(
                                unit,
                                request,
                                tenant,
                                new DeploymentTarget(
                                        Deployment.OWN_BUNDLE,
                                        DeploymentKind.DEPLOY,
                                        manifest.version(),
                                        checksum,
                                        false,
                                        body.allowBreaking(),
                                        body.planHash()));
                        var stored = new StoredDocuments(
                                manifest.metadata() == null ? NO_METADATA : Json.text(manifest.metadata()), null, null);
                        store.insert(unit, deployment, Json.text(body.bundle()), stored.metadata());
                        DeploymentEvents.publishRequested(
                                unit, request.principal(), "tenants.deployment.create", deployment);
                        return accepted(new StoredDeployment(deployment, stored));
                    });
        });
    }

    /** The bundle to deploy, and the options of its deployment. */
    record DeploymentTarget(
            String appName,
            DeploymentKind kind,
            String version,
            String checksum,
            boolean keepTables,
            boolean allowBreaking,
            @Nullable String expectedPlanHash) {}

    static Deployment newDeployment(UnitOfWork unit, Request request, Tenant tenant, DeploymentTarget target) {
        return new Deployment(
                Ids.next(),
                tenant.id(),
                tenant.orgId(),
                target.appName,
                target.kind,
                target.version,
                target.checksum,
                target.keepTables,
                target.allowBreaking,
                target.expectedPlanHash,
                DeploymentStatus.VALIDATING,
                null,
                0,
                0,
                List.of(),
                null,
                request.principal().id(),
                unit.context().correlationId(),
                unit.now(),
                null,
                null,
                null);
    }

    /** Only the latest deployment of a bundle can be undone, because later ones build on it. */
    public Future<Reply> rollBack(Request request) {
        return mutations
                .run(request, unit -> requests.lockTenant(unit, request).compose(tenant -> store.find(
                                unit, tenant.orgId(), tenant.id(), request.pathId("deployment_id"))
                        .map(found -> requireDeployment(found, request))
                        .compose(found -> store.findLatest(
                                        unit, tenant.id(), found.deployment().appName())
                                .map(latest -> {
                                    requireUndoable(
                                            found.deployment(),
                                            Objects.requireNonNullElse(latest, found)
                                                    .deployment());
                                    var undone = found.deployment().withStatus(DeploymentStatus.ROLLING_BACK);
                                    store.startRollback(unit, undone.id(), null);
                                    DeploymentEvents.publishRequested(
                                            unit, request.principal(), "tenants.deployment.rollback", undone);
                                    return accepted(new StoredDeployment(undone, found.documents()));
                                }))))
                .onSuccess(reply -> wakeWorker.run());
    }

    private static void requireUndoable(Deployment deployment, Deployment latest) {
        if (deployment.status() != DeploymentStatus.READY || !deployment.id().equals(latest.id())) {
            throw Problem.of(
                            ErrorCode.ROLLBACK_NOT_POSSIBLE,
                            "Only the latest deployment of a bundle can be rolled back, and only when it is ready.")
                    .asException();
        }
    }

    private static StoredDeployment requireDeployment(@Nullable StoredDeployment found, Request request) {
        if (found == null) {
            throw Problem.of(
                            ErrorCode.DEPLOYMENT_NOT_FOUND,
                            "There is no deployment " + request.path("deployment_id") + " here.")
                    .asException();
        }
        return found;
    }

    /** Returns the checksum of the bundle. Fails if the manifest states another one: the bundle was changed on the way. */
    private static String requireChecksum(ObjectNode bundle) {
        var checksum = BundleJson.checksum(bundle);
        var stated = bundle.path("manifest").path("checksum");
        if (stated.isTextual() && !stated.textValue().equals(checksum)) {
            throw Problem.validationOf(
                            ErrorCode.BUNDLE_INVALID,
                            "/manifest/checksum",
                            "is not the checksum of the bundle, which is " + checksum)
                    .asException();
        }
        return checksum;
    }

    private static Reply accepted(StoredDeployment stored) {
        var deployment = stored.deployment();
        return Reply.ofRecord(
                response(stored),
                "/api/v1/orgs/" + deployment.orgId() + "/tenants/" + deployment.tenantId() + "/deployments/"
                        + deployment.id());
    }

    private static DeploymentResponse response(StoredDeployment stored) {
        return DeploymentResponse.of(stored.deployment(), stored.documents());
    }
}
