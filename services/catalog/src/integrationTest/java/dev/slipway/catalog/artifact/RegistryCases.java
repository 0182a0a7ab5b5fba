package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.SourcePolicy.AllowedSources;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.source.ArtifactSource.FoundArtifact;
import dev.slipway.catalog.artifact.source.ArtifactSources;
import dev.slipway.catalog.artifact.source.SourceAuthenticator.SourceAccount;
import dev.slipway.catalog.artifact.source.SourceException;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.catalog.artifact.source.SourceSettings;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.RegistryPusher;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Test cases for every registry with the OCI distribution API; they run against a test server and a real registry. */
abstract class RegistryCases {
    static final String PROVENANCE = "https://slsa.dev/provenance/v1";
    static final Duration DEADLINE = Duration.ofSeconds(5);
    static final ArtifactSigner TRUSTED = new ArtifactSigner();
    static final ArtifactSigner UNTRUSTED = new ArtifactSigner();
    static Vertx vertx;

    @BeforeAll
    static void startVertx() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stopVertx() {
        await(vertx.close());
    }

    /** The registry's host with its port. */
    abstract String host();

    /** Issues a token to pull from a repository, if the registry requires one. */
    Future<String> pullToken(SourceLocation at) {
        return Future.failedFuture(new AssertionError("the registry requires a token"));
    }

    RegistryPusher pusher(String repository) {
        return new RegistryPusher("http://" + host(), null);
    }

    boolean takesTokens() {
        return false;
    }

    @Test
    void find_failsWithNotFound_whenRegistryHasNoSuchDigest() {
        var repository = repository();
        pusher(repository).image(repository, "v1", "content of " + repository);

        assertFails(() -> find(repository, "sha256:" + "0".repeat(64), false), Reason.NOT_FOUND);
        assertFails(() -> find(repository, "sha256:" + "0".repeat(64), true), Reason.NOT_FOUND);
        assertFails(() -> find(repository(), "sha256:" + "0".repeat(64), false), Reason.NOT_FOUND);
    }

    @Test
    void find_returnsManifestAndItsParts() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content of " + repository);

        var foundArtifact = find(repository, digest, false);

