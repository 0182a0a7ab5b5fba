package dev.slipway.operations;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.UUID;

/** All SQL of the windows for which usage was reported. The caller holds the lock of the subject. */
public final class UsageWindowStore {
    private static final String FIND_FACTS = """
            SELECT (SELECT precision FROM usage_units WHERE id = $3) AS precision,
                EXISTS (SELECT FROM usage_windows WHERE subject_id = $1 AND source = $2 AND unit = $3 AND usage_id <> $4
                    AND window_end > $5 AND window_start < $6) AS overlaps
            """;
    private static final String INSERT = """
            INSERT INTO usage_windows (subject_id, source, unit, usage_id, window_start, window_end) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING
            """;

    /**
     * A window for which usage is reported.
     *
     * @param source distinguishes reporters of one subject that measure independently; empty if there is only one
     */
    public record UsageWindow(UUID subjectId, String source, String unit, UUID usageId, Instant start, Instant end) {
        /** Returns the window of a report whose fields are present and valid. */
        public static UsageWindow of(UUID subjectId, String source, RuntimeReport.Payload payload) {
            return new UsageWindow(
                    subjectId,
                    source,
                    Objects.requireNonNull(payload.unit()),
                    UUID.fromString(Objects.requireNonNull(payload.usageId())),
                    OffsetDateTime.parse(Objects.requireNonNull(payload.windowStart()))
                            .toInstant(),
                    OffsetDateTime.parse(Objects.requireNonNull(payload.windowEnd()))
                            .toInstant());
        }

        private Tuple toTuple() {
            return Tuple.of(
                    subjectId, source, unit, usageId, start.atOffset(ZoneOffset.UTC), end.atOffset(ZoneOffset.UTC));
        }
    }

    /**
     * The facts that decide whether a window is accepted.
     *
     * @param precision decimal places of the unit; null if the unit is not replicated yet
     * @param overlaps whether an accepted window of the same source and unit, with another usage id, overlaps it
     */
    public record WindowFacts(@Nullable Integer precision, boolean overlaps) {}

    public Future<WindowFacts> findFacts(UnitOfWork unit, UsageWindow window) {
        return unit.query(FIND_FACTS, window.toTuple()).map(rows -> {
            var row = rows.iterator().next();
            return new WindowFacts(row.getInteger("precision"), row.getBoolean("overlaps"));
        });
    }

    /** Inserts an accepted window unless its usage id exists. */
    public void insert(UnitOfWork unit, UsageWindow window) {
        unit.write(INSERT, window.toTuple());
    }
}
