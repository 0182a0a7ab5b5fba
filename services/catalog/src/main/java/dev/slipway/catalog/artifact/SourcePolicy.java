package dev.slipway.catalog.artifact;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/** From where a project may have its artifacts: what policy says of it now. */
public interface SourcePolicy {
    Future<Allowed> of(UUID projectId);

    static ProblemException refused(String host) {
        return Problem.of(
                        ErrorCode.SOURCE_NOT_ALLOWED,
                        "Policy does not allow artifacts from " + host + ". GET /api/v1/apps/registry says from where.")
                .asException();
    }

    /**
     * What is allowed.
     *
     * @param patterns as policy has them; null where no level says anything, and the platform's own sources are what is left
     * @param allows whether a host, with its port, is
     */
    record Allowed(@Nullable List<String> patterns, Predicate<String> allows) {}
}
