package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

/** Reads response bodies, completely or only to compute their digest, within limits of size and time. */
final class ResponseBodyReader {
    /** Hashing runs on worker threads; this is the amount of data that justifies a switch. */
    private static final int HASH_CHUNK_BYTES = 256 << 10;

    private final Vertx vertx;
    private final Duration deadline;

    /** The digest and size of a body. */
    record HashedBody(Digest digest, long sizeBytes) {}

    ResponseBodyReader(Vertx vertx, Duration deadline) {
        this.vertx = vertx;
        this.deadline = deadline;
    }

    /** Reads a body; fails with TOO_LARGE if it exceeds the limit. */
    Future<Buffer> readAll(HttpClientResponse response, int maxBytes) {
        var body = Buffer.buffer();
        return read(response, maxBytes, chunk -> {
                    body.appendBuffer(chunk);
                    return null;
                })
                .map(size -> body);
    }

    /** Computes the digest of a body without storing it. */
    Future<HashedBody> readHash(HttpClientResponse response, long maxBytes) {
        var sha256 = sha256();
        var pending = new Buffer[] {Buffer.buffer()};
        return read(response, maxBytes, chunk -> {
                    pending[0].appendBuffer(chunk);
                    if (pending[0].length() < HASH_CHUNK_BYTES) {
                        return null;
                    }
                    var bytes = pending[0].getBytes();
                    pending[0] = Buffer.buffer();
                    return update(sha256, bytes);
                })
                .compose(size -> update(sha256, pending[0].getBytes())
                        .map(done -> new HashedBody(Digest.of(sha256.digest()), size)));
    }

    Future<Digest> digest(Buffer body) {
        var sha256 = sha256();
        return update(sha256, body.getBytes()).map(done -> Digest.of(sha256.digest()));
    }

    private Future<Void> update(MessageDigest sha256, byte[] bytes) {
        return vertx.executeBlocking(
                () -> {
                    sha256.update(bytes);
                    return null;
                },
                false);
    }

    /** Handles a chunk; returns a future to wait for before the next chunk, or null. */
    private interface ChunkHandler {
        @org.jspecify.annotations.Nullable
        Future<Void> handle(Buffer chunk);
    }

    private Future<Long> read(HttpClientResponse response, long maxBytes, ChunkHandler chunkHandler) {
        var read = Promise.<Long>promise();
        var size = new long[1];
        var timer = vertx.setTimer(
                deadline.toMillis(),
                late -> read.tryFail(new SourceException(
                        Reason.UNAVAILABLE,
                        "The source did not send its response within " + deadline.toSeconds() + " s.")));
        response.handler(chunk -> {
            size[0] += chunk.length();
            if (size[0] > maxBytes) {
                read.tryFail(
                        new SourceException(Reason.TOO_LARGE, "The artifact is larger than " + maxBytes + " bytes."));
                return;
            }
            var busy = chunkHandler.handle(chunk);
            if (busy != null) {
                response.pause();
                busy.onComplete(done -> response.resume(), read::tryFail);
            }
        });
        response.exceptionHandler(e -> read.tryFail(new SourceException(
                Reason.UNAVAILABLE, "The source closed the connection before its response was complete.")));
        response.endHandler(end -> read.tryComplete(size[0]));
        response.resume();
        return read.future().onComplete(done -> {
            vertx.cancelTimer(timer);
            if (done.failed()) {
                response.request().reset(); // stop receiving the rest
            }
        });
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e);
        }
    }
}
