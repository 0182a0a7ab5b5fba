package dev.slipway.iam.tenancy.binding;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Ownership;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.Collection;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Prevents a scope from losing its last owner. It reads behind the lock on the revision: if two owners remove each other at once, the
 * second one is refused.
 */
public final class OwnerGuard {
    private OwnerGuard() {}

    /** Makes a change; fails with {@code last_owner} if one of the scopes had an owner before and has none after. */
    public static <T> Future<T> requireOwnerRemains(
            UnitOfWork unit, Collection<BindingScope> scopes, Supplier<Future<T>> change) {
        var ids = scopes.stream().map(BindingScope::id).distinct().toArray(UUID[]::new);
        return OwnerStore.listOwned(unit, ids).compose(before -> change.get()
                .compose(changed -> OwnerStore.listOwned(unit, ids).map(after -> {
                    if (!Ownership.isKept(before, after)) {
                        throw Problem.of(
                                        ErrorCode.LAST_OWNER,
                                        "This would leave an organization, a project or the platform without an owner. Grant the owner role to someone else first, without expires_at.")
                                .asException();
                    }
                    return changed;
                })));
    }
}
