package dev.slipway.catalog.registry.domain;

import dev.slipway.contract.domain.TextEnum;

import java.util.Set;

/** Lifecycle states of a registry entry. Only active entries can be referenced; a retired entry never changes again. */
public enum RegistryLifecycle implements TextEnum {
    DRAFT,
    ACTIVE,
    DEPRECATED,
    RETIRED;

    public boolean canTransitionTo(RegistryLifecycle next) {
        return switch (this) {
            case DRAFT -> Set.of(ACTIVE, RETIRED).contains(next);
            case ACTIVE -> Set.of(DEPRECATED, RETIRED).contains(next);
            case DEPRECATED -> Set.of(ACTIVE, RETIRED).contains(next);
            case RETIRED -> false;
        };
    }
}
