package dev.slipway.contract.domain;

import java.util.Set;

/** Lifecycle states of a registry entry and of an action. A retired one never changes again. */
public enum RegistryLifecycle implements TextEnum {
    DRAFT,
    ACTIVE,
    DEPRECATED,
    RETIRED;

    /** Returns whether what refers to the entry works. New references need an active entry. */
    public boolean isUsable() {
        return this == ACTIVE || this == DEPRECATED;
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
