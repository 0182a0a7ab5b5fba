package dev.slipway.metering.rating;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.RatableFact;
import dev.slipway.metering.rating.domain.RatingKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * All SQL of what waits to be rated: new facts, and rating keys that must be rated again. Most facts wait in batches of many organizations. Those of an
 * organization that cannot be rated, or that has changed prices to be rated first, wait in batches of their own.
 */
public final class RatingQueueStore {
    /** One process rates at a time, so that facts of an earlier period are always rated before those of a later one. */
    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_xact_lock(hashtextextended('metering.rating', 0)) AS locked";

    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('metering.rating', 0))";

    private static final String FIND_WORK = """
            SELECT (SELECT org_id FROM rating_queue WHERE retry_at <= now() ORDER BY retry_at, org_id LIMIT 1) AS queued_org,
                EXISTS (SELECT FROM unrated_batches WHERE org_id IS NULL) AS facts,
                (SELECT b.org_id FROM unrated_batches b WHERE b.org_id IS NOT NULL AND b.retry_at <= now()
                    AND NOT EXISTS (SELECT FROM rating_queue q WHERE q.org_id = b.org_id AND q.regroup)
                    ORDER BY b.retry_at, b.batch_key LIMIT 1) AS separated_org,
                EXISTS (SELECT FROM rating_queue) OR EXISTS (SELECT FROM unrated_batches) AS waiting
            """;
    /** Takes whole batches of one period, at least one; of one organization, or those of many. */
    private static final String TAKE_FACTS = """
            WITH oldest AS (
                SELECT batch_key, sum(facts) OVER (ORDER BY batch_key) - facts AS facts_before
                FROM (SELECT batch_key, facts FROM unrated_batches
                    WHERE period = (SELECT min(period) FROM unrated_batches WHERE %1$s) AND %1$s ORDER BY batch_key LIMIT $1) b
            )
            DELETE FROM unrated_batches WHERE batch_key IN (SELECT batch_key FROM oldest WHERE facts_before < $1)
            RETURNING period, fact_keys
            """;

    private static final String TAKE_MIXED = TAKE_FACTS.formatted("org_id IS NULL");
    private static final String TAKE_OF_ORGANIZATION = TAKE_FACTS.formatted("org_id = $2");
    /** Not joined with the batches: the planner would expect many facts if there are many batches, and read the whole month. */
    private static final String FIND_TAKEN = "SELECT " + RatingStore.FACT_COLUMNS + """
            FROM usage_facts f WHERE f.period = $1 AND f.fact_key = ANY ($2)
            """;

    private static final String FIND_SEPARATED = """
            SELECT org_id FROM unrated_batches WHERE org_id = ANY ($1)
            UNION SELECT org_id FROM rating_queue WHERE org_id = ANY ($1) AND regroup
            """;
    private static final String SEPARATE = """
            INSERT INTO unrated_batches (period, facts, fact_keys, org_id, retry_at, attempts)
            SELECT $1, t.facts, t.fact_keys, t.org_id, coalesce(b.retry_at, now()), coalesce(b.attempts, 0)
            FROM (SELECT org_id, count(*) AS facts, array_agg(fact_key ORDER BY fact_key) AS fact_keys
                FROM usage_facts WHERE period = $1 AND fact_key = ANY ($2) AND org_id = ANY ($3) GROUP BY org_id) t
            LEFT JOIN (SELECT org_id, max(retry_at) AS retry_at, max(attempts) AS attempts FROM unrated_batches
                WHERE org_id = ANY ($3) GROUP BY org_id) b ON b.org_id = t.org_id
            """;
    private static final String POSTPONE = """
            UPDATE %s SET attempts = attempts + 1,
                retry_at = now() + least(interval '5 minutes', interval '1 second' * power(2, least(attempts, 9))) WHERE org_id = $1
            """;
    private static final String POSTPONE_FACTS = POSTPONE.formatted("unrated_batches");
    private static final String POSTPONE_KEYS = POSTPONE.formatted("rating_queue");
    private static final String TAKE_QUEUED = """
            DELETE FROM rating_queue WHERE (org_id, unit, usage_month) IN (
                SELECT org_id, unit, usage_month FROM rating_queue
                WHERE org_id = $1 AND usage_month = (SELECT min(usage_month) FROM rating_queue WHERE org_id = $1) ORDER BY unit LIMIT $2)
            RETURNING org_id, unit, usage_month, regroup
            """;
    private static final String QUEUE = """
            INSERT INTO rating_queue (org_id, unit, usage_month, regroup)
            SELECT DISTINCT org_id, unit, usage_month, %s FROM rated_lines WHERE %s
            ON CONFLICT (org_id, unit, usage_month) DO UPDATE SET regroup = rating_queue.regroup OR excluded.regroup
            """;
    private static final String QUEUE_PRICE = QUEUE.formatted("true", "unit = $1 AND usage_month >= $2");
    private static final String QUEUE_ORGANIZATION = QUEUE.formatted("true", "org_id = $1 AND usage_month >= $2");
    private static final String QUEUE_INSTANCE = QUEUE.formatted("true", "org_id = $1 AND app_instance_id = $2");
    private static final String QUEUE_RUNTIME =
            QUEUE.formatted("false", "org_id = $1 AND shared_runtime_id = $2 AND usage_month >= $3");
    /** The time for which the first fact of some batches has waited. */
    private static final String FACT_LAG = """
            coalesce((SELECT extract(epoch FROM now() - f.received_at) FROM usage_facts f
                JOIN (SELECT fact_keys[1] AS fact_key, period FROM unrated_batches WHERE %s ORDER BY batch_key LIMIT 1) o
                    ON f.fact_key = o.fact_key AND f.period = o.period), 0)""";

    private static final String KEY_LAG =
            "coalesce((SELECT extract(epoch FROM now() - min(queued_at)) FROM rating_queue WHERE %s), 0)";
    private static final String FIND_BACKLOG = """
            SELECT (SELECT coalesce(sum(facts), 0) FROM unrated_batches) + (SELECT count(*) FROM rating_queue) AS unrated,
                greatest(%s, %s, %s)::float8 AS lag_s,
                (SELECT count(*) FROM (SELECT org_id FROM unrated_batches WHERE attempts > 0
                    UNION SELECT org_id FROM rating_queue WHERE attempts > 0) o) AS failing
            """.formatted(
            FACT_LAG.formatted("org_id IS NULL"), FACT_LAG.formatted("org_id IS NOT NULL"), KEY_LAG.formatted("true"));
    /** Counts only the first facts of a long backlog, because the count is read with every balance. */
    private static final String FIND_BACKLOG_OF_ORGANIZATION = """
            SELECT (SELECT coalesce(sum(facts), 0) FROM unrated_batches WHERE org_id = $1)
                    + (SELECT count(*) FROM (SELECT unnest(fact_keys) AS fact_key, period FROM unrated_batches
                            WHERE org_id IS NULL ORDER BY batch_key LIMIT 50000) u
                        JOIN usage_facts f ON f.fact_key = u.fact_key AND f.period = u.period WHERE f.org_id = $1) AS unrated,
                greatest(%s, %s, %s)::float8 AS lag_s, 0::bigint AS failing
            """.formatted(
            FACT_LAG.formatted("org_id IS NULL"), FACT_LAG.formatted("org_id = $1"), KEY_LAG.formatted("org_id = $1"));

    private final SqlClient reads;

    /**
     * The facts and keys that can be rated now.
     *
     * @param queuedOrg an organization with keys that must be rated again; null if none is due
     * @param facts whether there are batches of many organizations
     * @param separatedOrg an organization with batches of its own; null if none is due
     * @param waiting whether anything is not rated yet, due or not
     */
    record RatingWork(
            @Nullable UUID queuedOrg,
            boolean facts,
            @Nullable UUID separatedOrg,
            boolean waiting) {}

    /** Facts of one period that were taken to be rated. */
    record FactBatch(LocalDate period, Long[] keys, List<RatableFact> facts) {}

    /**
     * A rating key that must be rated again.
     *
     * @param regroup whether its facts can belong to other lines than before
     */
    record QueuedKey(RatingKey key, boolean regroup) {}

    /** The number of facts and keys that are not rated yet, for how long the first of it has waited, and how many organizations fail. */
    public record Backlog(long unrated, double lagSeconds, long failing) {}

    public RatingQueueStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns false if another process is rating; otherwise none does until the end of the transaction. */
    Future<Boolean> tryLock(UnitOfWork unit) {
        return unit.query(TRY_LOCK, Tuple.tuple())
                .map(rows -> rows.iterator().next().getBoolean("locked"));
    }

    /**
     * Waits until the lines of the batch that is being rated are committed, and prevents rating until the end of the transaction. Call it after a change
     * of the inputs of rating and before the queue methods: they find the lines to be rated again, which include those that were rated without the change.
     */
    void lock(UnitOfWork unit) {
        unit.write(LOCK, Tuple.tuple());
    }

    Future<RatingWork> findWork() {
        return reads.query(FIND_WORK).execute().map(rows -> {
            var row = rows.iterator().next();
            return new RatingWork(
                    row.getUUID("queued_org"),
                    row.getBoolean("facts"),
                    row.getUUID("separated_org"),
                    row.getBoolean("waiting"));
        });
    }

    /** Takes the next facts of the earliest period; null if there are none. They stay unrated if the transaction fails. */
    Future<@Nullable FactBatch> takeFacts(UnitOfWork unit) {
        return unit.query(TAKE_MIXED, Tuple.of(Rater.BATCH)).compose(rows -> findTaken(unit, rows));
    }

    /** Takes the next facts of an organization from its own batches; null if there are none. */
    Future<@Nullable FactBatch> takeFactsOf(UnitOfWork unit, UUID orgId) {
        return unit.query(TAKE_OF_ORGANIZATION, Tuple.of(Rater.BATCH, orgId)).compose(rows -> findTaken(unit, rows));
    }

    private static Future<@Nullable FactBatch> findTaken(UnitOfWork unit, RowSet<Row> batches) {
        if (batches.size() == 0) {
            return Future.succeededFuture();
        }
        var keys = RatingStore.list(batches, row -> row.getArrayOfLongs("fact_keys")).stream()
                .flatMap(Stream::of)
                .toArray(Long[]::new);
        var period = batches.iterator().next().getLocalDate("period");
        return unit.query(FIND_TAKEN, Tuple.of(period, (Object) keys))
                .map(rows -> new FactBatch(period, keys, RatingStore.list(rows, RatingStore::fact)));
    }

    /** Returns which of the organizations have facts or changed prices that must be rated before further facts. */
    Future<Set<UUID>> findSeparated(UnitOfWork unit, Collection<UUID> orgIds) {
        return unit.query(FIND_SEPARATED, Tuple.of((Object) orgIds.toArray(UUID[]::new)))
                .map(rows -> new HashSet<>(RatingStore.list(rows, row -> row.getUUID("org_id"))));
    }

    /** Moves the facts of organizations from a batch that was taken into batches of their own. */
    void separate(UnitOfWork unit, FactBatch batch, Collection<UUID> orgIds) {
        if (!orgIds.isEmpty()) {
            unit.write(SEPARATE, Tuple.of(batch.period, batch.keys, orgIds.toArray(UUID[]::new)));
        }
    }

    /** Delays what waits for an organization, longer after each failure. */
    void postpone(UnitOfWork unit, UUID orgId) {
        unit.write(POSTPONE_FACTS, Tuple.of(orgId));
        unit.write(POSTPONE_KEYS, Tuple.of(orgId));
    }

    /** Takes keys of the earliest month of an organization. */
    Future<List<QueuedKey>> takeQueued(UnitOfWork unit, UUID orgId, int limit) {
        return unit.query(TAKE_QUEUED, Tuple.of(orgId, limit))
                .map(rows -> RatingStore.list(
                        rows,
                        row -> new QueuedKey(
                                new RatingKey(
                                        row.getUUID("org_id"), row.getString("unit"), row.getLocalDate("usage_month")),
                                row.getBoolean("regroup"))));
    }

    /** Requires that all organizations are rated again for a unit, from a month on. */
    void queuePrice(UnitOfWork unit, String usageUnit, LocalDate from) {
        unit.write(QUEUE_PRICE, Tuple.of(usageUnit, from));
    }

    void queueOrganization(UnitOfWork unit, UUID orgId, LocalDate from) {
        unit.write(QUEUE_ORGANIZATION, Tuple.of(orgId, from));
    }

    void queueInstance(UnitOfWork unit, UUID orgId, UUID appInstanceId) {
        unit.write(QUEUE_INSTANCE, Tuple.of(orgId, appInstanceId));
    }

    /** Requires that the lines of a shared runtime are divided again. */
    void queueRuntime(UnitOfWork unit, UUID orgId, UUID sharedRuntimeId, LocalDate from) {
        unit.write(QUEUE_RUNTIME, Tuple.of(orgId, sharedRuntimeId, from));
    }

    public Future<Backlog> findBacklog() {
        return reads.query(FIND_BACKLOG).execute().map(RatingQueueStore::backlog);
    }

    /** Returns what waits for one organization. */
    public Future<Backlog> findBacklog(UUID orgId) {
        return reads.preparedQuery(FIND_BACKLOG_OF_ORGANIZATION)
                .execute(Tuple.of(orgId))
                .map(RatingQueueStore::backlog);
    }

    private static Backlog backlog(RowSet<Row> rows) {
        var row = rows.iterator().next();
        return new Backlog(row.getLong("unrated"), row.getDouble("lag_s"), row.getLong("failing"));
    }
}
