package dev.slipway.iam.revision;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.function.Function;

/** The one number that every change of what decisions are taken from raises. */
public final class RevisionStore {
    private static final String LOCK = "SELECT revision FROM authz_revision FOR UPDATE";
    private static final String RAISE = "UPDATE authz_revision SET revision = $1";
    private static final String CURRENT = "SELECT revision FROM authz_revision";

    private final SqlClient reads;

    public RevisionStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Long> current() {
        return reads.query(CURRENT).execute().map(rows -> rows.iterator().next().getLong(0));
    }

    /** With the revision at which a change counts, at the latest: an answer that is given again was committed some time ago. */
    public Future<Reply> told(Reply reply) {
        return reply.problem() != null || reply.revision() != null
                ? Future.succeededFuture(reply)
                : current().map(reply::at);
    }

    /**
     * Does a change of what decisions rest on, and closes its revision. The row lock makes commits, and so the records on the topic,
     * follow each other in the order of their revisions; and what is looked up behind it, no other change can be about to make untrue.
     */
    public static <T> Future<T> raised(UnitOfWork unit, Function<Revision, Future<T>> work) {
        return unit.query(LOCK, Tuple.tuple()).compose(rows -> {
            var next = rows.iterator().next().getLong(0) + 1;
            var revision = new Revision(unit, next, () -> unit.write(RAISE, Tuple.of(next)));
            return work.apply(revision).onSuccess(ok -> revision.complete());
        });
    }
}
