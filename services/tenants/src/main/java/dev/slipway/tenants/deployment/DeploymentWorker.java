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
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentKind;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.ValidationIssue;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.work.LeasedWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Runs queued deployments, one step at a time. A worker claims a deployment by a lease, so that any process continues the work of one that
 * ended; it holds neither a lock nor a transaction while a step works in the database of the tenant. Every step can be repeated.
 */
public final class DeploymentWorker {
    private static final Logger LOG = LoggerFactory.getLogger(DeploymentWorker.class);
    private static final int MAX_ACTIVE = 4;
    private static final int MAX_ATTEMPTS = 8;
    private static final Duration MAX_DELAY = Duration.ofMinutes(1);
    private static final String UNDONE = "Rolled back on request.";
    private static final String NOT_ACTIVE = "The tenant is not active. Resume it and deploy again.";

    private final Outbox outbox;
    private final DeploymentStore store;
    private final TenantStore tenants;
    private final DeploymentPlanner planner;
    private final MigrationExecutor executor;
    private final Duration lease;
    private final LeasedWork<DeploymentWork> work;

    /** The part of a step that is recorded: a change of the deployment and what belongs to it. */
    private interface StepResult {
        Future<Void> record(UnitOfWork unit);
    }

    /**
     * @param lease how long a deployment stays claimed after the worker's process ended
     */
    public DeploymentWorker(
            Vertx vertx,
            Outbox outbox,
            DeploymentStore store,
            TenantStore tenants,
            DeploymentPlanner planner,
            MigrationExecutor executor,
            Duration lease) {
        this.outbox = outbox;
        this.store = store;
        this.tenants = tenants;
        this.planner = planner;
        this.executor = executor;
        this.lease = lease;
        this.work = new LeasedWork<>(
                vertx, "deployment", MAX_ACTIVE, lease, store::isPending, this::claim, this::renew, this::run);
    }

    /** Continues what an earlier process left, and looks regularly for deployments whose process ended. */
    public void start() {
        work.start();
    }

    public void stop() {
        work.stop();
    }

    /** Runs queued deployments of several tenants until there are none. Call it on the event loop of the service. */
    public void wake() {
        work.wake();
    }

    private Future<@Nullable DeploymentWork> claim() {
        return outbox.transaction(context(Ids.next().toString()), unit -> store.claim(unit, Ids.next(), lease));
    }

    private Future<Void> run(DeploymentWork work) {
        return runStep(work).recover(e -> postpone(work, e));
    }

    private Future<Void> renew(DeploymentWork work) {
        return outbox.transaction(context(Ids.next().toString()), unit -> {
            store.renew(unit, work, lease);
            return Future.succeededFuture();
        });
    }

    private Future<Void> runStep(DeploymentWork work) {
        return tenants.find(work.deployment().orgId(), work.deployment().tenantId())
                .compose(tenant -> tenant == null
                        ? Future.<StepResult>succeededFuture(unit -> fail(unit, work, NOT_ACTIVE))
                        : execute(work, tenant).recover(e -> onFailure(work, e)))
                .compose(result -> record(work, result));
    }

    /** A deployment of a tenant that is not active ends, and what it has changed is undone. */
    private Future<StepResult> execute(DeploymentWork work, Tenant tenant) {
        var status = work.deployment().status();
        if (!tenant.isActive() && status != DeploymentStatus.ROLLING_BACK) {
            return Future.succeededFuture(unit -> fail(unit, work, NOT_ACTIVE));
        }
        return switch (status) {
            case VALIDATING -> Future.succeededFuture(unit -> validate(unit, work, tenant));
            case DIFFING -> plan(work, tenant);
            case MIGRATING -> migrate(work, tenant);
            case REGISTERING -> register(work, tenant);
            case ROLLING_BACK -> rollBack(work, tenant);
            case READY, FAILED -> throw new IllegalStateException("a finished deployment has no next step");
        };
    }

    /** Records the result of a step, unless another worker has taken over. */
    private Future<Void> record(DeploymentWork work, StepResult result) {
        return outbox.transaction(context(work.deployment().correlationId()), unit -> store.holdsLease(unit, work)
                .compose(held -> {
                    if (!held) {
                        return Future.succeededFuture();
                    }
                    store.release(unit, work.deployment().id(), Duration.ZERO, 0);
                    return result.record(unit);
                }));
    }

    /** Fails the deployment if its step cannot succeed; a step that may succeed later is retried. */
    private Future<StepResult> onFailure(DeploymentWork work, Throwable failure) {
        if (mayRetry(work, failure)) {
            return Future.failedFuture(failure);
        }
        LOG.atWarn()
                .addKeyValue("deployment_id", work.deployment().id())
                .addKeyValue("status", work.deployment().status())
                .setCause(failure)
                .log("deployment failed");
        return Future.succeededFuture(unit -> fail(unit, work, MigrationExecutor.describe(failure)));
    }

