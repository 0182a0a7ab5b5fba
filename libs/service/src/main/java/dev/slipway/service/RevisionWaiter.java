package dev.slipway.service;

import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/** Waits until the authorization model has reached the X-Revision of a request, so that callers read their own writes. */
public final class RevisionWaiter {
    private static final long TIMEOUT_MS = 2_000;
    private static final int MAX_DIGITS = 18;

    private final AuthzModel model;

    public RevisionWaiter(AuthzModel model) {
        this.model = model;
    }

    /** Returns true for a malformed revision, too: validation rejects it. */
    public boolean isReached(@Nullable String revision) {
        return revision == null
                || revision.isEmpty()
                || revision.length() > MAX_DIGITS
                || !revision.chars().allMatch(c -> c >= '0' && c <= '9')
                || model.revision() >= Long.parseLong(revision);
    }

    /** Completes when the model has the revision. Fails with {@code authz_behind} after 2 seconds. */
    public Future<Void> await(Vertx vertx, @Nullable String revision) {
        return revision == null || isReached(revision)
                ? Future.succeededFuture()
                : await(vertx, Long.parseLong(revision));
    }

    public Future<Void> await(Vertx vertx, long revision) {
        if (model.revision() >= revision) {
            return Future.succeededFuture();
        }
        var arrived = Promise.<Void>promise();
        var context = vertx.getOrCreateContext();
        var giveUp = model.runAtRevision(revision, () -> context.runOnContext(ignored -> arrived.tryComplete()));
        if (giveUp == null) {
            return Future.failedFuture(notReplicatedYet(revision));
        }
        var timer = vertx.setTimer(TIMEOUT_MS, ignored -> arrived.tryFail(notReplicatedYet(revision)));
        return arrived.future().onComplete(done -> {
            vertx.cancelTimer(timer);
            giveUp.run();
        });
    }

    private static Exception notReplicatedYet(long revision) {
        return Problem.of(
                        ErrorCode.AUTHZ_BEHIND,
                        "Revision " + revision
                                + " has not been replicated to this service yet, so the request was not processed. Retry shortly.")
                .asException();
    }
}
