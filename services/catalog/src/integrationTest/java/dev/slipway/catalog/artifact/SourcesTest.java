package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.SourcePolicy.AllowedSources;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.catalog.artifact.source.ArtifactSources;
import dev.slipway.catalog.artifact.source.SourceAuthenticator.SourceAccount;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.catalog.artifact.source.SourceSettings;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Json;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.RegistryPusher;
import dev.slipway.testkit.TestCertificate;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** The registry test cases against a test server, plus failures of sources and objects. */
class SourcesTest extends RegistryCases {
    private static final byte[] OBJECT = "some weights".repeat(100_000).getBytes(StandardCharsets.UTF_8);
    private static DistributionServer server;

    @BeforeAll
    static void start() {
        server = new DistributionServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void clearFaults() {
        server.clearFaults();
    }

    @Override
    String host() {
        return server.host();
    }

    @Test
    void find_failsWithNotAllowed_whenHostHasNonPublicAddress() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content");
        server.clearFaults();
        var strict = new SourceSettings(Set.of(), Set.of(host()), List.of(), DEADLINE, 1 << 20);

        assertFails(() -> find(strict, at(repository), digest), Reason.NOT_ALLOWED);
        for (var host : List.of("localhost", "127.0.0.1", "169.254.169.254", "10.0.0.1")) {
            var other = SourceLocation.parse("https", "https://" + host + "/latest/meta-data");
            assertFails(() -> find(strict, other, digest), Reason.NOT_ALLOWED);
        }
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void find_failsWithNotAllowed_whenTlsIsMissing() {
        var repository = repository();
        var withTls = new SourceSettings(Set.of(host()), Set.of(), List.of(), DEADLINE, 1 << 20);

        // The server has no TLS, and the client must not fall back to plain HTTP.
        assertFails(() -> find(withTls, at(repository), "sha256:" + "0".repeat(64)), Reason.UNAVAILABLE);
    }

    @Test
    void find_connectsToCheckedAddress_andVerifiesCertificateAgainstName(@TempDir Path directory) throws IOException {
        for (var name : List.of("localhost", "elsewhere.example.com")) {
            var certificate = TestCertificate.in(Files.createDirectory(directory.resolve(name)), name);
            var authority = certificate.certificateFile().toString();
            try (var secure = new DistributionServer(certificate)) {
                secure.putObject("/object", OBJECT);
                var host = "localhost:" + secure.port();
                var at = SourceLocation.parse("https", "https://" + host + "/object");
                var settings = new SourceSettings(Set.of(host), Set.of(), List.of(authority), DEADLINE, 16 << 20);
                if (name.equals("localhost")) {
                    assertThat(find(settings, at, RegistryPusher.digest(OBJECT)).sizeBytes())
                            .isEqualTo(OBJECT.length);
                } else {
                    assertFails(() -> find(settings, at, RegistryPusher.digest(OBJECT)), Reason.UNAVAILABLE);
                    assertThat(secure.requests()).isEmpty();
                }
            }
        }
    }

    @Test
    void find_fails_whenRedirectIsInternalOrEndless() {
        server.redirect("/metadata", "http://169.254.169.254/latest/meta-data");
        server.redirect("/inside", "http://localhost:" + host().split(":", -1)[1] + "/object");
        server.redirect("/file", "file:///etc/passwd");
        server.redirect("/round", "/round");
        server.putObject("/object", OBJECT);
        var digest = RegistryPusher.digest(OBJECT);

        assertFails(() -> find(settings(), object("/metadata"), digest), Reason.NOT_ALLOWED);
        assertFails(() -> find(settings(), object("/inside"), digest), Reason.NOT_ALLOWED);
        assertFails(() -> find(settings(), object("/file"), digest), Reason.REFUSED);
        assertFails(() -> find(settings(), object("/round"), digest), Reason.REFUSED);
        assertThat(server.requests()).doesNotContain("GET /object");
    }

    @Test
    void find_followsAllowedRedirect() {
        server.redirect("/moved", "/object");
        server.putObject("/object", OBJECT);

        assertThat(find(settings(), object("/moved"), RegistryPusher.digest(OBJECT))
                        .sizeBytes())
                .isEqualTo(OBJECT.length);
    }

    @Test
    void find_failsWithMismatch_whenBytesDiffer() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content");
        server.serveWrongContent("/v2/" + repository + "/manifests/" + digest, "{}".getBytes(StandardCharsets.UTF_8));
        server.putObject("/object", OBJECT);

        assertFails(() -> find(repository, digest, false), Reason.MISMATCH);
        assertFails(() -> find(settings(), object("/object"), digest), Reason.MISMATCH);
    }

