package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.deployment.BundleJson.ContentBody;
import dev.slipway.tenants.deployment.DeployedMetadata.AppMetadata;
import dev.slipway.tenants.deployment.DeploymentStore.DeploymentWork;
import dev.slipway.tenants.deployment.domain.BundleValidator;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.ValidationIssue;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Runs queued deployments, one step per transaction. The row of the deployment stays locked during a step, so that another process continues
 * after a crash, and every step can be repeated.
 */
public final class DeploymentWorker {
    private static final Logger LOG = LoggerFactory.getLogger(DeploymentWorker.class);
    private static final long POLL_INTERVAL_MS = 10_000;
    private static final String UNDONE = "Rolled back on request.";

    private final Vertx vertx;
    private final Outbox outbox;
    private final DeploymentStore store;
    private final TenantStore tenants;
    private final DeploymentPlanner planner;
    private final MigrationExecutor executor;
    private boolean running;
    private boolean wokenWhileRunning;

    public DeploymentWorker(
            Vertx vertx,
            Outbox outbox,
            DeploymentStore store,
            TenantStore tenants,
            DeploymentPlanner planner,
            MigrationExecutor executor) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.store = store;
        this.tenants = tenants;
        this.planner = planner;
        this.executor = executor;
    }

    /** Continues what an earlier process left, and looks regularly for deployments whose process crashed. */
    public void start() {
        vertx.setPeriodic(0, POLL_INTERVAL_MS, timer -> wake());
    }

    /** Runs queued deployments until there are none. Call it on the event loop of the service. */
    public void wake() {
        if (running) {
            wokenWhileRunning = true;
            return;
        }
        running = true;
        runAll().onComplete(done -> {
            running = false;
            if (done.failed()) {
                LOG.atWarn().setCause(done.cause()).log("deployment step not completed; retrying");
            } else if (wokenWhileRunning) {
                wokenWhileRunning = false;
                wake();
            }
        });
    }

    private Future<Void> runAll() {
        return outbox.transaction(new ChangeContext(Ids.next().toString(), Context.root()), unit -> store.lockNext(unit)
                        .compose(work -> work == null
                                ? Future.succeededFuture(false)
                                : runStep(
                                                unit.withContext(new ChangeContext(
                                                        work.deployment().correlationId(), Context.root())),
                                                work)
                                        .map(true)))
                .compose(found -> found ? runAll() : Future.succeededFuture());
    }

    /** Fails the deployment if its step cannot succeed; a step that may succeed later is retried. */
    private Future<Void> runStep(UnitOfWork unit, DeploymentWork work) {
        return tenants.lock(unit, work.deployment().orgId(), work.deployment().tenantId())
                .compose(tenant -> tenant == null || !tenant.isActive()
                        ? fail(unit, work, "The tenant is not active. Resume it and deploy again.")
                        : runStep(unit, work, tenant).recover(e -> onFailure(unit, work, e)));
    }

    private Future<Void> runStep(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        return switch (work.deployment().status()) {
            case VALIDATING -> validate(unit, work);
            case DIFFING -> plan(unit, work, tenant);
            case MIGRATING -> migrate(unit, work, tenant);
            case REGISTERING -> register(unit, work, tenant);
            case ROLLING_BACK -> rollBack(unit, work, tenant);
            case READY, FAILED -> throw new IllegalStateException("a finished deployment has no next step");
        };
    }

    private Future<Void> onFailure(UnitOfWork unit, DeploymentWork work, Throwable failure) {
        if (Failures.isRetryable(failure)) {
            return Future.failedFuture(failure);
        }
        LOG.atWarn()
                .addKeyValue("deployment_id", work.deployment().id())
                .addKeyValue("status", work.deployment().status())
                .setCause(failure)
                .log("deployment failed");
        return fail(unit, work, MigrationExecutor.describe(failure));
    }

    private Future<Void> validate(UnitOfWork unit, DeploymentWork work) {
        var deployment = work.deployment();
        return store.loadMetadata(unit, deployment.tenantId()).compose(metadata -> {
            var result = BundleValidator.validate(content(work).content(), metadata.elsewhere(deployment.appName()));
            if (!result.valid()) {
                return fail(unit, work, describe(result.issues()));
            }
            store.updateStatus(unit, deployment.id(), DeploymentStatus.DIFFING);
            return Future.succeededFuture();
        });
    }

    private static String describe(List<ValidationIssue> issues) {
        var first = issues.stream()
                .filter(issue -> issue.severity() == ValidationIssue.Severity.ERROR)
                .findFirst()
                .orElseThrow();
        return "The bundle is not valid: " + first.path() + ": " + first.message();
    }

    private Future<Void> plan(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        return store.loadMetadata(unit, deployment.tenantId())
                .compose(metadata -> planner.plan(
                        tenant,
                        deployment.appName(),
                        deployment.keepTables(),
                        metadata,
                        content(work).content()))
                .compose(planned -> {
                    var reason = deployment.reasonAgainst(planned.diff(), planned.hash());
                    if (reason != null) {
                        return fail(unit, work, reason);
                    }
                    store.updatePlan(
                            unit,
                            deployment.id(),
                            Json.text(planned.diff()),
                            Json.text(planned.plan()),
                            planned.hash(),
                            Json.text(planned.previous()),
                            Json.text(planned.unrestorable()));
                    return Future.succeededFuture();
                });
    }

    private Future<Void> migrate(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        return executor.migrate(tenant, work.deployment().id(), storedPlan(work))
                .onSuccess(count -> store.updateMigrated(unit, work.deployment().id(), count))
                .mapEmpty();
    }

    private Future<Void> register(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        var body = content(work);
        return executor.seed(tenant, body.content()).compose(seeded -> {
            var previous = storedPrevious(work);
            store.replaceMetadata(
                    unit,
                    deployment,
                    new AppMetadata(body.objects(), body.views(), body.flows(), body.permissions(), List.of()));
            store.deleteRetained(unit, deployment.tenantId(), body.objects());
            if (deployment.keepTables()) {
                store.insertRetained(unit, deployment.tenantId(), removed(previous.objects(), body.objects()));
            }
            store.complete(unit, deployment.id(), DeploymentStatus.READY, null, seeded);
            DeploymentEvents.publishCompleted(unit, deployment, DeploymentStatus.READY, null);
            return tenants.invalidateCaches(unit, deployment.tenantId());
        });
    }

    private static List<ObjectDefinition> removed(List<ObjectDefinition> before, List<ObjectDefinition> after) {
        var kept = DeployedMetadata.names(after);
        return before.stream()
                .filter(Predicate.not(object -> kept.contains(object.name())))
                .toList();
    }

    private Future<Void> rollBack(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        return executor.rollBack(tenant, deployment.id(), storedPlan(work)).compose(ok -> {
            var previous = storedPrevious(work);
            store.replaceMetadata(unit, deployment, previous);
            store.insertRetained(unit, deployment.tenantId(), previous.retained());
            if (deployment.keepTables()) {
                store.deleteRetained(unit, deployment.tenantId(), previous.objects());
            }
            var error = Objects.requireNonNullElse(deployment.error(), UNDONE);
            store.completeRollback(unit, deployment.id(), error);
            DeploymentEvents.publishCompleted(unit, deployment, DeploymentStatus.FAILED, error);
            return tenants.invalidateCaches(unit, deployment.tenantId());
        });
    }

    /** A migration that is committed in part or in whole is undone before the deployment counts as failed. */
    private Future<Void> fail(UnitOfWork unit, DeploymentWork work, String error) {
        var deployment = work.deployment();
        var status = deployment.status();
        if (status == DeploymentStatus.MIGRATING || status == DeploymentStatus.REGISTERING) {
            store.startRollback(unit, deployment.id(), error);
            return Future.succeededFuture();
        }
        // A rollback on request that fails changes nothing: the deployment stays in effect, and its error says why.
        var next = status == DeploymentStatus.ROLLING_BACK && deployment.error() == null
                ? DeploymentStatus.READY
                : DeploymentStatus.FAILED;
        store.complete(unit, deployment.id(), next, error, deployment.seededRecords());
        DeploymentEvents.publishCompleted(unit, deployment, next, error);
        return Future.succeededFuture();
    }

    private static ContentBody content(DeploymentWork work) {
        return Json.toRecord(Json.parseStoredObject(work.bundle()), ContentBody.class);
    }

    private static MigrationPlan storedPlan(DeploymentWork work) {
        return Json.toRecord(stored(work.plan()), MigrationPlan.class);
    }

    private static AppMetadata storedPrevious(DeploymentWork work) {
        return Json.toRecord(stored(work.previous()), AppMetadata.class);
    }

    private static ObjectNode stored(@Nullable String json) {
        return Json.parseStoredObject(Objects.requireNonNull(json, "a planned deployment has a plan"));
    }
}
