package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * The payload of {@code authz.principal}.
 *
 * @param issuer and {@code subject} identify the principal in tokens of an external issuer
 * @param responsibleUserId the user who answers for a machine principal; a user answers for themselves
 * @param allowedActions the only actions that a machine principal may ever be allowed
 */
public record PrincipalRecord(
        UUID principalId,
        Type actorType,
        String displayName,
        @Nullable String issuer,
        @Nullable String subject,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        UUID responsibleUserId,
        List<String> allowedActions,
        boolean active) {

    public static final String EVENT_TYPE = "authz.principal";

    /** The kinds of principal, with the names that the authorization model uses. */
    public enum Type {
        USER,
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR,
        ADAPTER
    }

    public static String key(UUID principalId) {
        return "principal:" + principalId;
    }
}
