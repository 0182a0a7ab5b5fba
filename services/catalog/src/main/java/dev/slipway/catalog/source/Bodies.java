package dev.slipway.catalog.source;

import dev.slipway.catalog.source.SourceException.Reason;
import dev.slipway.catalog.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;

/** Reads the bodies of answers: small ones whole, large ones only for their digest, none longer or slower than is allowed. */
final class Bodies {
    /** Worth a turn on another thread; an event loop that hashed would serve nobody else. */
    private static final int HASH_AT_ONCE = 256 << 10;

    private final Vertx vertx;
    private final Duration deadline;

    /** Bytes that were only counted and hashed. */
    record Hashed(Digest digest, long sizeBytes) {}

    Bodies(Vertx vertx, Duration deadline) {
        this.vertx = vertx;
        this.deadline = deadline;
    }

    /** The body, which is refused as soon as it is longer. */
    Future<Buffer> whole(HttpClientResponse response, int maxBytes) {
        var body = Buffer.buffer();
        return read(response, maxBytes, chunk -> {
                    body.appendBuffer(chunk);
                    return null;
                })
                .map(size -> body);
    }

    /** What the body's digest is; nothing of it is kept. */
    Future<Hashed> hashed(HttpClientResponse response, long maxBytes) {
        var sha256 = sha256();
        var pending = new Buffer[] {Buffer.buffer()};
        return read(response, maxBytes, chunk -> {
                    pending[0].appendBuffer(chunk);
                    if (pending[0].length() < HASH_AT_ONCE) {
                        return null;
                    }
                    var bytes = pending[0].getBytes();
                    pending[0] = Buffer.buffer();
                    return update(sha256, bytes);
                })
                .compose(size -> update(sha256, pending[0].getBytes())
                        .map(done -> new Hashed(Digest.of(sha256.digest()), size)));
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

    /** Takes a chunk; answers what has to be done before the next one, or null. */
    private interface Taker {
        @org.jspecify.annotations.Nullable
        Future<Void> take(Buffer chunk);
    }

    private Future<Long> read(HttpClientResponse response, long maxBytes, Taker taker) {
        var read = Promise.<Long>promise();
        var size = new long[1];
        var timer = vertx.setTimer(
                deadline.toMillis(),
                late -> read.tryFail(new SourceException(
                        Reason.UNAVAILABLE,
                        "The source is too slow: it takes more than " + deadline.toSeconds() + " s.")));
        response.handler(chunk -> {
            size[0] += chunk.length();
            if (size[0] > maxBytes) {
                read.tryFail(new SourceException(
                        Reason.TOO_LARGE, "The source has more than " + maxBytes + " bytes there."));
                return;
            }
            var busy = taker.take(chunk);
            if (busy != null) {
                response.pause();
                busy.onComplete(done -> response.resume(), read::tryFail);
            }
        });
        response.exceptionHandler(e -> read.tryFail(
                new SourceException(Reason.UNAVAILABLE, "The source broke off in the middle of its answer.")));
        response.endHandler(end -> read.tryComplete(size[0]));
        response.resume();
        return read.future().onComplete(done -> {
            vertx.cancelTimer(timer);
            if (done.failed()) {
                response.request().reset(); // whatever else it would have sent
            }
        });
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
