package dev.slipway.tenants.quota;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.tenants.quota.domain.Quota;
import dev.slipway.tenants.quota.domain.QuotaResult;
import dev.slipway.tenants.quota.domain.Quotas;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the data API requests of each tenant per minute. A process takes a part of the limit from a row in the database and uses it up without
 * further access to it, so that all processes together never exceed the limit. What a process has taken and not used is lost with the minute.
 */
public final class RequestCounter {
    static final long MINUTE_MS = 60_000;
    private static final int MAX_TENANTS = 100_000;
    /** A process takes a twentieth of the limit at a time. */
    private static final long PARTS = 20;

    private final Outbox outbox;
    private final QuotaStore store;
    private final Clock clock;
    private final Map<UUID, Window> windows = new ConcurrentHashMap<>();

    /** The requests of a tenant in the present minute, and those that are not recorded yet. Guarded by itself. */
    private static final class Window {
        private long minute;
        private long requests;
        private long permits;
        private long unrecorded;
        /** The limit at which nothing was left in this minute. */
        private long exhaustedLimit = -1;

        private @Nullable Future<Void> refill;

        private void moveTo(long now) {
            if (minute < now) {
                minute = now;
                requests = 0;
                permits = 0;
                exhaustedLimit = -1;
            }
        }

        private synchronized boolean isUnused(long now) {
            return minute < now && unrecorded == 0;
        }
    }

    public RequestCounter(Outbox outbox, QuotaStore store, Clock clock) {
        this.outbox = outbox;
        this.store = store;
        this.clock = clock;
    }

    /** Counts a request if the limit allows it. */
    public Future<QuotaResult> count(UUID tenantId, Quotas quotas) {
        var minute = clock.millis() / MINUTE_MS;
        if (windows.size() > MAX_TENANTS) {
            windows.values().removeIf(window -> window.isUnused(minute));
        }
        var window = windows.computeIfAbsent(tenantId, id -> new Window());
        var limit = quotas.limit(Quota.API_RATE_LIMIT);
        synchronized (window) {
            window.moveTo(minute);
            if (limit == null || window.permits > 0) {
                window.permits -= limit == null ? 0 : 1;
                window.requests++;
                window.unrecorded++;
                return Future.succeededFuture(new QuotaResult(true, null, window.requests, limit, null));
            }
            if (window.exhaustedLimit >= limit) {
                return Future.succeededFuture(QuotaResult.exceeded(Quota.API_RATE_LIMIT, limit, limit));
            }
        }
        return refill(tenantId, window, limit).compose(ok -> count(tenantId, quotas));
    }

    /** Takes the next part of the limit; requests that arrive in the meantime wait for it together. */
    private Future<Void> refill(UUID tenantId, Window window, long limit) {
        synchronized (window) {
            if (window.refill != null) {
                return window.refill;
            }
            var minute = window.minute;
            var refill = record(tenantId, window, minute, Math.max(1, limit / PARTS), limit)
                    .<Void>map(granted -> {
                        addPermits(window, minute, granted, limit);
                        return null;
                    })
                    .onComplete(done -> clearRefill(window));
            window.refill = refill.isComplete() ? null : refill;
            return refill;
        }
    }

    private static void addPermits(Window window, long minute, long granted, long limit) {
        synchronized (window) {
            if (window.minute == minute) {
                window.permits += granted;
                window.exhaustedLimit = granted == 0 ? limit : -1;
            }
        }
    }

    private static void clearRefill(Window window) {
        synchronized (window) {
            window.refill = null;
        }
    }

    /** Records the requests so far and takes permits; returns how many. The counts are kept if the database is unavailable. */
    private Future<Long> record(UUID tenantId, Window window, long minute, long permits, long limit) {
        long unrecorded;
        synchronized (window) {
            unrecorded = window.unrecorded;
            window.unrecorded = 0;
        }
        return outbox.transaction(
                        new ChangeContext(Ids.next().toString(), Context.root()),
                        unit -> store.takeRequests(unit, tenantId, minute, permits, limit, unrecorded))
                .onFailure(e -> {
                    synchronized (window) {
                        window.unrecorded += unrecorded;
                    }
                });
    }

    /** Records the requests of this process, so that the next report contains them. */
    public Future<Void> recordAll() {
        var recorded = new ArrayList<Future<Long>>();
        windows.forEach((tenantId, window) -> {
            long unrecorded;
            long minute;
            synchronized (window) {
                unrecorded = window.unrecorded;
                minute = window.minute;
            }
            if (unrecorded > 0) {
                recorded.add(record(tenantId, window, minute, 0, Long.MAX_VALUE));
            }
        });
        return Future.join(recorded).mapEmpty();
    }

    /**
     * Returns the requests of this minute in all processes. What other processes have taken counts as used.
     *
     * @param granted what all processes have taken in this minute
     */
    public long requestsThisMinute(UUID tenantId, long granted) {
        var window = windows.get(tenantId);
        if (window == null) {
            return granted;
        }
        synchronized (window) {
            window.moveTo(clock.millis() / MINUTE_MS);
            return Math.max(window.requests, granted - window.permits);
        }
    }
}
