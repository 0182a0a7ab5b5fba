package dev.slipway.iam.credential.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The owner of a credential, with its organization and project if it has any. */
public record CredentialOwner(
        Kind kind, UUID id, @Nullable UUID orgId, @Nullable UUID projectId) {

    /** The kinds of owner. */
    public enum Kind implements TextEnum {
        SERVICE_ACCOUNT,
        SHARED_RUNTIME_OPERATOR,
        ADAPTER,
        API_KEY
    }
}
