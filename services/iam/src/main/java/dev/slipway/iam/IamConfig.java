package dev.slipway.iam;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.iam.issuer.OidcIssuer;
import dev.slipway.iam.signingkey.KeyCipher;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * What IAM can be told.
 *
 * @param tokenAudience whom tokens are for: another environment's are refused
 * @param keyLead how long a new signing key is known before it signs
 * @param keyEncryptionKey 32 bytes in Base64; null where none was set
 * @param issuers where users come from
 * @param firstAdministrator who holds the platform's highest role before anyone does; null for nobody
 */
public record IamConfig(
        String tokenAudience,
        Duration tokenLifetime,
        Duration keyRotation,
        Duration keyLead,
        @Nullable String keyEncryptionKey,
        List<OidcIssuer> issuers,
        Duration issuerRefresh,
        @Nullable FirstAdministrator firstAdministrator) {

    /** A user, by what their issuer calls them. */
    public record FirstAdministrator(String issuer, String subject) {}

    public static IamConfig from(Settings settings) {
        var audience = settings.text("SLIPWAY_TOKEN_AUDIENCE", TokenVerifier.AUDIENCE);
        return new IamConfig(
                audience,
                settings.duration("SLIPWAY_TOKEN_TTL", Duration.ofMinutes(10)),
                settings.duration("SLIPWAY_SIGNING_KEY_ROTATION", Duration.ofHours(12)),
                settings.duration("SLIPWAY_SIGNING_KEY_LEAD", Duration.ofSeconds(30)),
                key(settings),
                OidcIssuer.from(settings, audience),
                settings.duration("SLIPWAY_OIDC_REFRESH", Duration.ofMinutes(5)),
                null);
    }

    /** With a key for where none was set. */
    public IamConfig withKey(String key) {
        return new IamConfig(
                tokenAudience, tokenLifetime, keyRotation, keyLead, key, issuers, issuerRefresh, firstAdministrator);
    }

    public IamConfig withFirstAdministrator(FirstAdministrator first) {
        return new IamConfig(
                tokenAudience, tokenLifetime, keyRotation, keyLead, keyEncryptionKey, issuers, issuerRefresh, first);
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
