package dev.slipway.tenants.usage;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.quota.QuotaStore;
import dev.slipway.tenants.quota.RequestCounter;
import dev.slipway.tenants.quota.domain.Quota;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.quota.domain.TenantUsage;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

/** Serves the usage of tenants and checks of their quotas. */
public final class TenantUsageApi {
    private static final String DEFAULT_QUOTA = "max_objects";

    private final TenantStore tenants;
    private final QuotaStore store;
    private final MetadataStore metadata;
    private final RequestCounter requests;
    private final Clock clock;

    private record UsageBody(
            UUID tenantId,
            TenantPlan plan,
            Quotas quotas,
            TenantUsage usage,
            @Nullable Long ageSeconds) {}

    public TenantUsageApi(
            TenantStore tenants, QuotaStore store, MetadataStore metadata, RequestCounter requests, Clock clock) {
        this.tenants = tenants;
        this.store = store;
        this.metadata = metadata;
        this.requests = requests;
        this.clock = clock;
    }

    public Future<Reply> get(Request request) {
        return find(request).compose(tenant -> store.findQuotas(tenant.plan())
                .compose(quotas -> usage(tenant).map(usage -> Reply.ofRecord(body(tenant, quotas, usage)))));
    }

    private UsageBody body(Tenant tenant, Quotas quotas, TenantUsage usage) {
        var measuredAt = usage.lastUpdatedAt();
        var age = measuredAt == null
                ? null
                : Math.max(0, Duration.between(measuredAt, clock.instant()).toSeconds());
        return new UsageBody(tenant.id(), tenant.plan(), quotas, usage, age);
    }

    /** Checks a quota without using anything. */
    public Future<Reply> check(Request request) {
        var quota = TextEnum.parse(Quota.class, Objects.requireNonNullElse(request.query("quota"), DEFAULT_QUOTA));
        var amount = Long.parseLong(Objects.requireNonNullElse(request.query("amount"), "1"));
        return find(request).compose(tenant -> currentUsage(tenant, quota, request.query("object"))
                .compose(current -> store.findQuotas(tenant.plan())
                        .map(quotas -> Reply.ofRecord(quotas.check(quota, current, amount)))));
    }

    private Future<Long> currentUsage(Tenant tenant, Quota quota, @Nullable String objectName) {
        if (quota != Quota.MAX_RECORDS_PER_OBJECT) {
            return usage(tenant).map(usage -> usage.of(quota));
        }
        if (objectName == null) {
            return Future.failedFuture(
                    Problem.validationOf(ErrorCode.VALIDATION_ERROR, "object", "is required for this quota")
                            .asException());
        }
        return metadata.find(tenant.id(), objectName)
                .compose(found -> found == null
                        ? Future.failedFuture(Problem.of(
                                        ErrorCode.OBJECT_NOT_FOUND,
                                        "No object with this name is deployed to the tenant.")
                                .asException())
                        : store.countRecords(tenant.id(), objectName));
    }

    private Future<TenantUsage> usage(Tenant tenant) {
        return store.findUsage(tenant.id(), clock.instant())
                .map(stored -> new TenantUsage(
                        stored.currentUsers(),
                        stored.currentStorageBytes(),
                        stored.currentObjectCount(),
                        stored.currentRecordCount(),
                        stored.deploymentsToday(),
                        requests.requestsThisMinute(tenant.id(), stored.apiRequestsThisMinute()),
                        stored.lastUpdatedAt()));
    }

    private Future<Tenant> find(Request request) {
        return tenants.find(request.pathId("org_id"), request.pathId("tenant_id"))
                .map(TenantStore::required);
    }
}
