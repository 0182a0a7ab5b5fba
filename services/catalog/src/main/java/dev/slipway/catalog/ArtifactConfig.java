package dev.slipway.catalog;

import dev.slipway.catalog.artifact.PlatformSource;
import dev.slipway.catalog.artifact.TrustedKeys;
import dev.slipway.catalog.artifact.credential.RegistryTokenKey;
import dev.slipway.catalog.artifact.source.SourceAuthenticator.SourceAccount;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.catalog.artifact.source.SourceSettings;
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
 * Configuration of artifact sources, trusted keys and registry tokens.
 *
 * @param sources the sources that the platform shares with its tenants
 * @param accounts the platform's accounts at these sources
 * @param trustedKeys the keys whose signatures are accepted
 * @param tokenKey signs registry tokens; null if none are issued
 * @param tokenIssuer the issuer of registry tokens
 */
public record ArtifactConfig(
        String region,
        List<PlatformSource> sources,
        List<SourceAccount> accounts,
        SourceSettings sourceSettings,
        List<ECPublicKey> trustedKeys,
        @Nullable RegistryTokenKey tokenKey,
        String tokenIssuer) {
    private static final String SOURCES = "SLIPWAY_ARTIFACT_SOURCES";
    private static final String TOKEN_KEY = "SLIPWAY_REGISTRY_TOKEN_KEY_FILE";
    private static final String TOKEN_CERTIFICATE = "SLIPWAY_REGISTRY_TOKEN_CERTIFICATE_FILE";

    public static ArtifactConfig from(Settings settings) {
        var sources = new ArrayList<PlatformSource>();
        var accounts = new ArrayList<SourceAccount>();
        readSources(settings, sources, accounts);
        var key = tokenKey(settings);
        for (var source : sources) {
            if (source.tokenService() != null && key == null) {
                settings.addError(
                        SOURCES + ": " + source.name() + " requires tokens, but " + TOKEN_KEY + " is not set");
            }
        }
        return new ArtifactConfig(
                settings.text("SLIPWAY_REGION", "local"),
                List.copyOf(sources),
                List.copyOf(accounts),
                new SourceSettings(
                        Set.copyOf(settings.list("SLIPWAY_ARTIFACT_PRIVATE_HOSTS", List.of())),
                        Set.copyOf(settings.list("SLIPWAY_ARTIFACT_PLAIN_HOSTS", List.of())),
                        caFiles(settings),
                        settings.duration("SLIPWAY_ARTIFACT_DEADLINE", Duration.ofSeconds(8)),
                        (long) settings.integer("SLIPWAY_ARTIFACT_MAX_MIB", 256, 1, 1 << 20) << 20),
                trustedKeys(settings),
                key,
                settings.text("SLIPWAY_REGISTRY_TOKEN_ISSUER", "slipway"));
    }

    /** Uses a registry on this machine, without TLS and credentials, for the demo. */
    public ArtifactConfig withLocalRegistry() {
        var local = new PlatformSource("local", "oci", "localhost:5000", "slipway/apps", true, null);
        return new ArtifactConfig(
                region,
                List.of(local),
                List.of(new SourceAccount(
                        local.sourceType(), local.host(), local.namespace(), false, null, null, null)),
                sourceSettings.withLocalHost(local.host()),
                trustedKeys,
                tokenKey,
                tokenIssuer);
    }

    /** Reads a JSON list, or a file that contains one. */
    private static void readSources(Settings settings, List<PlatformSource> sources, List<SourceAccount> accounts) {
        var given = settings.optional(SOURCES);
        if (given == null) {
            return;
        }
        try {
            var text = given.startsWith("[") ? given : Files.readString(Path.of(given));
            for (var node : Json.parse(text.getBytes(StandardCharsets.UTF_8))) {
                var config = Json.toRecord(node, SourceConfig.class);
                var source = config.toSource();
                sources.add(source);
                accounts.add(config.toAccount(source));
            }
            if (sources.stream().map(PlatformSource::name).distinct().count() < sources.size()
                    || sources.stream().map(PlatformSource::host).distinct().count() < sources.size()) {
                settings.addError(SOURCES + " contains a duplicate name or host");
            }
        } catch (IOException | IllegalArgumentException e) {
            settings.addError(
                    SOURCES + " is neither a JSON list of sources nor a file that contains one: " + e.getMessage());
        }
    }

    /** An element of {@code SLIPWAY_ARTIFACT_SOURCES}. */
    private record SourceConfig(
            @Nullable String name,
            @Nullable String sourceType,
            @Nullable String host,
            @Nullable String namespace,
            boolean push,
            @Nullable String tokenService,
            @Nullable String username,
            @Nullable String passwordFile,
            @Nullable String tokenHost) {

        PlatformSource toSource() {
            var type = sourceType == null ? "oci" : sourceType;
            if (name == null
                    || !name.matches("[a-z][a-z0-9-]{0,62}")
                    || !List.of("oci", "https", "s3").contains(type)) {
                throw new IllegalArgumentException("source '" + name + "' has an invalid name or source_type");
            }
            var below = namespace == null ? "" : namespace;
            // Parsed like an artifact's source, so that hosts are normalized in the same way.
            var scheme = type.equals("oci") ? "oci" : "https";
            var location = SourceLocation.parse(type, scheme + "://" + host + "/" + (below.isEmpty() ? "x" : below));
            return new PlatformSource(name, type, location.authority(), below, push, tokenService);
        }

        SourceAccount toAccount(PlatformSource source) throws IOException {
            var password = passwordFile == null
                    ? null
                    : Files.readString(Path.of(passwordFile)).strip();
            return new SourceAccount(
                    source.sourceType(),
                    source.host(),
                    source.namespace(),
                    tokenService != null,
                    username,
                    password,
                    tokenHost);
        }
    }

    private static List<String> caFiles(Settings settings) {
        var files = settings.list("SLIPWAY_ARTIFACT_CA_FILES", List.of());
        for (var file : files) {
            if (!Files.isReadable(Path.of(file))) {
                settings.addError("SLIPWAY_ARTIFACT_CA_FILES: " + file + " is not readable");
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
                settings.addError(
                        "SLIPWAY_ARTIFACT_TRUSTED_KEYS: " + file + " is not a P-256 public key in PEM format");
            }
        }
        return List.copyOf(keys);
    }

    private static @Nullable RegistryTokenKey tokenKey(Settings settings) {
        var key = settings.optional(TOKEN_KEY);
        var certificate = settings.optional(TOKEN_CERTIFICATE);
        if (key == null || certificate == null) {
            if (key != null || certificate != null) {
                settings.addError(TOKEN_KEY + " and " + TOKEN_CERTIFICATE + " must be set together");
            }
            return null;
        }
        try {
            return RegistryTokenKey.parse(Files.readString(Path.of(key)), Files.readString(Path.of(certificate)));
        } catch (IOException | IllegalArgumentException e) {
            settings.addError(TOKEN_KEY + " and " + TOKEN_CERTIFICATE
                    + " are not a P-256 key in PKCS 8 format and its certificate, both PEM");
            return null;
        }
    }

    @Override
    public String toString() {
        return "ArtifactConfig[" + sources + "]"; // passwords and keys stay out of logs
    }
}
