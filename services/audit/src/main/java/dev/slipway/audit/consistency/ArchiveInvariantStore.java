package dev.slipway.audit.consistency;

import dev.slipway.service.consistency.ClaimVerifier;
import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The invariants of the archive and of the audit logs. */
public final class ArchiveInvariantStore {
    private static final String LEAVES = """
            SELECT t.key, t.leaves, (SELECT count(*) FROM log_leaves l
                WHERE l.log_id = t.log_id AND l.sequence >= t.first AND l.sequence < t.first + t.leaves) AS stored
            FROM (SELECT h.log_id::text || '/' || lpad(n::text, 12, '0') AS key, h.log_id, n * 256 AS first, least(256, h.size - n * 256) AS leaves
                FROM log_heads h CROSS JOIN LATERAL generate_series(0, (h.size - 1) / 256) AS n WHERE h.size > 0) t
            WHERE t.key > $1 ORDER BY t.key LIMIT $2
            """;
    private static final String RECORDS = """
            SELECT a.event_id::text AS key, l.event_id IS NOT NULL AS logged
            FROM (SELECT event_id FROM audit_records
                WHERE event_id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
                    AND occurred_at >= (SELECT min(created_at) FROM log_keys) AND occurred_at < now() - interval '10 seconds'
                ORDER BY event_id LIMIT $2) a
            LEFT JOIN log_leaves l USING (event_id) ORDER BY a.event_id
            """;
    private static final String EVENTS = """
            SELECT c.key, split_part(c.value, '|', 1)::bigint AS sequence, count(e.sequence) AS archived
            FROM unnest($1::text[], $2::text[]) AS c(key, value)
            LEFT JOIN events e ON e.aggregate_id = c.key AND e.sequence <= split_part(c.value, '|', 1)::bigint
            GROUP BY c.key, c.value ORDER BY c.key
            """;
    /** A redacted record has no metadata any more. */
    private static final String OPERATIONS = """
            SELECT c.key, EXISTS (SELECT FROM audit_records a WHERE a.correlation_id = c.value
                AND (a.payload #>> '{metadata,operation_id}' = c.key OR a.payload #>> '{actor,display_name}' = 'redacted')) AS audited
            FROM unnest($1::text[], $2::text[]) AS c(key, value) ORDER BY c.key
            """;

    /** The value is the digest of the entries and the correlation id of the transaction. */
    private static final String LEDGER = """
            SELECT c.key, EXISTS (SELECT FROM audit_records a WHERE a.correlation_id = substr(c.value, strpos(c.value, '|') + 1)
                AND (a.payload ->> 'target_id' = c.key AND a.payload #>> '{metadata,entries_digest}' = split_part(c.value, '|', 1)
                    OR a.payload #>> '{actor,display_name}' = 'redacted')) AS audited
            FROM unnest($1::text[], $2::text[]) AS c(key, value) ORDER BY c.key
            """;

    private ArchiveInvariantStore() {}

    public static List<ConsistencyCheck> checks() {
        return List.of(
                new ConsistencyCheck(
                        "log_leaves",
                        "Every audit log has as many leaves as its head says",
                        LEAVES,
                        ArchiveInvariantStore::compareLeaves),
                new ConsistencyCheck(
                        "logged_records",
                        "Every archived audit record is in an audit log",
                        RECORDS,
                        row -> row.getBoolean("logged") ? null : "the audit record is in no log"));
    }

    public static List<ClaimVerifier> verifiers() {
        return List.of(
                new ClaimVerifier(
                        "instance_events",
                        "All events of every instance are in the archive",
                        "instances.state",
                        EVENTS,
                        ArchiveInvariantStore::compareEvents),
                new ClaimVerifier(
                        "shared_runtime_events",
                        "All events of every shared runtime are in the archive",
                        "instances.shared_runtime_state",
                        EVENTS,
                        ArchiveInvariantStore::compareEvents),
                new ClaimVerifier(
                        "audited_operations",
                        "Every operation of an instance has an audit record",
                        "instances.operations",
                        OPERATIONS,
                        row -> row.getBoolean("audited") ? null : "the operation has no audit record"),
                new ClaimVerifier(
                        "audited_postings",
                        "Every ledger transaction has an audit record with the digest of its entries",
                        "metering.ledger_transactions",
                        LEDGER,
                        row -> row.getBoolean("audited") ? null : "no audit record has the digest of the entries"));
    }

    private static @Nullable String compareLeaves(Row row) {
        return row.getLong("leaves").equals(row.getLong("stored"))
                ? null
                : "the tile has " + row.getLong("stored") + " leaves, but the log has " + row.getLong("leaves");
    }

    private static @Nullable String compareEvents(Row row) {
        return row.getLong("sequence").equals(row.getLong("archived"))
                ? null
                : "the sequence is " + row.getLong("sequence") + ", but " + row.getLong("archived")
                        + " events are archived";
    }
}
