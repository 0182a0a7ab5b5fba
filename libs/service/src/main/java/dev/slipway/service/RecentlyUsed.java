package dev.slipway.service;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps so many, and forgets what was not asked for the longest. For all event loops at once. */
public final class RecentlyUsed<K, V> {
    private final Map<K, V> kept;

    public RecentlyUsed(int most) {
        kept = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        });
    }

    public @Nullable V get(K key) {
        return kept.get(key);
    }

    public void put(K key, V value) {
        kept.put(key, value);
    }
}