    @Test
    void find_failsWithTooLarge_whenBodyExceedsLimit() {
        server.serveEndlessContent("/endless");
        var repository = repository();
        var digest = "sha256:" + "1".repeat(64);
        server.serveEndlessContent("/v2/" + repository + "/manifests/" + digest);

        assertFails(() -> find(settings(), object("/endless"), digest), Reason.TOO_LARGE);
        assertFails(() -> find(repository, digest, false), Reason.TOO_LARGE);
    }

    @Test
    void find_failsWithUnavailable_whenSourceIsSlowFailingOrUnreachable() {
        var quick = new SourceSettings(Set.of(host()), Set.of(host()), List.of(), Duration.ofMillis(300), 1 << 20);
        var digest = "sha256:" + "1".repeat(64);
        server.stall("/stalled");
        server.failWith("/failing", 503);

        assertFails(() -> find(quick, object("/stalled"), digest), Reason.UNAVAILABLE);
        assertFails(() -> find(quick, object("/failing"), digest), Reason.UNAVAILABLE);
        var nowhere = SourceLocation.parse("https", "https://does-not-exist.invalid/a");
        assertFails(() -> find(quick, nowhere, digest), Reason.UNAVAILABLE);
    }

    @Test
    void verify_failsWithUnavailable_whenSourceIsUnreachable() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content");
        server.failWith("/v2/" + repository + "/manifests/" + digest.replace(':', '-') + ".sig", 500);

