package dev.slipway.gateway;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Token buckets, one per key: each holds two seconds' worth, and fills at the rate. The least used are forgotten first, full again when
 * they come back: whatever is lost here only lets more through. Every listener of the process takes from the same ones.
 */
final class Buckets {
    private static final int MAX_KEYS = 50_000;
    private static final int SECONDS = 2;

    private final int perSecond;
    private final boolean shared;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(256, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MAX_KEYS;
        }
    };
    private Map<String, Integer> spent = new HashMap<>();

    private static final class Bucket {
        private double tokens;
        private long atNs;

        private Bucket(double tokens, long atNs) {
            this.tokens = tokens;
            this.atNs = atNs;
        }
    }

    /** Where nothing is limited if the rate is 0. What is spent is remembered where others want to know it. */
    Buckets(int perSecond, boolean shared) {
        this.perSecond = perSecond;
        this.shared = shared;
    }

    /** Takes from a bucket if it has enough: 0, or the milliseconds until it will have. */
    synchronized long take(String key, int cost, long nowNs) {
        if (perSecond == 0) {
            return 0;
        }
        var bucket = filled(key, nowNs);
        if (bucket.tokens < cost) {
            return Math.max(1, (long) Math.ceil((cost - bucket.tokens) * 1_000 / perSecond));
        }
        bucket.tokens -= cost;
        if (shared) {
            spent.merge(key, cost, Integer::sum);
        }
        return 0;
    }

    /** Takes more than there may be: what others let through, or what is meant to hurt. Never more than one filling into the red. */
    synchronized void spend(String key, int cost, long nowNs) {
        if (perSecond > 0) {
            var bucket = filled(key, nowNs);
            bucket.tokens = Math.max(-(double) capacity(), bucket.tokens - cost);
        }
    }

    /** What was taken since this was asked last, by key. */
    synchronized Map<String, Integer> drainSpent() {
        var drained = spent;
        spent = new HashMap<>();
        return drained;
    }

    private Bucket filled(String key, long nowNs) {
        var bucket = buckets.computeIfAbsent(key, k -> new Bucket(capacity(), nowNs));
        bucket.tokens = Math.min(capacity(), bucket.tokens + (nowNs - bucket.atNs) / 1e9 * perSecond);
        bucket.atNs = nowNs;
        return bucket;
    }

    private int capacity() {
        return perSecond * SECONDS;
    }
}
