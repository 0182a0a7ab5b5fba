package dev.slipway.tenants.router;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.quota.QuotaStore;
import dev.slipway.tenants.router.domain.TenantReference;
import dev.slipway.tenants.router.domain.TenantRuntimeContext;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the tenant of a request, and gives it a pooled client of the tenant's database. Tenants are cached; a change of a tenant removes its
 * entry in this process at once, and in the others as soon as they receive the record of the change.
 */
public final class TenantRouter {
    private static final int MAX_ENTRIES = 10_000;

    private final TenantStore tenants;
    private final QuotaStore quotas;
    private final MetadataStore metadata;
    private final TenantDatabases databases;
    private final TenantPools pools;
    private final TenantRuntimeContext kernel;
    private final Duration timeToLive;
    private final Map<UUID, Entry> entries = new ConcurrentHashMap<>();

    /** A cached tenant, which may still be loading: a load that started before an invalidation is not found after it. */
    private record Entry(Future<RoutedTenant> tenant, long loadedNanos) {}

    /**
     * The session of a caller.
     *
     * @param organizationIds the organizations in which the caller can access data
     * @param mayUse whether the caller can access the data of a tenant
     */
    public record TenantSession(List<UUID> organizationIds, Predicate<Tenant> mayUse) {
        public TenantSession {
            organizationIds = List.copyOf(organizationIds);
        }
    }

    /** A resolved tenant: its context, which has the tenant id, plan, region and database address, and its status. */
    public record ResolvedTenant(TenantRuntimeContext context, TenantStatus status) {}

    public TenantRouter(
            TenantStore tenants,
            QuotaStore quotas,
            MetadataStore metadata,
            TenantDatabases databases,
            TenantPools pools,
            TenantRuntimeContext kernel,
            Duration timeToLive) {
        this.tenants = tenants;
        this.quotas = quotas;
        this.metadata = metadata;
        this.databases = databases;
        this.pools = pools;
        this.kernel = kernel;
        this.timeToLive = timeToLive;
    }

    /**
     * Returns the context of the tenant that the session refers to, or null if there is none that the caller can use. Fails if more than one
     * matches. The status says whether the tenant accepts requests.
     */
    public Future<@Nullable ResolvedTenant> resolveTenant(TenantSession session, TenantReference reference) {
        return findId(session, reference)
                .compose(id -> id == null ? Future.<@Nullable RoutedTenant>succeededFuture() : findOrNull(id))
                .map(found -> found == null || !session.mayUse.test(found.tenant())
                        ? null
                        : new ResolvedTenant(context(found), found.tenant().status()));
    }

    private Future<@Nullable UUID> findId(TenantSession session, TenantReference reference) {
        var id = reference.id();
        return id != null
                ? Future.succeededFuture(id)
                : tenants.findUsable(session.organizationIds, reference.key()).map(TenantRouter::only);
    }

    private Future<@Nullable RoutedTenant> findOrNull(UUID tenantId) {
        return find(tenantId).recover(e -> isNotFound(e) ? Future.succeededFuture() : Future.failedFuture(e));
    }

    private static boolean isNotFound(Throwable failure) {
        return failure instanceof ProblemException refused && refused.problem().code() == ErrorCode.TENANT_NOT_FOUND;
    }

    private static @Nullable UUID only(List<Tenant> found) {
        if (found.size() > 1) {
            throw Problem.of(
                            ErrorCode.TENANT_AMBIGUOUS,
                            "More than one tenant matches. Name the tenant by its id, with the strategy header.")
                    .asException();
        }
        return found.isEmpty() ? null : found.get(0).id();
    }

    private TenantRuntimeContext context(RoutedTenant found) {
        var tenant = found.tenant();
        return kernel.withTenant(
                tenant.id(), tenant.plan(), tenant.region(), databases.connectionUrl(tenant), found.quotas());
    }

    /** Returns the tenant from the cache, or loads it. Fails with {@code tenant_not_found} if it does not exist. */
    public Future<RoutedTenant> find(UUID tenantId) {
        var now = System.nanoTime();
        if (entries.size() > MAX_ENTRIES) {
            entries.values().removeIf(entry -> isExpired(entry, now));
            if (entries.size() > MAX_ENTRIES) {
                entries.clear(); // more tenants in use than fit: they are loaded again
            }
        }
        var entry = entries.compute(
                tenantId, (id, known) -> known == null || isExpired(known, now) ? new Entry(load(id), now) : known);
        return entry.tenant.onFailure(e -> entries.remove(tenantId, entry));
    }

    private boolean isExpired(Entry entry, long nowNanos) {
        return nowNanos - entry.loadedNanos > timeToLive.toNanos();
    }

    private Future<RoutedTenant> load(UUID tenantId) {
        return tenants.findById(tenantId)
                .compose(tenant -> tenant == null
                        ? Future.failedFuture(notFound(tenantId))
                        : quotas.findQuotas(tenant.plan()).compose(limits -> metadata.list(tenantId)
                                .map(objects -> new RoutedTenant(tenant, limits, objects))));
    }

    /** Runs work with the client of an active tenant. */
    public <T> Future<T> withClient(Tenant tenant, Function<SqlClient, Future<T>> work) {
        return pools.with(tenant, work);
    }

    /** Returns the client of an active tenant. */
    public Future<SqlClient> getTenantClient(UUID tenantId) {
        return find(tenantId)
                .compose(found -> pools.client(found.requireActive().tenant()));
    }

    /** Removes the tenant from the cache and closes its connections in this process. */
    public void invalidateCache(UUID tenantId) {
        entries.remove(tenantId);
        pools.evict(tenantId);
    }

    /** Applies a record of the state topic: a tenant whose cached copy is older was changed by another process. */
    public void apply(ReceivedRecord record) {
        var payload = record.envelope().payload();
        var tenantId = UUID.fromString(payload.path("tenant_id").asText());
        var entry = entries.get(tenantId);
        if (entry != null && isOlder(entry, payload.path("generation").asLong())) {
            invalidateCache(tenantId);
        }
    }

    private static boolean isOlder(Entry entry, long generation) {
        var loaded = entry.tenant.result();
        return loaded == null || loaded.tenant().generation() < generation;
    }

    private static RuntimeException notFound(UUID id) {
        return Problem.of(ErrorCode.TENANT_NOT_FOUND, "Tenant " + id + " was not found, or you have no access to it.")
                .asException();
    }

    /** Returns the number of cached tenants. */
    public int size() {
        return entries.size();
    }

    /** Closes all connections. */
    public Future<Void> close() {
        return pools.close();
    }
}
