package dev.slipway.tenants.quota;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.quota.domain.Quota;
import dev.slipway.tenants.quota.domain.QuotaResult;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;

import java.util.Objects;
import java.util.UUID;

/** Reserves usage in the transaction of the change that uses it. Fails with {@code quota_exceeded} if the plan does not allow it. */
public final class QuotaGuard {
    private final QuotaStore store;

    public QuotaGuard(QuotaStore store) {
        this.store = store;
    }

    /** Adds records of an object. Parallel writers of the object wait for the end of the transaction. */
    public Future<Void> reserveRecords(UnitOfWork unit, Tenant tenant, Quotas quotas, String objectName, long amount) {
        var limit = quotas.limit(Quota.MAX_RECORDS_PER_OBJECT);
        return requireStorage(unit, tenant, quotas)
                .compose(ok -> store.addRecords(unit, tenant.id(), objectName, amount, limit))
                .compose(added -> added
                        ? Future.succeededFuture()
                        : store.countRecords(unit, tenant.id(), objectName)
                                .compose(current -> Future.failedFuture(exceeded(QuotaResult.exceeded(
                                        Quota.MAX_RECORDS_PER_OBJECT, current, Objects.requireNonNull(limit))))));
    }

    /** Registers a user of the tenant. */
    Future<Void> reserveUser(UnitOfWork unit, Tenant tenant, Quotas quotas, UUID userId) {
        return store.lockUsers(unit, tenant.id(), userId)
                .compose(users -> require(quotas.checkUser(users.count(), users.includesUser())))
                .map(ok -> {
                    store.upsertUser(unit, tenant.id(), userId);
                    return null;
                });
    }

    Future<Void> reserveUser(UnitOfWork unit, Tenant tenant, UUID userId) {
        return store.findQuotas(tenant.plan()).compose(quotas -> reserveUser(unit, tenant, quotas, userId));
    }

    public void releaseRecords(UnitOfWork unit, Tenant tenant, String objectName, long amount) {
        store.removeRecords(unit, tenant.id(), objectName, amount);
    }

    /** Uses the last measurement: the size of tables is not known exactly while they change. */
    private Future<Void> requireStorage(UnitOfWork unit, Tenant tenant, Quotas quotas) {
        return quotas.limit(Quota.MAX_STORAGE_BYTES) == null
                ? Future.succeededFuture()
                : store.findUsage(unit, tenant.id(), unit.now())
                        .compose(usage ->
                                require(quotas.check(Quota.MAX_STORAGE_BYTES, usage.currentStorageBytes(), 1)));
    }

    /** Fails unless the result is allowed. */
    private static Future<Void> require(QuotaResult result) {
        return result.allowed() ? Future.succeededFuture() : Future.failedFuture(exceeded(result));
    }

    private static ProblemException exceeded(QuotaResult result) {
        return new Problem(ErrorCode.QUOTA_EXCEEDED, String.valueOf(result.message()), Json.toObject(result))
                .asException();
    }
}