        assertThat(foundArtifact.digest().text()).isEqualTo(digest);
        assertThat(foundArtifact.mediaType()).isEqualTo("application/vnd.oci.image.manifest.v1+json");
        assertThat(foundArtifact.parts()).hasSize(2);
        List<String> missing = await(
                sources().withSource(at(repository), source -> source.findMissingParts(at(repository), foundArtifact)));
        assertThat(missing).isEmpty();
    }

    @Test
    void find_returnsBlob() {
        var repository = repository();
        var bytes = ("weights of " + repository).repeat(50_000).getBytes(StandardCharsets.UTF_8);
        var descriptor = pusher(repository).blob(repository, "application/octet-stream", bytes);

        var foundArtifact = find(repository, descriptor.path("digest").asText(), true);

        assertThat(foundArtifact.sizeBytes()).isEqualTo(bytes.length);
    }

    @Test
    void verify_fails_whenSignatureIsMissing() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "unsigned " + repository);

        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .endsWith("digest passed, content passed, signature failed: the artifact has no signature");
        assertThat(checks(repository, digest, Signing.ATTESTATION))
                .endsWith("attestation failed: the artifact has no attestation");
    }

    @Test
    void verify_fails_whenSignatureIsUntrustedTamperedOrForAnotherDigest() {
        var repository = repository();
        var pusher = pusher(repository);
        var another = pusher.image(repository, "another", "another " + repository);
        var digest = pusher.image(repository, "v1", "signed wrongly " + repository);
        var payload = ArtifactSigner.payload(repository, digest);

        pusher.signature(repository, digest, payload, UNTRUSTED.sign(payload));
        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .endsWith("signature failed: the signature was not made with a trusted key");

        var tampered = TRUSTED.sign(payload);
        tampered[tampered.length - 1] ^= 1;
        pusher.signature(repository, digest, payload, tampered);
        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .endsWith("signature failed: the signature was not made with a trusted key");

        var ofAnother = ArtifactSigner.payload(repository, another);
        pusher.signature(repository, digest, ofAnother, TRUSTED.sign(ofAnother));
        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .endsWith("signature failed: the signature is for " + another + ", not for this artifact");

        pusher.signature(repository, digest, payload, TRUSTED.sign(ofAnother));
        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .endsWith("signature failed: the signature was not made with a trusted key");
    }

    @Test
    void verify_passes_whenSignatureIsByTrustedKey() {
        var repository = repository();
        var pusher = pusher(repository);
        var digest = pusher.image(repository, "v1", "signed " + repository);
        var payload = ArtifactSigner.payload(repository, digest);
        pusher.signature(repository, digest, payload, TRUSTED.sign(payload));

        assertThat(checks(repository, digest, Signing.SIGNATURE))
                .isEqualTo("type passed, source passed, digest passed, content passed, signature passed");
        assertThat(checks(repository, digest, Signing.NONE)).endsWith("content passed, signature not_required");
    }

    @Test
    void verify_fails_whenAttestationIsUntrustedOrForAnotherDigestOrPredicate() {
        var repository = repository();
        var pusher = pusher(repository);
        var another = pusher.image(repository, "another", "another " + repository);
        var digest = pusher.image(repository, "v1", "attested wrongly " + repository);

        pusher.attestation(repository, digest, UNTRUSTED.attestation(digest, PROVENANCE));
        assertThat(checks(repository, digest, Signing.ATTESTATION))
                .endsWith("attestation failed: the attestation was not signed with a trusted key");

        pusher.attestation(repository, digest, TRUSTED.attestation(another, PROVENANCE));
        assertThat(checks(repository, digest, Signing.ATTESTATION))
                .endsWith("attestation failed: the attestation is not for this artifact");

        pusher.attestation(repository, digest, TRUSTED.attestation(digest, "https://example.com/opinion"));
        assertThat(checks(repository, digest, Signing.ATTESTATION))
                .contains("attestation failed: the attestation has predicate type https://example.com/opinion");

        var exchanged =
                TRUSTED.attestation(digest, PROVENANCE).put("payloadType", "application/vnd.something-else+json");
        pusher.attestation(repository, digest, exchanged);
        assertThat(checks(repository, digest, Signing.ATTESTATION))
                .endsWith("not an in-toto statement but application/vnd.something-else+json");
    }

    @Test
    void verify_passes_whenAttestationIsByTrustedKey() {
        var repository = repository();
        var pusher = pusher(repository);
        var digest = pusher.image(repository, "v1", "attested " + repository);
        pusher.attestation(repository, digest, TRUSTED.attestation(digest, PROVENANCE));

        assertThat(checks(repository, digest, Signing.ATTESTATION)).endsWith("content passed, attestation passed");
    }

    @Test
    void verify_fails_whenSourceIsNotAllowedOrTypeIsInactive() {
        var repository = repository();
        var digest = pusher(repository).image(repository, "v1", "content of " + repository);
        var artifact = artifact(repository, digest);

        var refused = await(verifier()
                .verify(artifact, type(Signing.NONE), new AllowedSources(null, h -> false, "nobody"), Instant.EPOCH));
        var typeless =
                await(verifier().verify(artifact, null, new AllowedSources(null, h -> true, "nobody"), Instant.EPOCH));

        assertThat(text(refused)).isEqualTo("type passed, source failed: policy does not allow " + host());
        assertThat(text(typeless)).isEqualTo("type failed: the artifact type test is not active");
    }

    /** Unique to this test run. */
    static String repository() {
        return "apps/" + UUID.randomUUID();
    }

    SourceLocation at(String repository) {
        return SourceLocation.parse("oci", "oci://" + host() + "/" + repository);
    }

    FoundArtifact find(String repository, String digest, boolean blob) {
        return await(
                sources().withSource(at(repository), source -> source.find(at(repository), new Digest(digest), blob)));
    }

    String checks(String repository, String digest, Signing signing) {
        return text(await(verifier()
                .verify(
                        artifact(repository, digest),
                        type(signing),
                        new AllowedSources(null, h -> true, "nobody"),
                        Instant.EPOCH)));
    }

    static String text(Verification verification) {
        return verification.checks().stream()
                .map(check -> check.name() + " " + check.result().text()
                        + (check.reason() == null ? "" : ": " + check.reason()))
                .collect(Collectors.joining(", "));
    }

    ArtifactVerifier verifier() {
        return new ArtifactVerifier(vertx, sources(), new TrustedKeys(List.of(TRUSTED.publicKey())));
    }

    ArtifactSources sources() {
        return sources(
                new SourceSettings(Set.of(host()), Set.of(host()), List.of(), DEADLINE, 16 << 20), this::pullToken);
    }

    ArtifactSources sources(SourceSettings settings, Function<SourceLocation, Future<String>> token) {
        var sourceAccount = new SourceAccount("oci", host(), "", takesTokens(), null, null, null);
        return new ArtifactSources(vertx, settings, List.of(sourceAccount), token);
    }

    static ArtifactType type(Signing signing) {
        return new ArtifactType("test", 1, true, signing, List.of(Channel.values()), List.of(PROVENANCE));
    }

    Artifact artifact(String repository, String digest) {
        return artifact(Kind.OCI, "oci", "oci://" + host() + "/" + repository, digest);
    }

    static Artifact artifact(Kind kind, String sourceType, String uri, String digest) {
        var id = Ids.next();
        return new Artifact(
                id,
                "slipway:local:o:p:artifact:" + id,
                id,
                id,
                null,
                "test",
                1,
                kind,
                new Artifact.Source(sourceType, uri, null, null, null),
                SourceLocation.parse(sourceType, uri).repository(),
                null,
                new Digest(digest),
                null,
                1,
                Visibility.PROJECT,
                Lifecycle.PUBLISHED,
                Trust.UNVERIFIED,
                null,
                null,
                null,
                id,
                id,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                null);
    }

    static void assertFails(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, Reason reason) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SourceException.class, e -> assertThat(e.reason())
                .as(e.getMessage())
                .isEqualTo(reason));
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(requireNonNull(e.getCause()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
