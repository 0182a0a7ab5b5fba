package dev.slipway.iam;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.iam.signingkey.KeyCipher;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * What IAM can be told.
 *
 * @param tokenAudience whom tokens are for: another environment's are refused
 * @param keyEncryptionKey 32 bytes in Base64; null where none was set
 */
public record IamConfig(
        String tokenAudience,
        Duration tokenLifetime,
        Duration keyRotation,
        Duration keyLead,
        @Nullable String keyEncryptionKey) {

    public static IamConfig from(Settings settings) {
        return new IamConfig(
                settings.text("SLIPWAY_TOKEN_AUDIENCE", TokenVerifier.AUDIENCE),
                settings.duration("SLIPWAY_TOKEN_TTL", Duration.ofMinutes(10)),
                settings.duration("SLIPWAY_SIGNING_KEY_ROTATION", Duration.ofHours(12)),
                settings.duration("SLIPWAY_SIGNING_KEY_LEAD", Duration.ofSeconds(30)),
                key(settings));
    }

    /** With a key for where none was set. */
    public IamConfig orKey(String key) {
        return keyEncryptionKey != null ? this : new IamConfig(tokenAudience, tokenLifetime, keyRotation, keyLead, key);
    }

    private static @Nullable String key(Settings settings) {
        var key = settings.optional("SLIPWAY_KEY_ENCRYPTION_KEY");
        if (key != null && !KeyCipher.isKey(key)) {
            settings.fault(
                    "SLIPWAY_KEY_ENCRYPTION_KEY is not 32 bytes in Base64; make one with: openssl rand -base64 32");
        }
        return key;
    }

    @Override
    public String toString() {
        return "IamConfig[" + tokenAudience + "]"; // the key stays out of logs
    }
}
