package dev.slipway.tenants.router;

import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The connections to the databases of tenants. Every pool reserves its connections, so that the total never exceeds the limit; the least
 * recently used pool without requests gives way to another one.
 */
public final class TenantPools {
    private static final Logger LOG = LoggerFactory.getLogger(TenantPools.class);
    private static final int CONNECT_TIMEOUT_SECONDS = 5;
    private static final long WAIT_MS = 2;
    private static final long MAX_WAIT_NS = 5_000_000_000L;
    private static final int PIPELINING_LIMIT = 64;

    private final Vertx vertx;
    private final TenantDatabases databases;
    private final int poolSize;
    private final int maxPools;
    private final Duration idle;
    /** In the order of use, the least recently used first. */
    private final Map<UUID, TenantPool> pools = new LinkedHashMap<>(16, 0.75f, true);
    /** Pools that are being closed, some of them when their requests have ended; their connections still count. */
    private int closing;

    /**
     * The limits of the connections to tenant databases in this process.
     *
     * @param maxPools the tenants that have open connections at a time
     * @param poolSize the connections per tenant
     * @param maxConnections the connections altogether
     * @param idle how long an unused pool stays open
     */
    public record Limits(int maxPools, int poolSize, int maxConnections, Duration idle) {}

    /** The connections to one tenant. */
    private static final class TenantPool {
        private final UUID tenantId;
        private final SqlClient client;
        private int requests;
        private long lastUsedNanos = System.nanoTime();
        private boolean evicted;

        TenantPool(UUID tenantId, SqlClient client) {
            this.tenantId = tenantId;
            this.client = client;
        }
    }

    public TenantPools(Vertx vertx, TenantDatabases databases, Limits limits) {
        this.vertx = vertx;
        this.databases = databases;
        this.poolSize = Math.min(limits.poolSize, limits.maxConnections);
        this.maxPools = Math.min(limits.maxPools, limits.maxConnections / poolSize);
        this.idle = limits.idle;
        var checkMs = Math.max(1, idle.toMillis() / 2);
        vertx.setPeriodic(checkMs, timer -> closeIdle());
    }

    /** Runs work with the client of the tenant. Waits if all connections are in use by other tenants. */
    public <T> Future<T> with(Tenant tenant, Function<SqlClient, Future<T>> work) {
        return acquire(tenant, true, System.nanoTime() + MAX_WAIT_NS).compose(pool -> {
            Future<T> result;
            try {
                result = work.apply(pool.client);
            } catch (RuntimeException e) {
                result = Future.failedFuture(e);
            }
            return result.onComplete(done -> release(pool));
        });
    }

    /** Returns the client of the tenant, for callers that run single statements. It is closed when the pool is evicted. */
    Future<SqlClient> client(Tenant tenant) {
        return acquire(tenant, true, System.nanoTime() + MAX_WAIT_NS).map(pool -> {
            release(pool);
            return pool.client;
        });
    }

    /** A request evicts another tenant once, and then waits until the connections of that one are closed. */
    private Future<TenantPool> acquire(Tenant tenant, boolean mayEvict, long deadlineNanos) {
        var pool = tryAcquire(tenant, mayEvict);
        if (pool != null) {
            return Future.succeededFuture(pool);
        }
        return System.nanoTime() - deadlineNanos < 0
                ? vertx.timer(WAIT_MS).compose(ok -> acquire(tenant, false, deadlineNanos))
                : Future.failedFuture(new TimeoutException("all connections to tenant databases are in use"));
    }

    private synchronized @Nullable TenantPool tryAcquire(Tenant tenant, boolean mayEvict) {
        var pool = pools.get(tenant.id());
        if (pool == null) {
            if (pools.size() + closing >= maxPools) {
                if (mayEvict || closing == 0) {
                    evictLeastRecentlyUsed();
                }
                return null;
            }
            pool = new TenantPool(tenant.id(), open(tenant));
            pools.put(tenant.id(), pool);
        }
        pool.requests++;
        pool.lastUsedNanos = System.nanoTime();
        return pool;
    }

    private synchronized void release(TenantPool pool) {
        pool.requests--;
        if (pool.evicted && pool.requests == 0) {
            close(pool);
        }
    }

    private SqlClient open(Tenant tenant) {
        return PgBuilder.client()
                .using(vertx)
                .connectingTo(databases.clientOptions(tenant).setPipeliningLimit(PIPELINING_LIMIT))
                .with(new PoolOptions()
                        .setName("tenant")
                        .setMaxSize(poolSize)
                        .setConnectionTimeout(CONNECT_TIMEOUT_SECONDS))
                .build();
    }

    /** Does nothing if all pools have requests. */
    private void evictLeastRecentlyUsed() {
        for (var pool : pools.values()) {
            if (pool.requests == 0) {
                evict(pool.tenantId);
                return;
            }
        }
    }

    /** Closes the connections of the tenant when its current requests have ended. */
    public synchronized void evict(UUID tenantId) {
        var pool = pools.remove(tenantId);
        if (pool == null) {
            return;
        }
        closing++;
        pool.evicted = true;
        if (pool.requests == 0) {
            close(pool);
        }
    }

    private synchronized void closeIdle() {
        var oldest = System.nanoTime() - idle.toNanos();
        pools.values().stream()
                .filter(pool -> pool.requests == 0 && pool.lastUsedNanos - oldest < 0)
                .map(pool -> pool.tenantId)
                .toList()
                .forEach(this::evict);
    }

    private void close(TenantPool pool) {
        pool.client
                .close()
                .onFailure(e -> LOG.atWarn()
                        .addKeyValue("tenant_id", pool.tenantId)
                        .setCause(e)
                        .log("connections of a tenant could not be closed"))
                .onComplete(done -> onClosed());
    }

    private synchronized void onClosed() {
        closing--;
    }

    /** Returns the number of open pools. */
    public synchronized int size() {
        return pools.size() + closing;
    }

    /** Closes all pools. */
    public synchronized Future<Void> close() {
        var closed = Future.join(
                pools.values().stream().map(pool -> pool.client.close()).toList());
        pools.clear();
        return closed.mapEmpty();
    }
}
