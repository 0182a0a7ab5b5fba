package dev.slipway.gateway;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One token bucket per key. A bucket holds the tokens of two seconds and refills at the configured rate. All listeners of the process
 * share the buckets. An evicted bucket starts full again, so eviction can only make a limit more permissive.
 */
final class TokenBuckets {
    private static final int MAX_KEYS = 50_000;
    private static final int CAPACITY_SECONDS = 2;
    /** A bucket can be one capacity in debt, so it is full again after twice the capacity; unused ones are dropped after that. */
    private static final Duration EXPIRY = Duration.ofSeconds(3L * CAPACITY_SECONDS);

    private final int perSecond;
    private final boolean tracked;
    private final Cache<String, Bucket> buckets = Caffeine.newBuilder()
            .maximumSize(MAX_KEYS)
            .expireAfterAccess(EXPIRY)
            .build();
    private final Map<String, Integer> consumed = new ConcurrentHashMap<>();

    private final class Bucket {
        private double tokens = capacity();
        private long refilledNs;

        private Bucket(long nowNs) {
            this.refilledNs = nowNs;
        }

        private synchronized long tryConsume(int cost, long nowNs) {
            refill(nowNs);
            if (tokens < cost) {
                return Math.max(1, (long) Math.ceil((cost - tokens) * 1_000 / perSecond));
            }
            tokens -= cost;
            return 0;
        }

        private synchronized void consume(int cost, long nowNs) {
            refill(nowNs);
            tokens = Math.max(-(double) capacity(), tokens - cost);
        }

        private void refill(long nowNs) {
            tokens = Math.min(capacity(), tokens + (nowNs - refilledNs) / 1e9 * perSecond);
            refilledNs = nowNs;
        }
    }

    /**
     * Creates empty buckets.
     *
     * @param perSecond the refill rate; 0 means no limit
     * @param tracked whether {@link #drainConsumed} is used
     */
    TokenBuckets(int perSecond, boolean tracked) {
        this.perSecond = perSecond;
        this.tracked = tracked;
    }

    /** Takes tokens if the bucket has enough. Returns 0, or the milliseconds until it will have enough. */
    long tryConsume(String key, int cost, long nowNs) {
        if (perSecond == 0) {
            return 0;
        }
        var waitMs = bucket(key, nowNs).tryConsume(cost, nowNs);
        if (waitMs == 0 && tracked) {
            consumed.merge(key, cost, Integer::sum);
        }
        return waitMs;
    }

    /** Takes tokens even if the bucket has not enough; its debt never exceeds one capacity. */
    void consume(String key, int cost, long nowNs) {
        if (perSecond > 0) {
            bucket(key, nowNs).consume(cost, nowNs);
        }
    }

    /** Returns the tokens that {@link #tryConsume} took since the last call, by key. */
    Map<String, Integer> drainConsumed() {
        var drained = new HashMap<String, Integer>();
        List.copyOf(consumed.keySet()).forEach(key -> {
            var tokens = consumed.remove(key);
            if (tokens != null) {
                drained.put(key, tokens);
            }
        });
        return drained;
    }

    private Bucket bucket(String key, long nowNs) {
        return buckets.get(key, ignored -> new Bucket(nowNs));
    }

    private int capacity() {
        return perSecond * CAPACITY_SECONDS;
    }
}
