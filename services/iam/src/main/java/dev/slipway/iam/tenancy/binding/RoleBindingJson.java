package dev.slipway.iam.tenancy.binding;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** The JSON of role bindings. */
final class RoleBindingJson {
    private RoleBindingJson() {}

    /** The user is read as a {@link dev.slipway.iam.tenancy.user.UserReference} of the same body. */
    record CreateRoleBinding(
            String role,
            @Nullable UUID groupId,
            @Nullable UUID userId,
            @Nullable String issuer,
            @Nullable String subject,
            @Nullable String expiresAt) {
        boolean namesUser() {
            return userId != null || issuer != null || subject != null;
        }
    }

    private record RoleBindingView(
            UUID id,
            RoleBinding.Holder principalType,
            UUID principalId,
            String role,
            BindingScope.Level level,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            @Nullable Instant expiresAt,
            Instant createdAt,
            @Nullable Instant removedAt) {}

    static ObjectNode of(RoleBinding binding) {
        var scope = binding.scope();
        return Json.toObject(new RoleBindingView(
                binding.id(),
                binding.holder(),
                binding.principalId(),
                binding.role(),
                scope.level(),
                scope.orgId(),
                scope.projectId(),
                binding.expiresAt(),
                binding.createdAt(),
                binding.removedAt()));
    }
}
