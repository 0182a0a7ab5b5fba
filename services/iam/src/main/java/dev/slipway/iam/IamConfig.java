package dev.slipway.iam;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.iam.issuer.OidcIssuer;
import dev.slipway.service.KeyCipher;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * The settings of IAM.
 *
 * @param tokenAudience the audience of tokens; tokens of other environments are refused
 * @param userTokenMaxLifetime tokens of other issuers that live longer are refused
 * @param keyLead how long a new signing key is published before it signs
 * @param keyEncryptionKey 32 bytes in Base64; null if not set
 * @param issuers the external issuers whose users are accepted
 * @param firstAdministrator gets the highest platform role if no one has it yet; null for no one
 */
public record IamConfig(
        String tokenAudience,
        Duration tokenLifetime,
        Duration userTokenMaxLifetime,
        Duration keyRotation,
        Duration keyLead,
        @Nullable String keyEncryptionKey,
        List<OidcIssuer> issuers,
        Duration issuerRefresh,
        @Nullable FirstAdministrator firstAdministrator) {

    /** A user, identified by issuer and subject. */
    public record FirstAdministrator(String issuer, String subject) {}

    public static IamConfig from(Settings settings) {
        var audience = settings.text("SLIPWAY_TOKEN_AUDIENCE", TokenVerifier.AUDIENCE);
        return new IamConfig(
                audience,
                settings.duration("SLIPWAY_TOKEN_TTL", Duration.ofMinutes(10)),
                settings.duration("SLIPWAY_USER_TOKEN_MAX_LIFETIME", TokenVerifier.USER_TOKEN_MAX_LIFETIME),
                settings.duration("SLIPWAY_SIGNING_KEY_ROTATION", Duration.ofHours(12)),
                settings.duration("SLIPWAY_SIGNING_KEY_LEAD", Duration.ofSeconds(30)),
                key(settings),
                OidcIssuer.from(settings, audience),
                settings.duration("SLIPWAY_OIDC_REFRESH", Duration.ofMinutes(5)),
                null);
    }

    /** Returns a copy with another encryption key. */
    public IamConfig withKey(String key) {
        return new IamConfig(
                tokenAudience,
                tokenLifetime,
                userTokenMaxLifetime,
                keyRotation,
                keyLead,
                key,
                issuers,
                issuerRefresh,
                firstAdministrator);
    }

    public IamConfig withFirstAdministrator(FirstAdministrator first) {
        return new IamConfig(
                tokenAudience,
                tokenLifetime,
                userTokenMaxLifetime,
                keyRotation,
                keyLead,
                keyEncryptionKey,
                issuers,
                issuerRefresh,
                first);
    }

    private static @Nullable String key(Settings settings) {
        var key = settings.optional("SLIPWAY_KEY_ENCRYPTION_KEY");
        if (key != null && !KeyCipher.isValidKey(key)) {
            settings.addError(
                    "SLIPWAY_KEY_ENCRYPTION_KEY is not 32 bytes in Base64. Generate one with: openssl rand -base64 32");
        }
        return key;
    }

    @Override
    public String toString() {
        return "IamConfig[" + tokenAudience + "]"; // without the encryption key
    }
}
