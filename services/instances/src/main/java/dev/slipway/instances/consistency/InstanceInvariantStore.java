package dev.slipway.instances.consistency;

import dev.slipway.service.consistency.ConsistencyCheck;
import dev.slipway.service.consistency.ConsistencyClaim;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The invariants of instances and shared runtimes. */
public final class InstanceInvariantStore {
    private static final String INSTANCES = """
            SELECT i.id::text AS key, i.sequence, count(e.sequence) AS events, coalesce(max(e.sequence), 0) AS last
            FROM (SELECT id, sequence FROM app_instances
                WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid ORDER BY id LIMIT $2) i
            LEFT JOIN instance_events e ON e.app_instance_id = i.id
            GROUP BY i.id, i.sequence ORDER BY i.id
            """;
    private static final String SHARED_RUNTIMES = """
            SELECT r.id::text AS key, r.sequence, count(e.sequence) AS events, coalesce(max(e.sequence), 0) AS last
            FROM (SELECT id, sequence FROM shared_runtimes
                WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid ORDER BY id LIMIT $2) r
            LEFT JOIN shared_runtime_events e ON e.shared_runtime_id = r.id
            GROUP BY r.id, r.sequence ORDER BY r.id
            """;
    private static final String INSTANCE_STATES = """
            SELECT id::text AS key, sequence || '|' || status AS value FROM app_instances
            WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
                AND updated_at < now() - interval '5 seconds'
            ORDER BY id LIMIT $2
            """;
    private static final String SHARED_RUNTIME_STATES = """
            SELECT id::text AS key, sequence || '|' || status AS value FROM shared_runtimes
            WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
                AND updated_at < now() - interval '5 seconds'
            ORDER BY id LIMIT $2
            """;
    private static final String OPERATIONS = """
            SELECT id::text AS key, correlation_id AS value FROM app_instance_operations
            WHERE id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
                AND created_at < now() - interval '5 seconds'
            ORDER BY id LIMIT $2
            """;

    private InstanceInvariantStore() {}

    public static List<ConsistencyCheck> checks() {
        return List.of(
                new ConsistencyCheck(
                        "instance_history",
                        "The sequence of every instance is the number of its events",
                        INSTANCES,
                        InstanceInvariantStore::compareHistory),
                new ConsistencyCheck(
                        "shared_runtime_history",
                        "The sequence of every shared runtime is the number of its events",
                        SHARED_RUNTIMES,
                        InstanceInvariantStore::compareHistory));
    }

    public static List<ConsistencyClaim> claims() {
        return List.of(
                new ConsistencyClaim("instances.state", INSTANCE_STATES),
                new ConsistencyClaim("instances.shared_runtime_state", SHARED_RUNTIME_STATES),
                new ConsistencyClaim("instances.operations", OPERATIONS));
    }

    private static @Nullable String compareHistory(Row row) {
        var sequence = row.getLong("sequence");
        var events = row.getLong("events");
        var last = row.getLong("last");
        return sequence.equals(events) && sequence.equals(last)
                ? null
                : "the sequence is " + sequence + ", but there are " + events + " events up to sequence " + last;
    }
}
