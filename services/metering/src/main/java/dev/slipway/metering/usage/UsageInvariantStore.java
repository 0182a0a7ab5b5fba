package dev.slipway.metering.usage;

import dev.slipway.service.consistency.ClaimVerifier;
import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/** The invariants of running time. */
public final class UsageInvariantStore {
    private static final String INTERVALS = """
            SELECT m.app_instance_id::text AS key, m.last_sequence, coalesce(max(i.sequence), 0) AS last_interval,
                count(*) FILTER (WHERE EXISTS (SELECT FROM running_intervals o WHERE o.app_instance_id = i.app_instance_id
                    AND o.sequence > i.sequence AND o.started_at < coalesce(i.ended_at, 'infinity'))) AS overlapping
            FROM (SELECT app_instance_id, last_sequence FROM metered_instances
                WHERE app_instance_id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
                ORDER BY app_instance_id LIMIT $2) m
            LEFT JOIN running_intervals i USING (app_instance_id)
            GROUP BY m.app_instance_id, m.last_sequence ORDER BY m.app_instance_id
            """;
    private static final String RUNNING = """
            SELECT c.key, split_part(c.value, '|', 1)::bigint AS sequence, split_part(c.value, '|', 2) = 'running' AS running,
                m.last_sequence,
                EXISTS (SELECT FROM running_intervals i WHERE i.app_instance_id = c.key::uuid AND i.ended_at IS NULL) AS metered
            FROM unnest($1::text[], $2::text[]) AS c(key, value) LEFT JOIN metered_instances m ON m.app_instance_id = c.key::uuid
            ORDER BY c.key
            """;

    private UsageInvariantStore() {}

    public static ConsistencyCheck check() {
        return new ConsistencyCheck(
                "running_intervals",
                "The running intervals of every instance are counted once and do not overlap",
                INTERVALS,
                UsageInvariantStore::checkIntervals);
    }

    public static ClaimVerifier verifier() {
        return new ClaimVerifier(
                "running_instances",
                "Metering counts running time for exactly the instances that run",
                "instances.state",
                RUNNING,
                UsageInvariantStore::compareRunning);
    }

    private static @Nullable String checkIntervals(Row row) {
        if (row.getLong("overlapping") > 0) {
            return row.getLong("overlapping") + " running intervals overlap a later one";
        }
        return row.getLong("last_interval") <= row.getLong("last_sequence")
                ? null
                : "an interval has sequence " + row.getLong("last_interval") + ", but only events up to "
                        + row.getLong("last_sequence") + " were counted";
    }

    /** Metering can be ahead of the claim. */
    private static @Nullable String compareRunning(Row row) {
        var counted = row.getLong("last_sequence");
        if (counted == null) {
            return "the instance is not metered";
        }
        if (counted > row.getLong("sequence") || row.getBoolean("running").equals(row.getBoolean("metered"))) {
            return null;
        }
        return row.getBoolean("running")
                ? "the instance runs, but its running time is not counted"
                : "the instance does not run, but its running time is counted";
    }
}
