package dev.slipway.iam.issuer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An external issuer whose users are accepted.
 *
 * @param jwksUrl the address of its keys; null to read it from the discovery document
 * @param audience the audience that its tokens must have
 * @param nameClaim the claim of its tokens with the user's display name
 */
public record OidcIssuer(String issuer, @Nullable String jwksUrl, String audience, String nameClaim) {
    private static final String SETTING = "SLIPWAY_OIDC_ISSUERS";

    private record Configured(
            @Nullable String issuer,
            @Nullable String jwksUrl,
            @Nullable String audience,
            @Nullable String nameClaim) {}

    /** Reads the setting: a JSON list, or the name of a file with one. */
    public static List<OidcIssuer> from(Settings settings, String defaultAudience) {
        var given = settings.optional(SETTING);
        if (given == null) {
            return List.of();
        }
        try {
            var text = given.startsWith("[") ? given : Files.readString(Path.of(given));
            var issuers = new ArrayList<OidcIssuer>();
            for (var node : Json.parse(text.getBytes(StandardCharsets.UTF_8))) {
                issuers.add(read(node, defaultAudience, settings));
            }
            if (issuers.stream().map(OidcIssuer::issuer).distinct().count() < issuers.size()) {
                settings.addError(SETTING + " contains an issuer twice");
            }
            return List.copyOf(issuers);
        } catch (IOException | IllegalArgumentException e) {
            settings.addError(SETTING + " is neither a JSON list nor a file with one: " + e.getMessage());
            return List.of();
        }
    }

    private static OidcIssuer read(JsonNode node, String defaultAudience, Settings settings) {
        var configured = Json.toRecord(node, Configured.class);
        var issuer = Objects.requireNonNullElse(configured.issuer, "");
        if (!isUrl(issuer) || issuer.equals(TokenVerifier.MACHINE_ISSUER)) {
            settings.addError(SETTING + ": the issuer '" + issuer + "' is not an http or https address");
        }
        if (configured.jwksUrl != null && !isUrl(configured.jwksUrl)) {
            settings.addError(SETTING + ": the jwks_url of " + issuer + " is not an http or https address");
        }
        return new OidcIssuer(
                issuer,
                configured.jwksUrl,
                Objects.requireNonNullElse(configured.audience, defaultAudience),
                Objects.requireNonNullElse(configured.nameClaim, "name"));
    }

    private static boolean isUrl(String text) {
        return text.matches("https?://[^/?#\\s]+(/[^?#\\s]*)?");
    }
}
