package dev.slipway.iam.tenancy.binding;

import dev.slipway.iam.tenancy.GrantGuard;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Requires that callers hold every action of the role bindings that they give or take away. */
public final class BindingGuard {
    private final GrantGuard grantGuard;

    @FunctionalInterface
    private interface Check {
        void require(Request request, BindingScope scope, Collection<String> actions);
    }

    public BindingGuard(GrantGuard grantGuard) {
        this.grantGuard = grantGuard;
    }

    public Future<Void> requireHeldToGrant(UnitOfWork unit, Request request, List<RoleBinding> bindings) {
        return require(unit, request, bindings, grantGuard::requireHeld);
    }

    public Future<Void> requireHeldToRemove(UnitOfWork unit, Request request, List<RoleBinding> bindings) {
        return require(unit, request, bindings, grantGuard::requireHeldToRemove);
    }

    /** Requires that the caller holds what the user may do at the platform. Roles in tenants do not protect a user from it. */
    public Future<Void> requirePlatformRolesHeld(UnitOfWork unit, Request request, UUID userId) {
        return RoleBindingStore.listByPrincipal(unit, userId)
                .compose(bindings -> requireHeldToRemove(
                        unit,
                        request,
                        bindings.stream()
                                .filter(binding -> binding.scope().equals(BindingScope.PLATFORM))
                                .toList()));
    }

    private static Future<Void> require(UnitOfWork unit, Request request, List<RoleBinding> bindings, Check check) {
        var chain = Future.<Void>succeededFuture();
        for (var binding : bindings) {
            chain = chain.compose(ok -> RoleStore.load(unit, binding.scope().orgId(), binding.role()))
                    .compose(role -> role.removed()
                            ? Future.succeededFuture(List.<String>of())
                            : RoleStore.findGrantable(unit, role.actions()))
                    .map(actions -> {
                        check.require(request, binding.scope(), actions);
                        return null;
                    });
        }
        return chain;
    }
}
