package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Returns the verdict of the release gates of an artifact, or null if it needs none. Fails with a problem if they have not passed. */
@FunctionalInterface
public interface ReleaseGateLookup {
    Future<@Nullable UUID> requirePassed(UnitOfWork unit, Artifact artifact);
}
