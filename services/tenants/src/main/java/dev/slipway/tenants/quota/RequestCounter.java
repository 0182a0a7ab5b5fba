package dev.slipway.tenants.quota;

import dev.slipway.tenants.quota.domain.Quota;
import dev.slipway.tenants.quota.domain.QuotaResult;
import dev.slipway.tenants.quota.domain.Quotas;

import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the data API requests of each tenant per minute in this process. Processes count separately. */
public final class RequestCounter {
    private static final long MINUTE_MS = 60_000;
    private static final int MAX_TENANTS = 100_000;

    private final Clock clock;
    private final Map<UUID, Window> windows = new ConcurrentHashMap<>();

    /** The requests of one minute, and all requests since the last report. */
    private record Window(long minute, long requests, long unreported) {}

    public RequestCounter(Clock clock) {
        this.clock = clock;
    }

    /** Counts a request if the limit allows it. */
    public QuotaResult count(UUID tenantId, Quotas quotas) {
        var minute = clock.millis() / MINUTE_MS;
        if (windows.size() > MAX_TENANTS) {
            windows.values().removeIf(window -> window.minute < minute);
        }
        var result = new QuotaResult[1];
        windows.compute(tenantId, (id, window) -> {
            var requests = window == null || window.minute < minute ? 0 : window.requests;
            var unreported = window == null ? 0 : window.unreported;
            var checked = quotas.check(Quota.API_RATE_LIMIT, requests, 1);
            result[0] = checked;
            return checked.allowed()
                    ? new Window(minute, requests + 1, unreported + 1)
                    : new Window(minute, requests, unreported);
        });
        return result[0];
    }

    public long requestsThisMinute(UUID tenantId) {
        var window = windows.get(tenantId);
        return window == null || window.minute < clock.millis() / MINUTE_MS ? 0 : window.requests;
    }

    /** Returns the requests since the last call. */
    long takeUnreported(UUID tenantId) {
        var taken = new long[1];
        windows.computeIfPresent(tenantId, (id, window) -> {
            taken[0] = window.unreported;
            return clearReported(window);
        });
        return taken[0];
    }

    private static Window clearReported(Window window) {
        return new Window(window.minute, window.requests, 0);
    }
}
