package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.source.SourceException;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Queries;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.temporal.ChronoUnit;

/** Verifies artifacts by what the registries and policy say at that moment. */
public final class Verifications {
    private final Queries reads;
    private final ArtifactTypes types;
    private final SourcePolicy policy;
    private final Verifier verifier;
    private final Clock clock;

    public Verifications(Queries reads, ArtifactTypes types, SourcePolicy policy, Verifier verifier, Clock clock) {
        this.reads = reads;
        this.types = types;
        this.policy = policy;
        this.verifier = verifier;
        this.clock = clock;
    }

    Future<Verification> of(Artifact artifact) {
        var type = types.find(reads, artifact.artifactType());
        var allowed = policy.of(artifact.orgId(), artifact.projectId(), artifact.appSlug());
        return Future.all(type, allowed)
                .compose(ok -> verifier.verify(
                        artifact,
                        type.result(),
                        allowed.result(),
                        clock.instant().truncatedTo(ChronoUnit.MICROS)))
                .recover(e -> Future.failedFuture(e instanceof SourceException source ? problem(source) : e));
    }

    /** What a caller is told when a source did not do what was asked of it. */
    static Throwable problem(SourceException e) {
        var code =
                switch (e.reason()) {
                    case UNAVAILABLE -> ErrorCode.SOURCE_UNAVAILABLE;
                    case NOT_ALLOWED -> ErrorCode.SOURCE_NOT_ALLOWED;
                    case NOT_FOUND -> ErrorCode.DIGEST_NOT_FOUND;
                    case MISMATCH -> ErrorCode.DIGEST_MISMATCH;
                    case TOO_LARGE -> ErrorCode.SOURCE_TOO_LARGE;
                    case REFUSED -> ErrorCode.SOURCE_REFUSED;
                };
        return Problem.of(code, String.valueOf(e.getMessage())).asException();
    }
}
