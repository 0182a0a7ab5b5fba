package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.RegistryLifecycle;

import java.time.Instant;
import java.util.List;

/**
 * A registered permission key.
 *
 * @param defaultRoles the built-in roles that include the action while it can be granted
 */
public record Action(
        String key,
        String product,
        int version,
        String riskClass,
        RegistryLifecycle lifecycle,
        String description,
        List<String> defaultRoles,
        Instant updatedAt) {

    public Action {
        defaultRoles = List.copyOf(defaultRoles);
    }

    public Action withLifecycle(RegistryLifecycle next, Instant at) {
        return new Action(key, product, version + 1, riskClass, next, description, defaultRoles, at);
    }
}
