package dev.slipway.audit.evidence;

import io.vertx.core.Future;

/** Stores content under its digest. Implementations never block the event loop. */
public interface ObjectStore {
    /** Stores the content durably before it completes. Storing the same content again has no effect. */
    Future<Void> put(String digest, byte[] content);

    /** Returns the content. Fails if it is missing or does not match the digest. */
    Future<byte[]> get(String digest);
}
