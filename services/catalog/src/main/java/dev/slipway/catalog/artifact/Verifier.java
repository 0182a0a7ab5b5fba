package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.SourcePolicy.Allowed;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.source.ArtifactSource;
import dev.slipway.catalog.source.ArtifactSources;
import dev.slipway.catalog.source.Location;
import dev.slipway.catalog.source.SourceException;
import dev.slipway.catalog.source.SourceException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Checks an artifact: its type, its source, its digest and what it consists of, and what somebody must have signed. No network but the
 * source. A check that failed ends it, as the later ones build on the earlier; a source that is away is no verdict.
 */
public final class Verifier {
    private final Vertx vertx;
    private final ArtifactSources sources;
    private final TrustedKeys keys;

    public Verifier(Vertx vertx, ArtifactSources sources, TrustedKeys keys) {
        this.vertx = vertx;
        this.sources = sources;
        this.keys = keys;
    }

    Future<Verification> verify(Artifact artifact, @Nullable ArtifactType type, Allowed allowed, Instant now) {
        var checks = new ArrayList<Check>();
        if (type == null) {
            checks.add(Check.failed("type", "the artifact type " + artifact.artifactType() + " is not active"));
            return Future.succeededFuture(new Verification(now, checks));
        }
        checks.add(Check.passed("type"));
        var at =
                Location.parse(artifact.source().sourceType(), artifact.source().uri());
        if (!allowed.allows().test(at.authority())) {
            checks.add(Check.failed("source", "policy does not allow " + at.authority()));
            return Future.succeededFuture(new Verification(now, checks));
        }
        checks.add(Check.passed("source"));
        return sources.at(at, source -> checked(source, at, artifact, type, checks))
                .map(done -> new Verification(now, List.copyOf(checks)));
    }

    private Future<Boolean> checked(
            ArtifactSource source, Location at, Artifact artifact, ArtifactType type, List<Check> checks) {
        var digest = artifact.digest();
        return source.find(at, digest, artifact.kind() == Kind.BLOB)
                .compose(found -> judged(checks, "digest", Future.succeededFuture())
                        .compose(ok -> judged(
                                checks, "content", source.missing(at, found).map(Verifier::first))))
                .recover(e -> judged(checks, "digest", Future.failedFuture(e)))
                .compose(good -> good ? signed(source, at, artifact, type, checks) : Future.succeededFuture(false));
    }

    private Future<Boolean> signed(
            ArtifactSource source, Location at, Artifact artifact, ArtifactType type, List<Check> checks) {
        var digest = artifact.digest();
        return switch (type.signing()) {
            case NONE -> {
                checks.add(Check.notRequired("signature"));
                yield Future.succeededFuture(true);
            }
            case SIGNATURE ->
                judged(
                        checks,
                        "signature",
                        source.signatures(at, digest).compose(all -> computed(() -> keys.signatureFault(digest, all))));
            case ATTESTATION ->
                judged(
                        checks,
                        "attestation",
                        source.attestations(at, digest)
                                .compose(all -> computed(() -> {
                                    var envelopes =
                                            all.stream().map(Buffer::getBytes).toList();
                                    return keys.attestationFault(digest, envelopes, type.predicateTypes());
                                })));
        };
    }

    /** Whether a check was passed: one that ends without a fault is. What the source has said is a verdict, that it is away is none. */
    private static Future<Boolean> judged(List<Check> checks, String name, Future<@Nullable String> fault) {
        return fault.recover(e -> e instanceof SourceException source && source.reason() != Reason.UNAVAILABLE
                        ? Future.succeededFuture(source.getMessage())
                        : Future.failedFuture(e))
                .map(found -> {
                    checks.add(found == null ? Check.passed(name) : Check.failed(name, found));
                    return found == null;
                });
    }

    private Future<@Nullable String> computed(Callable<@Nullable String> fault) {
        return vertx.executeBlocking(fault, false);
    }

    private static @Nullable String first(List<String> faults) {
        return faults.isEmpty() ? null : faults.get(0);
    }
}
