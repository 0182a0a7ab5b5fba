package dev.slipway.iam.operator.domain;

import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.iam.credential.domain.MachinePrincipal;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The operator of a shared runtime. It belongs to an organization and to no project.
 *
 * @param runtimeBackend the backend whose adapters act as this operator in their tasks; null for none
 */
public record SharedRuntimeOperator(
        UUID id,
        UUID orgId,
        UUID sharedRuntimeId,
        @Nullable String runtimeBackend,
        String displayName,
        List<String> allowedActions,
        ResourceState state,
        UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt,
        @Nullable Instant deletedAt)
        implements MachinePrincipal<SharedRuntimeOperator> {

    @Override
    public SharedRuntimeOperator withState(
            ResourceState nextState, @Nullable Instant disabled, @Nullable Instant deleted) {
        return new SharedRuntimeOperator(
                id,
                orgId,
                sharedRuntimeId,
                runtimeBackend,
                displayName,
                allowedActions,
                nextState,
                createdByUserId,
                createdAt,
                disabled,
                deleted);
    }

    @Override
    public SharedRuntimeOperator self() {
        return this;
    }

    @Override
    public CredentialOwner credentialOwner() {
        return new CredentialOwner(CredentialOwner.Kind.SHARED_RUNTIME_OPERATOR, id, orgId, null);
    }

    public PrincipalRecord principalRecord() {
        return new PrincipalRecord(
                id,
                PrincipalRecord.Type.SHARED_RUNTIME_OPERATOR,
                displayName,
                null,
                null,
                orgId,
                null,
                createdByUserId,
                allowedActions,
                state == ResourceState.ACTIVE);
    }
}