        assertFails(() -> checks(repository, digest, Signing.SIGNATURE), Reason.UNAVAILABLE);
    }

    @Test
    void verify_fails_whenImagePartIsMissing() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content");
        var layer = RegistryPusher.digest("content".getBytes(StandardCharsets.UTF_8));
        server.failWith("/v2/" + repository + "/blobs/" + layer, 404);

        assertThat(checks(repository, digest, Signing.NONE))
                .endsWith("content failed: the registry does not have " + layer + ", which the manifest lists");
    }

    @Test
    void verify_passes_whenAttestationIsAReferrer() {
        var repository = repository();
        var pusher = pusher(repository);
        var digest = pusher.image(repository, "v1", "attested by a referrer");
        pusher.referrer(repository, digest, TRUSTED.attestation(digest, PROVENANCE));

        assertThat(checks(repository, digest, Signing.ATTESTATION)).endsWith("attestation passed");
    }

    @Test
    void find_fetchesTokenFromRealm_andSendsPasswordOnlyToConfiguredHosts() {
        var repository = repository();
        server.putObject("/token", Json.bytes(Json.object().put("token", "given")));
        var digest = pusher(repository).image(repository, "v1", "content");
        server.challengeOnce(
                "/v2/" + repository + "/manifests/" + digest,
                "Bearer realm=\"http://" + host() + "/token\",service=\"s\"");

        assertThat(find(repository, digest, false).digest().text()).isEqualTo(digest);
        assertThat(server.requests()).contains("GET /token");
    }

    @Test
    void find_failsWithNotAllowed_whenAnObjectIsOnARegistry() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "another tenant's");
        var account = new SourceAccount("oci", host(), "shared", false, "platform", "password", null);
        var sources = new ArtifactSources(vertx, settings(), List.of(account), at -> Future.failedFuture("no token"));
        server.clearFaults();

        for (var type : List.of("https", "s3")) {
            var at = SourceLocation.parse(type, "http://" + host() + "/v2/" + repository + "/manifests/" + digest);
            assertFails(
                    () -> await(sources.withSource(at, source -> source.find(at, new Digest(digest), false))),
                    Reason.NOT_ALLOWED);
        }

        assertThat(server.requests()).isEmpty();
    }

    @Test
    void find_sendsThePassword_onlyWithinTheNamespaceOfTheAccount() {
        var account = new SourceAccount("oci", host(), "shared", false, "platform", "password", null);
        var sources = new ArtifactSources(vertx, settings(), List.of(account), at -> Future.failedFuture("no token"));
        for (var repository : List.of("shared/one", "shared-elsewhere/one", "internal/one")) {
            var digest = pusher(repository).image(repository, "v1", "content");
            server.challengeOnce("/v2/" + repository + "/manifests/" + digest, "Basic realm=\"registry\"");
            var found = sources.withSource(
                    at(repository), source -> source.find(at(repository), new Digest(digest), false));
            if (repository.startsWith("shared/")) {
                assertThat(await(found).digest().text()).isEqualTo(digest);
            } else {
                assertFails(() -> await(found), Reason.REFUSED);
            }
        }
    }

    @Test
    @Proves({"1.12", "C.10"})
    void verify_acceptsObject() {
        var digest = RegistryPusher.digest(OBJECT);
        server.putObject("/weights.bin", OBJECT);
        var artifact = artifact(Kind.BLOB, "https", "http://" + host() + "/weights.bin", digest);

        assertThat(text(verified(artifact, Signing.SIGNATURE)))
                .endsWith("digest passed, content passed, signature failed: the artifact has no signature");

        server.putObject("/weights.bin.sig", Base64.getEncoder().encode(UNTRUSTED.sign(OBJECT)));
        assertThat(text(verified(artifact, Signing.SIGNATURE)))
                .endsWith("signature failed: the signature was not made with a trusted key");

        server.putObject("/weights.bin.sig", Base64.getEncoder().encode(TRUSTED.sign(OBJECT)));
        assertThat(text(verified(artifact, Signing.SIGNATURE))).endsWith("signature passed");

        server.putObject("/weights.bin.att", Json.bytes(TRUSTED.attestation(digest, PROVENANCE)));
        assertThat(text(verified(artifact, Signing.ATTESTATION))).endsWith("attestation passed");
    }

    private dev.slipway.catalog.artifact.domain.Verification verified(
            dev.slipway.catalog.artifact.domain.Artifact artifact, Signing signing) {
        var verifier =
                new ArtifactVerifier(vertx, objectSources(settings()), new TrustedKeys(List.of(TRUSTED.publicKey())));
        return await(
                verifier.verify(artifact, type(signing), new AllowedSources(null, h -> true, "nobody"), Instant.EPOCH));
    }

    private SourceSettings settings() {
        return new SourceSettings(Set.of(host()), Set.of(host()), List.of(), DEADLINE, 16 << 20);
    }

    private static SourceLocation object(String path) {
        return SourceLocation.parse("https", "http://" + server.host() + path);
    }

    private dev.slipway.catalog.artifact.source.ArtifactSource.FoundArtifact find(
            SourceSettings settings, SourceLocation at, String digest) {
        var sources = at.type().equals("oci")
                ? sources(settings, location -> Future.failedFuture("no token"))
                : objectSources(settings);
        return await(sources.withSource(at, source -> source.find(at, new Digest(digest), false)));
    }

    /** Returns sources for which the test server is a web server and no registry. */
    private ArtifactSources objectSources(SourceSettings settings) {
        return new ArtifactSources(vertx, settings, List.of(), location -> Future.failedFuture("no token"));
    }
}
