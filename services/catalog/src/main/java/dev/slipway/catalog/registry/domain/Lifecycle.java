package dev.slipway.catalog.registry.domain;

import java.util.Locale;
import java.util.Set;

/** Where an entry is in its life: draft, active, deprecated, retired, and never back from there. Only an active one can be put to new use. */
public enum Lifecycle {
    DRAFT,
    ACTIVE,
    DEPRECATED,
    RETIRED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Lifecycle of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public boolean leadsTo(Lifecycle next) {
        return switch (this) {
            case DRAFT -> Set.of(ACTIVE, RETIRED).contains(next);
            case ACTIVE -> Set.of(DEPRECATED, RETIRED).contains(next);
            case DEPRECATED -> Set.of(ACTIVE, RETIRED).contains(next);
            case RETIRED -> false;
        };
    }
}
