package dev.slipway.iam.serviceaccount.domain;

import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.iam.credential.domain.MachinePrincipal;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A service account. It belongs to one project, which never changes. */
public record ServiceAccount(
        UUID id,
        UUID orgId,
        UUID projectId,
        String slug,
        String displayName,
        @Nullable String issuer,
        @Nullable String subject,
        List<String> allowedActions,
        ResourceState state,
        UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt,
        @Nullable Instant deletedAt)
        implements MachinePrincipal<ServiceAccount> {

    /** Creates an active account; {@code issuer} and {@code subject} are set if an external issuer issues its tokens. */
    public static ServiceAccount create(
            UUID id,
            UUID orgId,
            UUID projectId,
            String slug,
            String displayName,
            @Nullable String issuer,
            @Nullable String subject,
            List<String> allowedActions,
            UUID createdByUserId,
            Instant createdAt) {
        return new ServiceAccount(
                id,
                orgId,
                projectId,
                slug,
                displayName,
                issuer,
                subject,
                allowedActions,
                ResourceState.ACTIVE,
                createdByUserId,
                createdAt,
                null,
                null);
    }

    public ServiceAccount withAllowedActions(List<String> actions) {
        return new ServiceAccount(
                id,
                orgId,
                projectId,
                slug,
                displayName,
                issuer,
                subject,
                List.copyOf(actions),
                state,
                createdByUserId,
                createdAt,
                disabledAt,
                deletedAt);
    }

    @Override
    public ServiceAccount withState(ResourceState nextState, @Nullable Instant disabled, @Nullable Instant deleted) {
        return new ServiceAccount(
                id,
                orgId,
                projectId,
                slug,
                displayName,
                issuer,
                subject,
                allowedActions,
                nextState,
                createdByUserId,
                createdAt,
                disabled,
                deleted);
    }

    @Override
    public ServiceAccount self() {
        return this;
    }

    @Override
    public CredentialOwner credentialOwner() {
        return new CredentialOwner(CredentialOwner.Kind.SERVICE_ACCOUNT, id, orgId, projectId);
    }

    public PrincipalRecord principalRecord() {
        return new PrincipalRecord(
                id,
                PrincipalRecord.Type.SERVICE_ACCOUNT,
                displayName,
                issuer,
                subject,
                orgId,
                projectId,
                createdByUserId,
                allowedActions,
                state == ResourceState.ACTIVE);
    }
}
