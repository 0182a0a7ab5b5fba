package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.DistributionServer.TokenRules;
import dev.slipway.testkit.TestCertificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/** A platform with a registry that requires tokens, an object store, and a tenant's own registry. */
record ArtifactFixture(
        TestCertificate certificate,
        DistributionServer registry,
        DistributionServer objects,
        DistributionServer tenantRegistry,
        PlatformUnderTest platform)
        implements AutoCloseable {
    static final ArtifactSigner TRUSTED = new ArtifactSigner();
    /** A digest that no source has. */
    static final String UNKNOWN_DIGEST = "sha256:" + "0".repeat(64);

    static ArtifactFixture start(Path directory) throws IOException {
        var certificate = TestCertificate.in(directory);
        var registry = new DistributionServer();
        registry.requireTokens(rules(certificate, Clock.systemUTC()));
        var tenantRegistry = new DistributionServer();
        var objects = new DistributionServer();
        var local = String.join(",", registry.host(), objects.host(), tenantRegistry.host());
        var source = Json.object()
                .put("name", "shared")
                .put("host", registry.host())
                .put("namespace", "slipway/apps")
                .put("push", true)
                .put("token_service", "test-registry");
        var open = Json.object()
                .put("name", "open")
                .put("host", "open.example.com")
                .put("push", true);
        var elsewhere = Json.object()
                .put("name", "elsewhere")
                .put("source_type", "https")
                .put("host", objects.host());
        var platform = new PlatformUnderTest(Map.of(
                "SLIPWAY_ARTIFACT_SOURCES",
                        Json.text(Json.array().add(source).add(open).add(elsewhere)),
                "SLIPWAY_ARTIFACT_PRIVATE_HOSTS", local,
                "SLIPWAY_ARTIFACT_PLAIN_HOSTS", local,
                "SLIPWAY_ARTIFACT_TRUSTED_KEYS",
                        Files.writeString(directory.resolve("trusted.pem"), TRUSTED.publicKeyPem())
                                .toString(),
                "SLIPWAY_REGISTRY_TOKEN_KEY_FILE", certificate.keyFile().toString(),
                "SLIPWAY_REGISTRY_TOKEN_CERTIFICATE_FILE",
                        certificate.certificateFile().toString()));
        return new ArtifactFixture(certificate, registry, objects, tenantRegistry, platform);
    }

    ArtifactCalls calls() {
        return new ArtifactCalls(platform, registry, TRUSTED);
    }

    /** Makes the registry accept tokens as of the given clock. */
    void requireTokens(Clock clock) {
        registry.requireTokens(rules(certificate, clock));
    }

    private static TokenRules rules(TestCertificate certificate, Clock clock) {
        return new TokenRules("slipway", "test-registry", certificate.certificate(), clock);
    }

    @Override
    public void close() {
        platform.close();
        registry.close();
        objects.close();
        tenantRegistry.close();
    }
}
