package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Something that may be asked for.
 *
 * @param defaultRoles the built-in roles that have it while it can be allowed
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

    /** Where an action is in its life: draft, active, deprecated, retired, and never back from there. */
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

    public Action in(Lifecycle next, Instant at) {
        return new Action(key, product, version + 1, riskClass, next, description, defaultRoles, at);
    }
}
