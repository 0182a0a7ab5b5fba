package dev.slipway.catalog.artifact;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/** Who runs with a digest. */
public interface DigestUsers {
    /** The live instances whose version names the digest: how many, and the first so many of them. */
    Future<Users> of(UnitOfWork unit, String digest, int limit);

    record Users(long total, List<User> first) {}

    record User(UUID orgId, UUID projectId, UUID appInstanceId) {}
}
