package dev.slipway.iam.credential.domain;

import dev.slipway.contract.domain.ResourceState;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** A service account or a shared-runtime operator: it belongs to one scope, has credentials, and only the actions on its list. */
public interface MachinePrincipal<M extends MachinePrincipal<M>> {
    CredentialOwner credentialOwner();

    List<String> allowedActions();

    ResourceState state();

    @Nullable
    Instant disabledAt();

    @Nullable
    Instant deletedAt();

    M withState(ResourceState nextState, @Nullable Instant disabled, @Nullable Instant deleted);

    M self();

    default M disable(Instant now) {
        return state() == ResourceState.DISABLED ? self() : withState(ResourceState.DISABLED, now, null);
    }

    default M enable() {
        return withState(ResourceState.ACTIVE, null, null);
    }

    default M delete(Instant now) {
        return state() == ResourceState.DELETED ? self() : withState(ResourceState.DELETED, disabledAt(), now);
    }
}
