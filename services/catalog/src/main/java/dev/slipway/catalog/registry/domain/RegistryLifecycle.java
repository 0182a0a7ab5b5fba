package dev.slipway.catalog.registry.domain;

import java.util.Locale;
import java.util.Set;

/** Lifecycle states of a registry entry. Only active entries can be referenced; a retired entry never changes again. */
public enum RegistryLifecycle {
    DRAFT,
    ACTIVE,
    DEPRECATED,
    RETIRED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static RegistryLifecycle of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public boolean canTransitionTo(RegistryLifecycle next) {
        return switch (this) {
            case DRAFT -> Set.of(ACTIVE, RETIRED).contains(next);
            case ACTIVE -> Set.of(DEPRECATED, RETIRED).contains(next);
            case DEPRECATED -> Set.of(ACTIVE, RETIRED).contains(next);
            case RETIRED -> false;
        };
    }
}
