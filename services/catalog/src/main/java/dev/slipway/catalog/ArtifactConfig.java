package dev.slipway.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.PlatformSource;
import dev.slipway.catalog.artifact.TrustedKeys;
import dev.slipway.catalog.secret.TokenKey;
import dev.slipway.catalog.source.Accounts.Account;
import dev.slipway.catalog.source.Location;
import dev.slipway.catalog.source.SourceSettings;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the catalog can be told about artifacts.
 *
 * @param sources those that the platform shares with its tenants
 * @param accounts what the platform is to them
 * @param trustedKeys whose signatures count
 * @param tokenKey what registry tokens are signed with; null: none are made
 * @param tokenIssuer what the platform calls itself in them
 */
public record ArtifactConfig(
        String region,
        List<PlatformSource> sources,
        List<Account> accounts,
        SourceSettings reading,
        List<ECPublicKey> trustedKeys,
        @Nullable TokenKey tokenKey,
        String tokenIssuer) {
    private static final String SOURCES = "SLIPWAY_ARTIFACT_SOURCES";
    private static final String TOKEN_KEY = "SLIPWAY_REGISTRY_TOKEN_KEY_FILE";
    private static final String TOKEN_CERTIFICATE = "SLIPWAY_REGISTRY_TOKEN_CERTIFICATE_FILE";

    public static ArtifactConfig from(Settings settings) {
        var sources = new ArrayList<PlatformSource>();
        var accounts = new ArrayList<Account>();
        readSources(settings, sources, accounts);
        var key = tokenKey(settings);
        for (var source : sources) {
            if (source.tokenService() != null && key == null) {
                settings.fault(SOURCES + ": " + source.name() + " takes tokens, and " + TOKEN_KEY + " is not set");
            }
        }
        return new ArtifactConfig(
                settings.text("SLIPWAY_REGION", "local"),
                List.copyOf(sources),
                List.copyOf(accounts),
                new SourceSettings(
                        Set.copyOf(settings.list("SLIPWAY_ARTIFACT_PRIVATE_HOSTS", List.of())),
                        Set.copyOf(settings.list("SLIPWAY_ARTIFACT_PLAIN_HOSTS", List.of())),
                        authorities(settings),
                        settings.duration("SLIPWAY_ARTIFACT_DEADLINE", Duration.ofSeconds(8)),
                        (long) settings.integer("SLIPWAY_ARTIFACT_MAX_MIB", 256, 1, 1 << 20) << 20),
                trustedKeys(settings),
                key,
                settings.text("SLIPWAY_REGISTRY_TOKEN_ISSUER", "slipway"));
    }

    /** For the demo: a registry on this machine, if one is started, without TLS and without credentials. */
    public ArtifactConfig withLocalRegistry() {
        var local = new PlatformSource("local", "oci", "localhost:5000", "slipway/apps", true, null);
        return new ArtifactConfig(
                region, List.of(local), List.of(), reading.withLocal(local.host()), trustedKeys, tokenKey, tokenIssuer);
    }

    /** A JSON list, or the name of a file that has one. */
    private static void readSources(Settings settings, List<PlatformSource> sources, List<Account> accounts) {
        var given = settings.optional(SOURCES);
        if (given == null) {
            return;
        }
        try {
            var text = given.startsWith("[") ? given : Files.readString(Path.of(given));
            for (var node : Json.parse(text.getBytes(StandardCharsets.UTF_8))) {
                var source = source(node);
                sources.add(source);
                accounts.add(account(node, source));
            }
            if (sources.stream().map(PlatformSource::name).distinct().count() < sources.size()
                    || sources.stream().map(PlatformSource::host).distinct().count() < sources.size()) {
                settings.fault(SOURCES + " has a name or a host twice");
            }
        } catch (IOException | IllegalArgumentException e) {
            settings.fault(SOURCES + " is neither a JSON list of sources nor a file with one: " + e.getMessage());
        }
    }

    private static PlatformSource source(JsonNode node) {
        var name = node.path("name").asText();
        var type = node.path("source_type").asText("oci");
        var namespace = node.path("namespace").asText();
        if (!name.matches("[a-z][a-z0-9-]{0,62}")
                || !List.of("oci", "https", "s3").contains(type)) {
            throw new IllegalArgumentException("the source '" + name + "' has no good name or source_type");
        }
        // Read as an artifact's source is, so that they are written the same way.
        var scheme = type.equals("oci") ? "oci" : "https";
        var at = Location.parse(
                type, scheme + "://" + node.path("host").asText() + "/" + (namespace.isEmpty() ? "x" : namespace));
        var service = node.path("token_service").textValue();
        return new PlatformSource(
                name, type, at.authority(), namespace, node.path("push").asBoolean(false), service);
    }

    private static Account account(JsonNode node, PlatformSource source) throws IOException {
        var file = node.path("password_file").textValue();
        return new Account(
                source.host(),
                source.tokenService() != null,
                node.path("username").textValue(),
                file == null ? null : Files.readString(Path.of(file)).strip(),
                node.path("token_host").textValue());
    }

    private static List<String> authorities(Settings settings) {
        var files = settings.list("SLIPWAY_ARTIFACT_CA_FILES", List.of());
        for (var file : files) {
            if (!Files.isReadable(Path.of(file))) {
                settings.fault("SLIPWAY_ARTIFACT_CA_FILES: " + file + " cannot be read");
            }
        }
        return files;
    }

    private static List<ECPublicKey> trustedKeys(Settings settings) {
        var keys = new ArrayList<ECPublicKey>();
        for (var file : settings.list("SLIPWAY_ARTIFACT_TRUSTED_KEYS", List.of())) {
            try {
                keys.add(TrustedKeys.parse(Files.readString(Path.of(file))));
            } catch (IOException | IllegalArgumentException e) {
                settings.fault(
                        "SLIPWAY_ARTIFACT_TRUSTED_KEYS: " + file + " is not a public key of the curve P-256 in PEM");
            }
        }
        return List.copyOf(keys);
    }

    private static @Nullable TokenKey tokenKey(Settings settings) {
        var key = settings.optional(TOKEN_KEY);
        var certificate = settings.optional(TOKEN_CERTIFICATE);
        if (key == null || certificate == null) {
            if (key != null || certificate != null) {
                settings.fault(TOKEN_KEY + " and " + TOKEN_CERTIFICATE + " go together: set both, or neither");
            }
            return null;
        }
        try {
            return TokenKey.parse(Files.readString(Path.of(key)), Files.readString(Path.of(certificate)));
        } catch (IOException | IllegalArgumentException e) {
            settings.fault(TOKEN_KEY + " and " + TOKEN_CERTIFICATE
                    + " are not a P-256 key in PKCS 8 and its certificate, both PEM");
            return null;
        }
    }

    @Override
    public String toString() {
        return "ArtifactConfig[" + sources + "]"; // passwords and keys stay out of logs
    }
}
