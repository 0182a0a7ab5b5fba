package dev.slipway.tenants.provisioning;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Failures;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.tenants.database.TenantAccess;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.ProvisioningStep;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Status;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantDecision;
import dev.slipway.tenants.tenant.domain.TenantDecision.Accepted;
import dev.slipway.tenants.tenant.domain.TenantEvent.StepChanged;
import dev.slipway.tenants.tenant.domain.TenantLifecycle;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import dev.slipway.tenants.work.LeasedWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Provisions and destroys tenants in the background. A worker claims a tenant by a lease, so that any process continues the work of one that
 * ended. Every step is recorded in its own transaction and can be repeated: CREATE DATABASE cannot be part of a transaction.
 */
public final class TenantWorker {
    private static final Logger LOG = LoggerFactory.getLogger(TenantWorker.class);
    private static final int MAX_ATTEMPTS = 3;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    private final Outbox outbox;
    private final TenantStore store;
    private final ProvisioningStore steps;
    private final TenantProvisioner provisioner;
    private final TenantAccess access;
    private final TenantDumps dumps;
    private final Consumer<UUID> onDestroyed;
    private final Duration lease;
    private final Clock clock;
    private final LeasedWork<Claim> work;

    /** A claimed tenant. */
    private record Claim(UUID leaseId, Tenant tenant) {}

    /**
     * @param onDestroyed called with the id of every tenant that this process has destroyed
     */
    public TenantWorker(
            Vertx vertx,
            Outbox outbox,
            TenantStore store,
            ProvisioningStore steps,
            TenantProvisioner provisioner,
            TenantAccess access,
            TenantDumps dumps,
            Consumer<UUID> onDestroyed,
            int maxActive,
            Duration lease,
            Clock clock) {
        this.outbox = outbox;
        this.store = store;
        this.steps = steps;
        this.provisioner = provisioner;
        this.access = access;
        this.dumps = dumps;
        this.onDestroyed = onDestroyed;
        this.lease = lease;
        this.clock = clock;
        this.work = new LeasedWork<>(
                vertx, "tenant", maxActive, lease, steps::isPending, this::claim, this::renew, this::run);
    }

    /** Looks for work periodically, and whenever {@link #wake} is called. Call it on the event loop of the service. */
    public void start() {
        work.start();
    }

    public void stop() {
        work.stop();
    }

    /** Starts work on the next tenant, if there is one and fewer than the maximum are being worked on. */
    public void wake() {
        work.wake();
    }

    private Future<@Nullable Claim> claim() {
        var leaseId = Ids.next();
        return outbox.transaction(context(), unit -> steps.claim(unit, leaseId, lease))
                .map(tenant -> tenant == null ? null : new Claim(leaseId, tenant));
    }

    /** Continues the tenant; after a failure, releases its lease for a later attempt. */
    private Future<Void> run(Claim claim) {
        return continueTenant(claim)
                .recover(e -> release(claim, RETRY_DELAY).transform(released -> Future.failedFuture(e)));
    }

    private Future<Void> renew(Claim claim) {
        return outbox.transaction(context(), unit -> {
            steps.renew(unit, claim.tenant.id(), claim.leaseId, lease);
            return Future.succeededFuture();
        });
    }

    private Future<Void> continueTenant(Claim claim) {
        var tenant = claim.tenant;
        return switch (tenant.status()) {
            case PROVISIONING -> steps.listSteps(tenant.id()).compose(found -> provision(claim, found));
            case DESTROYING -> destroyIfDue(claim);
            case ACTIVE, SUSPENDED, FAILED -> applyAccess(tenant.id()).compose(ok -> release(claim, Duration.ZERO));
        };
    }

    /** Runs the first step that is not done, and then the others. */
    private Future<Void> provision(Claim claim, List<ProvisioningStep> found) {
        for (var step : found) {
            if (!step.isDone()) {
                var rest = found.subList(found.indexOf(step) + 1, found.size());
                return runStep(claim, step)
                        .compose(continues -> continues ? provision(claim, rest) : release(claim, Duration.ZERO));
            }
        }
        return Future.succeededFuture();
    }

    /** Returns whether the next step can follow. */
    private Future<Boolean> runStep(Claim claim, ProvisioningStep step) {
        var tenant = claim.tenant;
        if (!step.name().appliesTo(tenant)) {
            return endStep(claim, step.name(), Status.SKIPPED);
        }
        return outbox.<Void>transaction(context(), unit -> {
                    steps.startStep(unit, tenant.id(), step.name());
                    steps.renew(unit, tenant.id(), claim.leaseId, lease);
                    return Future.succeededFuture();
                })
                .compose(ok -> execute(tenant, step.name()))
                .compose(ok -> endStep(claim, step.name(), Status.COMPLETED))
                .recover(e -> failStep(claim, step, e).map(false));
    }

    private Future<Void> execute(Tenant tenant, Name step) {
        return switch (step) {
            case CREATE_DATABASE -> provisioner.createDatabase(tenant);
            case CREATE_ROLE -> provisioner.createRoles(tenant);
            case SYNC_SCHEMA -> provisioner.createSchema(tenant);
            case APPLY_POLICIES -> provisioner.applyPolicies(tenant);
            case SEED_DATA -> provisioner.seedData(tenant);
            case REGISTER -> Future.succeededFuture();
        };
    }