    /** A statement that was cancelled took too long, and would again. The undoing of a failed deployment is repeated in any case. */
    private static boolean mayRetry(DeploymentWork work, Throwable failure) {
        return work.attempts() < MAX_ATTEMPTS
                && (isUndoing(work.deployment())
                        || (Failures.isRetryable(failure) && !MigrationExecutor.isCancelled(failure)));
    }

    /** Returns whether a deployment that failed is rolled back, and not one on request. */
    private static boolean isUndoing(Deployment deployment) {
        return deployment.status() == DeploymentStatus.ROLLING_BACK && deployment.error() != null;
    }

    /** Releases the lease for a later attempt, so that it does not delay those of other tenants. */
    private Future<Void> postpone(DeploymentWork work, Throwable failure) {
        LOG.atWarn()
                .addKeyValue("deployment_id", work.deployment().id())
                .addKeyValue("attempts", work.attempts())
                .setCause(failure)
                .log("deployment step postponed");
        return outbox.transaction(context(work.deployment().correlationId()), unit -> store.holdsLease(unit, work)
                .compose(held -> {
                    if (!held) {
                        return Future.succeededFuture();
                    }
                    store.release(unit, work.deployment().id(), delay(work.attempts()), work.attempts() + 1);
                    return work.attempts() < MAX_ATTEMPTS
                            ? Future.succeededFuture()
                            : fail(unit, work, MigrationExecutor.describe(failure));
                }));
    }

    private static Duration delay(int attempts) {
        var seconds = 1L << Math.min(attempts, 10);
        return seconds < MAX_DELAY.toSeconds() ? Duration.ofSeconds(seconds) : MAX_DELAY;
    }

    private Future<Void> validate(UnitOfWork unit, DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        return store.loadMetadata(unit, deployment.tenantId()).compose(metadata -> {
            var content = content(work).content();
            var result = BundleValidator.validate(content, metadata.elsewhere(deployment.appName()));
            if (!result.valid()) {
                return fail(unit, work, describe(result.issues()));
            }
            // Deployments that were queued together have passed the check of the request together.
            return store.loadQuotas(unit, tenant.plan()).compose(quotas -> {
                var reason = deployment.kind() == DeploymentKind.UNINSTALL
                        ? null
                        : quotas.reasonAgainstObjects(
                                metadata.objectCountWith(deployment.appName(), content.objects()));
                if (reason != null) {
                    return fail(unit, work, reason);
                }
                store.updateStatus(unit, deployment.id(), DeploymentStatus.DIFFING);
                return Future.succeededFuture();
            });
        });
    }

    private static String describe(List<ValidationIssue> issues) {
        var first = issues.stream()
                .filter(issue -> issue.severity() == ValidationIssue.Severity.ERROR)
                .findFirst()
                .orElseThrow();
        return "The bundle is not valid: " + first.path() + ": " + first.message();
    }

    private Future<StepResult> plan(DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        return store.loadMetadata(deployment.tenantId())
                .compose(metadata -> planner.plan(
                        tenant,
                        deployment.appName(),
                        deployment.keepTables(),
                        metadata,
                        content(work).content()))
                .map(planned -> unit -> {
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

    private Future<StepResult> migrate(DeploymentWork work, Tenant tenant) {
        return executor.migrate(tenant, work.deployment().id(), storedPlan(work))
                .map(count -> unit -> {
                    store.updateMigrated(unit, work.deployment().id(), count);
                    return Future.succeededFuture();
                });
    }

    private Future<StepResult> register(DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        var body = content(work);
        return executor.seed(tenant, body.content()).map(seeded -> unit -> {
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

    private Future<StepResult> rollBack(DeploymentWork work, Tenant tenant) {
        var deployment = work.deployment();
        return executor.rollBack(tenant, deployment.id(), storedPlan(work)).map(ok -> unit -> {
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
        if (isUndoing(deployment)) {
            return end(
                    unit,
                    deployment,
                    DeploymentStatus.FAILED,
                    deployment.error() + " It could not be undone: " + error);
        }
        // A rollback on request that fails changes nothing: the deployment stays in effect, and its error says why.
        var next = status == DeploymentStatus.ROLLING_BACK ? DeploymentStatus.READY : DeploymentStatus.FAILED;
        return end(unit, deployment, next, error);
    }

    private Future<Void> end(UnitOfWork unit, Deployment deployment, DeploymentStatus status, String error) {
        store.complete(unit, deployment.id(), status, error, deployment.seededRecords());
        DeploymentEvents.publishCompleted(unit, deployment, status, error);
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

    private static ChangeContext context(String correlationId) {
        return new ChangeContext(correlationId, Context.root());
    }

    private static ObjectNode stored(@Nullable String json) {
        return Json.parseStoredObject(Objects.requireNonNull(json, "a planned deployment has a plan"));
    }
}
