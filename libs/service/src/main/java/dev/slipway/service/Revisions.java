package dev.slipway.service;

import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/** Waits for the model to hold what a caller has seen already: their X-Revision. */
public final class Revisions {
    private static final long PATIENCE_MS = 2_000;
    private static final int MOST_DIGITS = 18;

    private final AuthzModel model;

    public Revisions(AuthzModel model) {
        this.model = model;
    }

    /** Whether there is nothing to wait for; what is no revision is the contract's to refuse. */
    public boolean isReached(@Nullable String revision) {
        return revision == null
                || revision.isEmpty()
                || revision.length() > MOST_DIGITS
                || !revision.chars().allMatch(c -> c >= '0' && c <= '9')
                || model.revision() >= Long.parseLong(revision);
    }

    /** Done when the revision is here; fails when it does not come in time. */
    public Future<Void> await(Vertx vertx, @Nullable String revision) {
        return revision == null || isReached(revision)
                ? Future.succeededFuture()
                : await(vertx, Long.parseLong(revision));
    }

    public Future<Void> await(Vertx vertx, long revision) {
        var arrived = Promise.<Void>promise();
        var context = vertx.getOrCreateContext();
        var giveUp = model.whenAt(revision, () -> context.runOnContext(ignored -> arrived.tryComplete()));
        if (giveUp == null) {
            return Future.failedFuture(behind(revision));
        }
        var timer = vertx.setTimer(PATIENCE_MS, ignored -> arrived.tryFail(behind(revision)));
        return arrived.future().onComplete(done -> {
            vertx.cancelTimer(timer);
            giveUp.run();
        });
    }

    private static Exception behind(long revision) {
        return Problem.of(
                        ErrorCode.AUTHZ_BEHIND,
                        "Revision " + revision + " has not arrived here yet, so nothing was done. Try again shortly.")
                .asException();
    }
}
