package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.TextEnum;

import java.time.Instant;
import java.util.List;
import java.util.Set;

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
        Lifecycle lifecycle,
        String description,
        List<String> defaultRoles,
        Instant updatedAt) {

    public Action {
        defaultRoles = List.copyOf(defaultRoles);
    }

    /** The lifecycle of an action. A retired action stays retired. */
    public enum Lifecycle implements TextEnum {
        DRAFT,
        ACTIVE,
        DEPRECATED,
        RETIRED;

        public boolean canBecome(Lifecycle next) {
            return switch (this) {
                case DRAFT -> Set.of(ACTIVE, RETIRED).contains(next);
                case ACTIVE -> Set.of(DEPRECATED, RETIRED).contains(next);
                case DEPRECATED -> Set.of(ACTIVE, RETIRED).contains(next);
                case RETIRED -> false;
            };
        }
    }

    public Action withLifecycle(Lifecycle next, Instant at) {
        return new Action(key, product, version + 1, riskClass, next, description, defaultRoles, at);
    }
}
