package dev.slipway.catalog.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;

/** One version of a registry entry. The fields of the body depend on the kind. */
public record RegistryEntry(RegistryKind kind, String id, int version, RegistryLifecycle lifecycle, ObjectNode body) {

    /** Returns the next version, with another body. */
    RegistryEntry withBody(ObjectNode other) {
        return new RegistryEntry(kind, id, version + 1, lifecycle, other);
    }

    /** Returns the next version, in another lifecycle state. */
    RegistryEntry withLifecycle(RegistryLifecycle next) {
        return new RegistryEntry(kind, id, version + 1, next, body);
    }
}