    /** Registering is the transaction that makes the tenant active. */
    private Future<Boolean> endStep(Claim claim, Name step, Status status) {
        return outbox.transaction(context(), unit -> lockClaimed(unit, claim).map(tenant -> {
            if (tenant == null || tenant.status() != TenantStatus.PROVISIONING) {
                return false; // it is being destroyed, or another worker continues
            }
            steps.endStep(unit, tenant.id(), step, status, null);
            var next = store.appendStepEvent(unit, tenant, new StepChanged(step, status, null));
            if (step == Name.REGISTER) {
                apply(unit, claim, TenantLifecycle.activate(next, unit.now()), AuditResult.SUCCESS, null);
            }
            return true;
        }));
    }

    private Future<Void> failStep(Claim claim, ProvisioningStep step, Throwable failure) {
        var id = claim.tenant.id();
        LOG.atWarn()
                .addKeyValue("tenant_id", id)
                .addKeyValue("step", step.name())
                .setCause(failure)
                .log("provisioning step failed");
        if (Failures.isRetryable(failure) && step.attempts() + 1 < MAX_ATTEMPTS) {
            return release(claim, Duration.ofSeconds(1L + step.attempts()));
        }
        var error = describe(step.name(), failure);
        return outbox.transaction(context(), unit -> lockClaimed(unit, claim).map(tenant -> {
            if (tenant != null && tenant.status() == TenantStatus.PROVISIONING) {
                steps.endStep(unit, id, step.name(), Status.FAILED, error);
                var next = store.appendStepEvent(unit, tenant, new StepChanged(step.name(), Status.FAILED, error));
                apply(unit, claim, TenantLifecycle.fail(next, error, unit.now()), AuditResult.FAILURE, error);
            }
            return null;
        }));
    }

    private void apply(
            UnitOfWork unit, Claim claim, TenantDecision decision, AuditResult result, @Nullable String reason) {
        if (decision instanceof Accepted accepted) {
            store.update(unit, accepted.next(), accepted.event());
            steps.release(unit, claim.tenant.id(), claim.leaseId, Duration.ZERO);
            audit(unit, "tenants.tenant.provision", accepted.next(), result, reason);
        }
    }

    private Future<Void> destroyIfDue(Claim claim) {
        return claim.tenant.isDestructionDue(clock.instant())
                ? destroy(claim)
                : applyAccess(claim.tenant.id()).compose(ok -> release(claim, Duration.ZERO));
    }

    private Future<@Nullable UUID> writeDump(Tenant tenant) {
        if (!tenant.finalDump() || !tenant.hasTables() || tenant.provisionedAt() == null) {
            return Future.succeededFuture();
        }
        return dumps.find(tenant).compose(found -> found != null ? Future.succeededFuture(found) : dumps.write(tenant));
    }

    /** Access is denied before the dump, so that no record is written behind it. */
    private Future<Void> destroy(Claim claim) {
        var tenant = claim.tenant;
        return applyAccess(tenant.id())
                .compose(ok -> writeDump(tenant))
                .compose(dumpId -> (tenant.hasTables() ? provisioner.drop(tenant) : Future.<Void>succeededFuture())
                        .compose(ok -> outbox.transaction(
                                context(), unit -> lockClaimed(unit, claim).map(current -> {
                                    if (current != null && current.status() == TenantStatus.DESTROYING) {
                                        audit(unit, "tenants.tenant.destroy", current, AuditResult.SUCCESS, null);
                                        store.delete(unit, current, dumpId);
                                    }
                                    return (Void) null;
                                }))))
                .onSuccess(ok -> {
                    onDestroyed.accept(tenant.id());
                    LOG.atInfo().addKeyValue("tenant_id", tenant.id()).log("tenant destroyed");
                });
    }

    /**
     * Makes the rights in the database match the status of the tenant, unless they do: another worker may have changed them, and dropped the
     * database afterwards.
     */
    Future<Void> applyAccess(UUID tenantId) {
        return outbox.transaction(
                context(), unit -> store.lockForAccessChange(unit, tenantId).compose(tenant -> {
                    if (tenant == null) {
                        return Future.<Void>succeededFuture();
                    }
                    return (tenant.isActive() ? access.allow(tenant).map(true) : access.deny(tenant)).map(complete -> {
                        if (complete) {
                            store.clearAccessChange(unit, tenant);
                        }
                        return null;
                    });
                }));
    }

    private Future<@Nullable Tenant> lockClaimed(UnitOfWork unit, Claim claim) {
        return steps.holdsLease(unit, claim.tenant.id(), claim.leaseId)
                .compose(held ->
                        held ? store.lockById(unit, claim.tenant.id()) : Future.<@Nullable Tenant>succeededFuture());
    }

    private Future<Void> release(Claim claim, Duration delay) {
        return outbox.transaction(context(), unit -> {
            steps.release(unit, claim.tenant.id(), claim.leaseId, delay);
            return Future.succeededFuture();
        });
    }

    private static void audit(
            UnitOfWork unit, String action, Tenant tenant, AuditResult result, @Nullable String reason) {
        var entry = new AuditEntry(action, "tenant", tenant.id().toString(), tenant.orgId(), null, Json.object());
        AuditTrail.recordSystemAction(unit, "system", "tenants", null, entry, result, reason);
    }

    /** For the tenant. The message of the failure is for the log only: it can name hosts, roles and statements of the database server. */
    private static String describe(Name step, Throwable failure) {
        return step.text()
                + (Failures.isRetryable(failure)
                        ? " failed: the database did not respond, or was overloaded. Retry later."
                        : " failed: the database rejected it. The operator of Slipway finds the cause in the log.");
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}
