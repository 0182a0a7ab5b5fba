package dev.slipway.audit.status.slo;

import dev.slipway.audit.status.slo.domain.Slo;
import dev.slipway.audit.status.slo.domain.SloEvents;
import dev.slipway.contract.Cursor;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

/** All SQL of objectives: events by five minutes, and the stored results. */
public final class SloStore {
    private static final long BUCKET_SECONDS = 300;
    private static final String ADD_EVENTS = """
            INSERT INTO slo_buckets AS known (slo_id, slo_version, bucket_start, good, total) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (slo_id, slo_version, bucket_start) DO UPDATE SET good = known.good + $4, total = known.total + $5
            """;
    private static final String SUM = """
            SELECT b.slo_id, b.slo_version, w.seconds, sum(b.good)::bigint AS good, sum(b.total)::bigint AS total
            FROM unnest($1::bigint[]) AS w(seconds) JOIN slo_buckets b ON b.bucket_start > $2::timestamptz - make_interval(secs => w.seconds)
            GROUP BY b.slo_id, b.slo_version, w.seconds
            """;
    /** The hours that are over and have events but no result. */
    private static final String FIND_UNRECORDED = """
            SELECT b.slo_id, b.slo_version, date_trunc('hour', b.bucket_start, 'UTC') AS window_start, sum(b.good)::bigint AS good,
                sum(b.total)::bigint AS total
            FROM slo_buckets b
            WHERE b.bucket_start >= $1 AND b.bucket_start < $2 AND NOT EXISTS (SELECT FROM slo_evidence e WHERE e.slo_id = b.slo_id
                AND e.slo_version = b.slo_version AND e.window_start = date_trunc('hour', b.bucket_start, 'UTC'))
            GROUP BY 1, 2, 3 ORDER BY 3 LIMIT 1000
            """;

    private static final TableColumns EVIDENCE = TableColumns.of(
            "slo_evidence",
            "evidence_id",
            "slo_id",
            "slo_version",
            "window_start",
            "window_end",
            "good",
            "total",
            "objective",
            "met",
            "digest",
            "recorded_at");
    private static final String INSERT_EVIDENCE = EVIDENCE.insert() + "ON CONFLICT DO NOTHING";
    private static final String LIST_EVIDENCE = EVIDENCE.select() + """
            WHERE slo_id = $1 AND ($2::timestamptz IS NULL OR (window_start, evidence_id) < ($2, $3::uuid))
            ORDER BY window_start DESC, evidence_id DESC LIMIT $4
            """;
    private static final String FIND_LAST_EVIDENCE = "SELECT max(window_end) AS at FROM slo_evidence";
    private static final String DELETE_BUCKETS = "DELETE FROM slo_buckets WHERE bucket_start < $1";

    private final QueryExecutor reads;

    /** A version of an objective. */
    record SloVersion(String id, int version) {
        static SloVersion of(Slo slo) {
            return new SloVersion(slo.id(), slo.version());
        }
    }

    /** The events of an hour. */
    record HourEvents(SloVersion slo, Instant windowStart, SloEvents events) {}

    /** The stored result of an hour. */
    record Evidence(
            UUID evidenceId,
            String sloId,
            int sloVersion,
            Instant windowStart,
            Instant windowEnd,
            long good,
            long total,
            double objective,
            @Nullable Boolean met,
            String digest,
            Instant recordedAt) {}

    public SloStore(SqlClient reads) {
        this.reads = QueryExecutor.of(reads);
    }

    void addEvents(UnitOfWork unit, Slo slo, Instant at, SloEvents events) {
        var start = Instant.ofEpochSecond(at.getEpochSecond() / BUCKET_SECONDS * BUCKET_SECONDS);
        unit.write(ADD_EVENTS, Tuple.of(slo.id(), slo.version(), SqlTime.of(start), events.good(), events.total()));
    }

    /** Returns the events of each objective in the windows that end now. */
    Future<Map<SloVersion, Map<Duration, SloEvents>>> sumWindows(List<Duration> windows, Instant now) {
        var seconds = windows.stream().map(Duration::toSeconds).toArray(Long[]::new);
        return reads.query(SUM, Tuple.of(seconds, SqlTime.of(now))).map(rows -> {
            var found = new HashMap<SloVersion, Map<Duration, SloEvents>>();
            for (var row : rows) {
                found.computeIfAbsent(version(row), slo -> new HashMap<>())
                        .put(Duration.ofSeconds(row.getLong("seconds")), events(row));
            }
            return found;
        });
    }

    Future<List<HourEvents>> findUnrecorded(UnitOfWork unit, Instant from, Instant until) {
        return unit.query(FIND_UNRECORDED, Tuple.of(SqlTime.of(from), SqlTime.of(until)))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new HourEvents(version(row), SqlTime.read(row, "window_start"), events(row)))
                        .toList());
    }

    void insertEvidence(UnitOfWork unit, Evidence evidence) {
        unit.write(INSERT_EVIDENCE, Tuple.from(new @Nullable Object[] {
            evidence.evidenceId,
            evidence.sloId,
            evidence.sloVersion,
            SqlTime.of(evidence.windowStart),
            SqlTime.of(evidence.windowEnd),
            evidence.good,
            evidence.total,
            evidence.objective,
            evidence.met,
            evidence.digest,
            SqlTime.of(evidence.recordedAt)
        }));
    }

    Future<List<Evidence>> listEvidence(String sloId, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                sloId,
                SqlTime.ofNullable(after == null ? null : after.createdAt()),
                after == null ? null : after.id(),
                limit);
        return reads.query(LIST_EVIDENCE, parameters).map(rows -> StreamSupport.stream(rows.spliterator(), false)
                .map(SloStore::evidence)
                .toList());
    }

    /** Returns the end of the newest stored result, or null if there is none. */
    public Future<@Nullable Instant> findLastEvidence() {
        return reads.query(FIND_LAST_EVIDENCE, Tuple.tuple())
                .map(rows -> SqlTime.readNullable(rows.iterator().next(), "at"));
    }

    void deleteBucketsBefore(UnitOfWork unit, Instant time) {
        unit.write(DELETE_BUCKETS, Tuple.of(SqlTime.of(time)));
    }

    private static SloVersion version(Row row) {
        return new SloVersion(row.getString("slo_id"), row.getInteger("slo_version"));
    }

    private static SloEvents events(Row row) {
        return new SloEvents(row.getLong("good"), row.getLong("total"));
    }

    private static Evidence evidence(Row row) {
        return new Evidence(
                row.getUUID("evidence_id"),
                row.getString("slo_id"),
                row.getInteger("slo_version"),
                SqlTime.read(row, "window_start"),
                SqlTime.read(row, "window_end"),
                row.getLong("good"),
                row.getLong("total"),
                row.getDouble("objective"),
                row.getBoolean("met"),
                row.getString("digest"),
                SqlTime.read(row, "recorded_at"));
    }
}
