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

/**
 * An issuer whose users are let in.
 *
 * @param jwksUrl where its keys are; null to ask its discovery document
 * @param audience whom its tokens have to be for
 * @param nameClaim where its tokens say what the user is called
 */
public record OidcIssuer(String issuer, @Nullable String jwksUrl, String audience, String nameClaim) {
    private static final String SETTING = "SLIPWAY_OIDC_ISSUERS";

    /** Reads the setting: a JSON list, or the name of a file that has one. */
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
                settings.fault(SETTING + " has an issuer twice");
            }
            return List.copyOf(issuers);
        } catch (IOException | IllegalArgumentException e) {
            settings.fault(SETTING + " is neither a JSON list nor a file with one: " + e.getMessage());
            return List.of();
        }
    }

    private static OidcIssuer read(JsonNode node, String defaultAudience, Settings settings) {
        var issuer = node.path("issuer").asText();
        if (!isUrl(issuer) || issuer.equals(TokenVerifier.MACHINE_ISSUER)) {
            settings.fault(SETTING + ": the issuer '" + issuer + "' is not an http or https address");
        }
        var jwksUrl = node.path("jwks_url");
        if (jwksUrl.isTextual() && !isUrl(jwksUrl.asText())) {
            settings.fault(SETTING + ": the jwks_url of " + issuer + " is not an http or https address");
        }
        return new OidcIssuer(
                issuer,
                jwksUrl.isTextual() ? jwksUrl.asText() : null,
                node.path("audience").asText(defaultAudience),
                node.path("name_claim").asText("name"));
    }

    private static boolean isUrl(String text) {
        return text.matches("https?://[^/?#\\s]+(/[^?#\\s]*)?");
    }
}
