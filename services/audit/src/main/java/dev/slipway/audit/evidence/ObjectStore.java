package dev.slipway.audit.evidence;

import io.vertx.core.Future;

/** Stores content under its digest. Implementations never block the event loop. */
public interface ObjectStore {
    /** Stores the content durably before it completes. Storing the same content again has no effect. */
    Future<Void> put(String digest, byte[] content);

    /** Returns the content. Fails if it is missing or does not match the digest. */
    Future<byte[]> get(String digest);

    /**
     * Deletes the content if it is there. Content that was stored again within the last hour stays, because evidence that refers to it may
     * not be committed yet.
     */
    Future<Void> delete(String digest);
}
