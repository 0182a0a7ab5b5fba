package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A role granted to a user or a group at a scope.
 *
 * @param expiresAt null for a permanent binding
 * @param removedAt null for a current binding; a removed one is kept as history
 */
public record RoleBinding(
        UUID id,
        Holder holder,
        UUID principalId,
        String role,
        BindingScope scope,
        @Nullable Instant expiresAt,
        Instant createdAt,
        @Nullable Instant removedAt) {

    /** The kinds of principal that a role can be granted to. */
    public enum Holder implements TextEnum {
        USER,
        GROUP
    }

    public boolean isRemoved() {
        return removedAt != null;
    }

    public RoleBinding withExpiry(@Nullable Instant at) {
        return new RoleBinding(id, holder, principalId, role, scope, at, createdAt, removedAt);
    }

    public RoleBinding withRemovedAt(Instant at) {
        return new RoleBinding(id, holder, principalId, role, scope, expiresAt, createdAt, at);
    }
}
