package dev.slipway.iam.revision;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.function.Function;

/** The one number that every change of what decisions are taken from raises. */
public final class RevisionStore {
    private static final String RAISE = "UPDATE authz_revision SET revision = revision + 1 RETURNING revision";

    private RevisionStore() {}

    /**
     * Raises the revision, does the work and closes the revision. The row lock makes commits, and so the records on the topic, follow
     * each other in the order of their revisions; it is also the lock that makes such changes wait for each other.
     */
    public static <T> Future<T> raised(UnitOfWork unit, Function<Revision, Future<T>> work) {
        return unit.query(RAISE, Tuple.tuple()).compose(rows -> {
            var revision = new Revision(unit, rows.iterator().next().getLong(0));
            return work.apply(revision).onSuccess(ok -> revision.complete());
        });
    }
}
