package dev.slipway.iam.token;

import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** Records that a credential was used. */
@FunctionalInterface
public interface CredentialUse {
    void record(UnitOfWork unit, UUID credentialId, @Nullable Instant lastUsedAt);
}
