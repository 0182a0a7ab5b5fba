package dev.slipway.iam.adapter.domain;

import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A runtime adapter for one backend: a principal of the platform that belongs to no tenant. */
public record Adapter(
        UUID id,
        String runtimeBackend,
        String displayName,
        @Nullable UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt) {
    /** The actions that an adapter has as itself. For instances it acts as their operators. */
    public static final List<String> ACTIONS = List.of("runtime.adapter.report", "runtime.desired_state.read");

    public ResourceState state() {
        return disabledAt == null ? ResourceState.ACTIVE : ResourceState.DISABLED;
    }

    public CredentialOwner credentialOwner() {
        return new CredentialOwner(CredentialOwner.Kind.ADAPTER, id, null, null);
    }

    public PrincipalRecord principalRecord() {
        return new PrincipalRecord(
                id,
                PrincipalRecord.Type.ADAPTER,
                displayName,
                null,
                null,
                null,
                null,
                createdByUserId == null ? id : createdByUserId,
                ACTIONS,
                disabledAt == null);
    }

    public Adapter withDisabledAt(@Nullable Instant at) {
        return new Adapter(id, runtimeBackend, displayName, createdByUserId, createdAt, at);
    }
}
