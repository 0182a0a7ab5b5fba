package dev.slipway.tenants.quota;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.quota.domain.TenantUsage;
import dev.slipway.tenants.quota.domain.UsageReport;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.BiPredicate;

/** Measures the users, storage and records of tenants in the background, one tenant after the other, and reports their usage. */
public final class UsageRefresher {
    private static final Logger LOG = LoggerFactory.getLogger(UsageRefresher.class);
    private static final String EVENT = "tenants.usage.reported";
    private static final long MAX_POLL_MS = 5_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private final QuotaStore store;
    private final MetadataStore metadata;
    private final TenantProvisioner provisioner;
    private final RequestCounter requests;
    private final BiPredicate<UUID, UUID> isMember;
    private final Duration interval;
    private final Clock clock;
    private boolean stopping;

    /**
     * @param isMember returns whether an organization (the first id) has a user (the second)
     */
    public UsageRefresher(
            Vertx vertx,
            Outbox outbox,
            QuotaStore store,
            MetadataStore metadata,
            TenantProvisioner provisioner,
            RequestCounter requests,
            BiPredicate<UUID, UUID> isMember,
            Duration interval,
            Clock clock) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.store = store;
        this.metadata = metadata;
        this.provisioner = provisioner;
        this.requests = requests;
        this.isMember = isMember;
        this.interval = interval;
        this.clock = clock;
    }

    public void start() {
        schedule();
    }

    public void stop() {
        stopping = true;
    }

    private void schedule() {
        if (!stopping) {
            vertx.setTimer(Math.max(1, Math.min(MAX_POLL_MS, interval.toMillis())), timer -> requests.recordAll()
                    .onFailure(e -> LOG.atWarn().setCause(e).log("requests of tenants not recorded; retrying"))
                    .transform(recorded -> refreshDue())
                    .onComplete(done -> schedule()));
        }
    }

    /** Measures all tenants that are due. */
    private Future<Void> refreshDue() {
        return refreshNext()
                .onFailure(e -> LOG.atWarn().setCause(e).log("usage of a tenant not measured; retrying"))
                .otherwise(false)
                .compose(found -> found && !stopping ? refreshDue() : Future.succeededFuture());
    }

    /** Measures the tenant that was not measured for the longest time. Returns false if none is due. */
    public Future<Boolean> refreshNext() {
        var before = clock.instant().minus(interval);
        return outbox.transaction(
                new ChangeContext(Ids.next().toString(), Context.root()), unit -> store.claimDue(unit, before)
                        .compose(tenant -> tenant == null
                                ? Future.succeededFuture(false)
                                : measure(unit, tenant).map(true)));
    }

    private Future<Void> measure(UnitOfWork unit, Tenant tenant) {
        return store.findUsage(unit, tenant.id(), unit.now()).compose(before -> deleteFormerUsers(unit, tenant)
                .compose(ok -> tenant.hasTables() ? measureTables(unit, tenant) : measureNothing(unit, tenant))
                .compose(ok -> report(unit, tenant, before)));
    }

    private Future<Void> measureNothing(UnitOfWork unit, Tenant tenant) {
        store.setUsage(unit, tenant.id(), 0);
        return Future.succeededFuture();
    }

    private Future<Void> measureTables(UnitOfWork unit, Tenant tenant) {
        return metadata.list(tenant.id())
                .compose(objects -> provisioner.measureStorage(tenant).compose(bytes -> {
                    store.setUsage(unit, tenant.id(), bytes);
                    return countRecords(unit, tenant, objects.keySet());
                }));
    }

    /** Users who have left the organization, or were absent for long, make room for others. */
    private Future<Void> deleteFormerUsers(UnitOfWork unit, Tenant tenant) {
        return store.listUsers(unit, tenant.id()).map(users -> {
            store.deleteUsers(
                    unit,
                    tenant.id(),
                    unit.now().minus(TenantUsers.MAX_ABSENCE),
                    users.stream()
                            .filter(user -> !isMember.test(tenant.orgId(), user))
                            .toList());
            return null;
        });
    }

    /** The counts are locked before the records are counted, so that no record is counted twice or missed. */
    private Future<Void> countRecords(UnitOfWork unit, Tenant tenant, Collection<String> objects) {
        var names = List.copyOf(objects);
        return store.lockRecordCounts(unit, tenant.id())
                .compose(locked -> provisioner.countRecords(tenant, names))
                .map(counts -> {
                    counts.forEach((name, count) -> store.setRecords(unit, tenant.id(), name, count));
                    store.deleteMissingRecords(unit, tenant.id(), new ArrayList<>(names));
                    return null;
                });
    }

    private Future<Void> report(UnitOfWork unit, Tenant tenant, TenantUsage before) {
        return store.takeUnreported(unit, tenant.id())
                .compose(apiRequests -> store.findUsage(unit, tenant.id(), unit.now())
                        .map(usage -> {
                            var report = UsageReport.of(tenant, before.lastUpdatedAt(), unit.now(), usage, apiRequests);
                            unit.publish(Topics.TENANTS_EVENTS, tenant.id().toString(), EVENT, Json.toObject(report));
                            return null;
                        }));
    }
}
