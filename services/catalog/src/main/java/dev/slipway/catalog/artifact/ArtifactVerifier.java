package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.SourcePolicy.AllowedSources;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.artifact.source.ArtifactSource;
import dev.slipway.catalog.artifact.source.ArtifactSources;
import dev.slipway.catalog.artifact.source.SourceException;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SourceLocation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Verifies an artifact: type, source, digest, content, and signature or attestation. Stops at the first failed check, because later checks
 * depend on earlier ones. Fails with {@link Reason#UNAVAILABLE}, without a result, if the source is unavailable.
 */
public final class ArtifactVerifier {
    private final Vertx vertx;
    private final ArtifactSources sources;
    private final TrustedKeys keys;

    public ArtifactVerifier(Vertx vertx, ArtifactSources sources, TrustedKeys keys) {
        this.vertx = vertx;
        this.sources = sources;
        this.keys = keys;
    }

    Future<Verification> verify(
            Artifact artifact, @Nullable ArtifactType type, AllowedSources allowedSources, Instant now) {
        var checks = new ArrayList<Check>();
        if (type == null) {
            checks.add(Check.failed("type", "the artifact type " + artifact.artifactType() + " is not active"));
            return Future.succeededFuture(new Verification(now, checks));
        }
        checks.add(Check.passed("type"));
        var at = SourceLocation.parse(
                artifact.source().sourceType(), artifact.source().uri());
        if (!allowedSources.allows().test(at.authority())) {
            checks.add(Check.failed("source", "policy does not allow " + at.authority()));
            return Future.succeededFuture(new Verification(now, checks));
        }
        checks.add(Check.passed("source"));
        return sources.withSource(at, source -> checkContent(source, at, artifact, type, checks))
                .map(done -> new Verification(now, List.copyOf(checks)));
    }

    private Future<Boolean> checkContent(
            ArtifactSource source, SourceLocation at, Artifact artifact, ArtifactType type, List<Check> checks) {
        var digest = artifact.digest();
        return source.find(at, digest, artifact.kind() == Kind.BLOB)
                .compose(foundArtifact -> recordCheck(checks, "digest", Future.succeededFuture())
                        .compose(ok -> recordCheck(
                                checks,
                                "content",
                                source.findMissingParts(at, foundArtifact).map(ArtifactVerifier::firstOrNull))))
                .recover(e -> recordCheck(checks, "digest", Future.failedFuture(e)))
                .compose(good ->
                        good ? checkSignature(source, at, artifact, type, checks) : Future.succeededFuture(false));
    }

    private Future<Boolean> checkSignature(
            ArtifactSource source, SourceLocation at, Artifact artifact, ArtifactType type, List<Check> checks) {
        var digest = artifact.digest();
        return switch (type.signing()) {
            case NONE -> {
                checks.add(Check.notRequired("signature"));
                yield Future.succeededFuture(true);
            }
            case SIGNATURE ->
                recordCheck(
                        checks,
                        "signature",
                        source.signatures(at, digest)
                                .compose(all -> runBlocking(() -> keys.verifySignatures(digest, all))));
            case ATTESTATION ->
                recordCheck(
                        checks,
                        "attestation",
                        source.attestations(at, digest)
                                .compose(all -> runBlocking(() -> {
                                    var envelopes =
                                            all.stream().map(Buffer::getBytes).toList();
                                    return keys.verifyAttestations(digest, envelopes, type.predicateTypes());
                                })));
        };
    }

    /** Adds the result of a check and returns whether it passed. An unavailable source fails the future instead. */
    private static Future<Boolean> recordCheck(List<Check> checks, String name, Future<@Nullable String> fault) {
        return fault.recover(e -> e instanceof SourceException source && source.reason() != Reason.UNAVAILABLE
                        ? Future.succeededFuture(source.getMessage())
                        : Future.failedFuture(e))
                .map(found -> {
                    checks.add(found == null ? Check.passed(name) : Check.failed(name, found));
                    return found == null;
                });
    }

    private Future<@Nullable String> runBlocking(Callable<@Nullable String> fault) {
        return vertx.executeBlocking(fault, false);
    }

    private static @Nullable String firstOrNull(List<String> faults) {
        return faults.isEmpty() ? null : faults.get(0);
    }
}
