package dev.slipway.metering.usage.domain;

import java.util.Comparator;

/** The identity of a usage fact: unique forever. */
public record FactKey(String source, String factId) implements Comparable<FactKey> {
    private static final Comparator<FactKey> ORDER =
            Comparator.comparing(FactKey::source).thenComparing(FactKey::factId);

    @Override
    public int compareTo(FactKey other) {
        return ORDER.compare(this, other);
    }
}
