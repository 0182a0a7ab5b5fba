package dev.slipway.iam.revocation.domain;

import dev.slipway.contract.domain.TextEnum;

import java.time.Instant;
import java.util.UUID;

/**
 * A revoked token, or a credential whose tokens are all revoked. The payload of {@code authz.revocation}.
 *
 * @param expiresAt when the last token that it affects has expired
 */
public record Revocation(Kind kind, UUID id, Instant expiresAt) {
    /** The revoked kind of credential. */
    public enum Kind implements TextEnum {
        TOKEN,
        CREDENTIAL
    }
}
