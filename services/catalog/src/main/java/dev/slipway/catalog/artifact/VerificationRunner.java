package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.source.SourceException;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.QueryExecutor;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.temporal.ChronoUnit;

/** Verifies artifacts against the current registries and policy. */
public final class VerificationRunner {
    private final QueryExecutor reads;
    private final ArtifactTypeLookup types;
    private final SourcePolicy policy;
    private final ArtifactVerifier artifactVerifier;
    private final Clock clock;

    public VerificationRunner(
            QueryExecutor reads,
            ArtifactTypeLookup types,
            SourcePolicy policy,
            ArtifactVerifier artifactVerifier,
            Clock clock) {
        this.reads = reads;
        this.types = types;
        this.policy = policy;
        this.artifactVerifier = artifactVerifier;
        this.clock = clock;
    }

    Future<Verification> verify(Artifact artifact) {
        var type = types.find(reads, artifact.artifactType());
        var allowed = policy.find(artifact.orgId(), artifact.projectId(), artifact.appSlug());
        return Future.all(type, allowed)
                .compose(ok -> artifactVerifier.verify(
                        artifact,
                        type.result(),
                        allowed.result(),
                        clock.instant().truncatedTo(ChronoUnit.MICROS)))
                .recover(e -> Future.failedFuture(e instanceof SourceException source ? toProblem(source) : e));
    }

    /** Converts a failure of a source into the problem that the API returns. */
    static Throwable toProblem(SourceException e) {
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
