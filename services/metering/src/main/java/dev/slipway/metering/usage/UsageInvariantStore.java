package dev.slipway.metering.usage;

import dev.slipway.service.consistency.ClaimVerifier;
import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The invariants of running time and of the sums of usage. */
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

    /** Compares the sums of some hours of organizations with their facts, in the order of the primary key. */
    private static final String HOURS = """
            WITH slice AS (
                SELECT DISTINCT org_id, hour FROM usage_hours
                WHERE (org_id, hour) > (coalesce(nullif(split_part($1, '/', 1), ''), '00000000-0000-0000-0000-000000000000')::uuid,
                    coalesce(nullif(split_part($1, '/', 2), ''), '-infinity')::timestamptz)
                ORDER BY org_id, hour LIMIT $2
            ), expected AS (
                SELECT s.org_id, s.hour, f.period, f.dimension, f.unit, f.unit_version, sum(f.quantity) AS quantity, count(*) AS facts
                FROM slice s JOIN usage_facts f ON f.org_id = s.org_id AND f.window_end > s.hour AND f.window_end <= s.hour + interval '1 hour'
                    AND f.period >= date_trunc('month', s.hour AT TIME ZONE 'UTC')::date
                GROUP BY 1, 2, 3, 4, 5, 6
            ), actual AS (
                SELECT h.* FROM slice s JOIN usage_hours h USING (org_id, hour)
            )
            SELECT org_id || '/' || to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS key,
                count(*) FILTER (WHERE e.quantity IS DISTINCT FROM a.quantity OR e.facts IS DISTINCT FROM a.facts) AS wrong
            FROM expected e FULL JOIN actual a USING (org_id, hour, period, dimension, unit, unit_version)
            GROUP BY org_id, hour ORDER BY org_id, hour
            """;
    /** Compares the sums of some months of organizations with those of their hours. */
    private static final String MONTHS = """
            WITH slice AS (
                SELECT DISTINCT org_id, month FROM usage_months
                WHERE (org_id, month) > (coalesce(nullif(split_part($1, '/', 1), ''), '00000000-0000-0000-0000-000000000000')::uuid,
                    coalesce(nullif(split_part($1, '/', 2), ''), '-infinity')::date)
                ORDER BY org_id, month LIMIT $2
            ), expected AS (
                SELECT s.org_id, s.month, h.period, h.dimension, h.unit, h.unit_version, sum(h.quantity) AS quantity, sum(h.facts) AS facts
                FROM slice s JOIN usage_hours h ON h.org_id = s.org_id AND h.hour >= s.month::timestamp AT TIME ZONE 'UTC'
                    AND h.hour < (s.month + interval '1 month') AT TIME ZONE 'UTC'
                GROUP BY 1, 2, 3, 4, 5, 6
            ), actual AS (
                SELECT m.* FROM slice s JOIN usage_months m USING (org_id, month)
            )
            SELECT org_id || '/' || month AS key,
                count(*) FILTER (WHERE e.quantity IS DISTINCT FROM a.quantity OR e.facts IS DISTINCT FROM a.facts) AS wrong
            FROM expected e FULL JOIN actual a USING (org_id, month, period, dimension, unit, unit_version)
            GROUP BY org_id, month ORDER BY org_id, month
            """;

    private UsageInvariantStore() {}

    public static List<ConsistencyCheck> checks() {
        return List.of(
                new ConsistencyCheck(
                        "running_intervals",
                        "The running intervals of every instance are counted once and do not overlap",
                        INTERVALS,
                        UsageInvariantStore::checkIntervals),
                new ConsistencyCheck(
                        "usage_hours",
                        "The sums of usage of every organization and hour are those of its facts",
                        HOURS,
                        UsageInvariantStore::checkSums),
                new ConsistencyCheck(
                        "usage_months",
                        "The sums of usage of every organization and month are those of its hours",
                        MONTHS,
                        UsageInvariantStore::checkSums));
    }

    public static ClaimVerifier verifier() {
        return new ClaimVerifier(
                "running_instances",
                "Metering counts running time for exactly the instances that run",
                "instances.state",
                RUNNING,
                UsageInvariantStore::compareRunning);
    }

    private static @Nullable String checkSums(Row row) {
        return row.getLong("wrong") == 0 ? null : row.getLong("wrong") + " sums differ";
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
