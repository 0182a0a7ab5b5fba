package dev.slipway.authz;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A role granted to a principal or a group at a scope.
 *
 * @param expiresAt null for a permanent binding
 */
public record Binding(
        UUID id,
        UUID principalId,
        String role,
        Level level,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        @Nullable Instant expiresAt) {
    /** The id that represents the platform in lookups. */
    static final UUID PLATFORM_SCOPE_ID = new UUID(0, 0);

    /** The level of a binding's scope. */
    public enum Level implements TextEnum {
        PLATFORM,
        ORGANIZATION,
        PROJECT;

        private final String text = TextEnum.super.text();

        @Override
        public String text() {
            return text;
        }
    }

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Returns the id of the scope; null in an incomplete record, which grants nothing. */
    @Nullable
    UUID scopeId() {
        return switch (level) {
            case PLATFORM -> PLATFORM_SCOPE_ID;
            case ORGANIZATION -> orgId;
            case PROJECT -> projectId;
        };
    }

    /** Returns the level and the id of the scope, such as {@code project:ID}. */
    String scopePath() {
        return level == Level.PLATFORM ? level.text : level.text + ":" + scopeId();
    }

    boolean isHeldAt(Level atLevel, UUID atScopeId) {
        return level == atLevel && atScopeId.equals(scopeId());
    }
}
