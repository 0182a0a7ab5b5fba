package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

import java.time.Duration;

/**
 * What requests carry: no more than fits, and no longer than it takes. A sender that trickles keeps a connection to itself for a while,
 * not for ever.
 */
final class Bodies {
    private static final int MAX_BYTES = 1 << 20;

    private final Vertx vertx;
    private final Duration timeout;

    Bodies(Vertx vertx, Duration timeout) {
        this.vertx = vertx;
        this.timeout = timeout;
    }

    /** Reads no more than the limit, whatever the sender says of the length. */
    Future<Buffer> read(HttpServerRequest request) {
        var promise = Promise.<Buffer>promise();
        var body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + chunk.length() > MAX_BYTES) {
                promise.tryFail(Problem.validationOf(ErrorCode.BODY_TOO_LARGE, "body", "is larger than 1 MiB")
                        .asException());
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.exceptionHandler(promise::tryFail);
        request.endHandler(end -> promise.tryComplete(body));
        var timer = vertx.setTimer(
                timeout.toMillis(),
                late -> promise.tryFail(Problem.validationOf(
                                ErrorCode.INVALID_REQUEST, "body", "was not there after " + timeout.toSeconds() + " s")
                        .asException()));
        return promise.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    /** What nobody will read is let through once there is an answer, so that its sender can finish and see it. */
    void letThrough(HttpServerRequest request) {
        if (request.isEnded()) {
            return;
        }
        var timer = vertx.setTimer(timeout.toMillis(), late -> {
            var ignored = request.connection().close();
        });
        request.handler(chunk -> {});
        request.endHandler(end -> vertx.cancelTimer(timer));
        request.exceptionHandler(gone -> vertx.cancelTimer(timer));
        request.resume();
    }
}
