package dev.slipway.tenants.quota;

import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registers the users of tenants. A user counts from the first use of the data API or the first credential, and until 30 days after the last
 * one or until the user has no role in the organization any more. Machines do not count.
 */
public final class TenantUsers {
    static final Duration MAX_ABSENCE = Duration.ofDays(30);
    /** A user who was registered a short time ago is not registered again with every request. */
    private static final Duration CACHE_TIME = Duration.ofMinutes(10);

    private static final int MAX_CACHED = 100_000;

    private final Outbox outbox;
    private final QuotaGuard guard;
    private final Clock clock;
    private final Map<TenantUser, Long> registeredMillis = new ConcurrentHashMap<>();

    private record TenantUser(UUID tenantId, UUID userId) {}

    public TenantUsers(Outbox outbox, QuotaGuard guard, Clock clock) {
        this.outbox = outbox;
        this.guard = guard;
        this.clock = clock;
    }

    /** Registers the caller of a request. Fails with {@code quota_exceeded} if the tenant has as many users as its plan allows. */
    public Future<Void> register(Principal caller, Tenant tenant, Quotas quotas) {
        if (caller.type() != ActorType.USER) {
            return Future.succeededFuture();
        }
        var user = new TenantUser(tenant.id(), caller.id());
        var now = clock.millis();
        var registered = registeredMillis.get(user);
        if (registered != null && now - registered < CACHE_TIME.toMillis()) {
            return Future.succeededFuture();
        }
        return outbox.transaction(
                        new ChangeContext(Ids.next().toString(), Context.root()),
                        unit -> guard.reserveUser(unit, tenant, quotas, caller.id()))
                .onSuccess(ok -> cache(user, now));
    }

    /** Registers the caller in the transaction of a change. */
    public Future<Void> register(UnitOfWork unit, Principal caller, Tenant tenant) {
        return caller.type() == ActorType.USER
                ? guard.reserveUser(unit, tenant, caller.id())
                : Future.succeededFuture();
    }

    private void cache(TenantUser user, long now) {
        if (registeredMillis.size() >= MAX_CACHED) {
            registeredMillis.clear();
        }
        registeredMillis.put(user, now);
    }
}
