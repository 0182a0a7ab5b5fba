package dev.slipway.iam.revision;

import dev.slipway.contract.Json;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.revision.domain.Revision.Stream;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.Map;

/** All SQL of the revision, which every change of authorization data increments. */
public final class RevisionStore {
    private static final String LOCK = "SELECT revision FROM authz_revision FOR UPDATE";
    private static final String UPDATE = "UPDATE authz_revision SET revision = $1";
    private static final String FIND = "SELECT revision FROM authz_revision";

    private final SqlClient reads;

    public RevisionStore(SqlClient reads) {
        this.reads = reads;
    }

    public Future<Long> current() {
        return reads.query(FIND).execute().map(rows -> rows.iterator().next().getLong("revision"));
    }

    /** Adds a revision to the reply of a change. A replayed reply was committed some time ago, at the current revision at the latest. */
    public Future<Reply> withCurrentRevision(Reply reply) {
        return reply.problem() != null || reply.revision() != null
                ? Future.succeededFuture(reply)
                : current().map(reply::withRevision);
    }

    /** Locks the revision and returns the committed one. */
    public static Future<Long> lock(UnitOfWork unit) {
        return unit.query(LOCK, Tuple.tuple())
                .map(rows -> rows.iterator().next().getLong("revision"));
    }

    /**
     * Begins the next revision, which is completed with the commit. The lock makes commits, and so the records on the topic, follow each
     * other in revision order; and no other change can invalidate what is read behind it.
     */
    public static Future<Revision> begin(UnitOfWork unit) {
        return lock(unit).map(committed -> {
            var next = committed + 1;
            var revision = at(unit, next);
            unit.beforeCommit(() -> {
                if (revision.isChanged()) {
                    unit.write(UPDATE, Tuple.of(next));
                    complete(unit, next);
                }
            });
            return revision;
        });
    }

    /** Returns a revision that publishes records with the given number. */
    public static Revision at(UnitOfWork unit, long number) {
        return new Revision(
                number, (stream, key, eventType, payload) -> publish(unit, stream, key, eventType, number, payload));
    }

    /** Publishes the last record of a revision: a reader that has it has all the others. */
    public static void complete(UnitOfWork unit, long number) {
        publish(unit, Stream.AUTHZ, "revision", "authz.revision", number, Map.of());
    }

    private static void publish(
            UnitOfWork unit, Stream stream, String key, String eventType, long number, Object payload) {
        unit.publish(topic(stream), key, eventType, Json.toObject(payload).put("revision", number));
    }

    private static String topic(Stream stream) {
        return switch (stream) {
            case AUTHZ -> Topics.AUTHZ_STATE;
            case IAM -> Topics.IAM_STATE;
        };
    }
}
