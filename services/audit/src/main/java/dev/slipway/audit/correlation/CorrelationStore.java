package dev.slipway.audit.correlation;

import dev.slipway.authz.Authorizer.AccessibleScopes;
import dev.slipway.contract.AccessLogEntry;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.StreamSupport;

/** Stores entries, append-only; requests are deleted when they expire. */
public final class CorrelationStore {
    private static final String INSERT_CALLS = """
            INSERT INTO calls (event_id, occurred_at, correlation_id, trace_id, method, operation_id, path, status, code,
                principal_id, actor_type, org_id, project_id, duration_us, outsider, count)
            SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                $8::int[], $9::text[], $10::uuid[], $11::text[], $12::uuid[], $13::uuid[], $14::bigint[],
                $15::boolean[], $16::int[])
            ON CONFLICT DO NOTHING
            """;

    /** The columns of audit records and of events. */
    private static final String ENTRY_COLUMNS =
            "event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload";
    /** Inserts a whole batch of audit records and events with one statement. The payload is text until it is stored. */
    private static final String INSERT_ENTRIES = """
            WITH entries AS (
                SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
                                     $7::uuid[], $8::uuid[], $9::text[])
                AS e(kind, {columns})
            ), kept_audit_records AS (
                INSERT INTO audit_records ({columns}) SELECT {columns}::jsonb FROM entries WHERE kind = 'audit' ON CONFLICT DO NOTHING
            )
            INSERT INTO events ({columns}) SELECT {columns}::jsonb FROM entries WHERE kind <> 'audit' ON CONFLICT DO NOTHING
            """.replace("{columns}", ENTRY_COLUMNS);

    /**
     * Limits each part before the merge, so that no table is read further than necessary. Rejected requests of callers without a role are a list of their
     * own ($6), so that they do not displace the entries of others; their callers do not learn which organization or project they missed.
     */
    private static final String FIND = """
            (SELECT 'call' AS kind, event_id, coalesce(operation_id, method || ' ' || path) AS title, occurred_at, correlation_id,
                    trace_id, CASE WHEN visible OR NOT outsider THEN org_id END AS org_id,
                    CASE WHEN visible OR NOT outsider THEN project_id END AS project_id,
                    (jsonb_build_object('method', method, 'path', path, 'status', status, 'code', code, 'duration_us', duration_us,
                        'principal_id', principal_id, 'actor_type', actor_type)
                        || CASE WHEN count > 1 THEN jsonb_build_object('count', count) ELSE '{}' END)::text AS payload
             FROM calls CROSS JOIN LATERAL (SELECT coalesce(org_id = ANY($2), false) OR coalesce(project_id = ANY($3), false) AS visible) AS scope
             WHERE correlation_id = $1
               AND CASE WHEN principal_id = $4 THEN NOT $6 ELSE visible AND outsider = $6 END
               AND ($7::timestamptz IS NULL OR (occurred_at, event_id) > ($7, $8))
             ORDER BY occurred_at, event_id LIMIT $5)
            UNION ALL
            (SELECT 'audit', {columns}::text
             FROM audit_records
             WHERE correlation_id = $1 AND (org_id = ANY($2) OR project_id = ANY($3))
               AND (coalesce(payload #>> '{metadata,verdict}', '') = 'not_bound') = $6
               AND ($7::timestamptz IS NULL OR (occurred_at, event_id) > ($7, $8))
             ORDER BY occurred_at, event_id LIMIT $5)
            UNION ALL
            (SELECT 'event', {columns}::text
             FROM events
             WHERE correlation_id = $1 AND (org_id = ANY($2) OR project_id = ANY($3)) AND NOT $6
               AND ($7::timestamptz IS NULL OR (occurred_at, event_id) > ($7, $8))
             ORDER BY occurred_at, event_id LIMIT $5)
            ORDER BY occurred_at, event_id LIMIT $5
            """.replace("{columns}", ENTRY_COLUMNS);

    private static final String DELETE_CALLS = """
            DELETE FROM calls WHERE event_id IN (SELECT event_id FROM calls WHERE occurred_at < $1 LIMIT $2)
            """;

    /** Bounds the time that one statement takes. */
    private static final int DELETE_BATCH = 10_000;

    private final SqlClient reads;

    public CorrelationStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts the entries, except those that exist. */
    void insertEntries(UnitOfWork unit, List<CorrelationEntry> entries) {
        if (entries.isEmpty()) {
            return;
        }
        unit.write(INSERT_ENTRIES, Tuple.from(new Object[] {
            column(entries, entry -> entry.kind().text(), String[]::new),
            column(entries, CorrelationEntry::eventId, UUID[]::new),
            column(entries, CorrelationEntry::title, String[]::new),
            column(entries, entry -> SqlTime.of(entry.at()), OffsetDateTime[]::new),
            column(entries, CorrelationEntry::correlationId, String[]::new),
            column(entries, CorrelationEntry::traceId, String[]::new),
            column(entries, CorrelationEntry::orgId, UUID[]::new),
            column(entries, CorrelationEntry::projectId, UUID[]::new),
            column(entries, entry -> Json.text(entry.payload()), String[]::new),
        }));
    }

    /** Inserts the access-log entries, except those that exist. */
    void insertCalls(UnitOfWork unit, List<AccessLogEntry> calls) {
        if (calls.isEmpty()) {
            return;
        }
        unit.write(INSERT_CALLS, Tuple.from(new Object[] {
            column(calls, AccessLogEntry::callId, UUID[]::new),
            column(calls, call -> SqlTime.of(call.occurredAt()), OffsetDateTime[]::new),
            column(calls, AccessLogEntry::correlationId, String[]::new),
            column(calls, AccessLogEntry::traceId, String[]::new),
            column(calls, AccessLogEntry::method, String[]::new),
            column(calls, AccessLogEntry::operationId, String[]::new),
            // Gateways once sent paths with U+0000, which PostgreSQL cannot store; such records wait on the dead-letter
            // topic.
            column(calls, call -> call.path().replace('\0', '\uFFFD'), String[]::new),
            column(calls, AccessLogEntry::status, Integer[]::new),
            column(calls, AccessLogEntry::code, String[]::new),
            column(calls, AccessLogEntry::principalId, UUID[]::new),
            column(calls, AccessLogEntry::actorType, String[]::new),
            column(calls, AccessLogEntry::orgId, UUID[]::new),
            column(calls, AccessLogEntry::projectId, UUID[]::new),
            column(calls, AccessLogEntry::durationUs, Long[]::new),
            column(calls, call -> Boolean.TRUE.equals(call.callerWithoutRole()), Boolean[]::new),
            column(calls, call -> call.count() == null ? 1 : call.count(), Integer[]::new),
        }));
    }

    /**
     * Returns entries by time that the reader has access to, and the reader's own calls.
     *
     * @param refusals whether to return the rejected requests of callers without a role instead of all other entries
     */
    Future<Page<CorrelationEntry>> find(
            String correlationId,
            AccessibleScopes accessibleScopes,
            UUID readerId,
            boolean refusals,
            @Nullable Cursor after,
            int limit) {
        var orgIds = accessibleScopes.orgIds().toArray(UUID[]::new);
        var projectIds = accessibleScopes.projectIds().toArray(UUID[]::new);
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(
                        correlationId,
                        orgIds,
                        projectIds,
                        readerId,
                        limit + 1,
                        refusals,
                        after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                        after == null ? null : after.id()))
                .map(rows -> Page.of(
                        StreamSupport.stream(rows.spliterator(), false)
                                .map(CorrelationStore::entry)
                                .toList(),
                        limit,
                        entry -> new Cursor(entry.at(), entry.eventId())));
    }

    /** Deletes the calls before the given time, in batches. */
    public Future<Void> deleteCallsBefore(Instant time) {
        return reads.preparedQuery(DELETE_CALLS)
                .execute(Tuple.of(time.atOffset(ZoneOffset.UTC), DELETE_BATCH))
                .compose(deleted ->
                        deleted.rowCount() < DELETE_BATCH ? Future.succeededFuture() : deleteCallsBefore(time));
    }

    private static <F, T extends @Nullable Object> T[] column(
            List<F> entries, Function<F, T> value, IntFunction<T[]> array) {
        return entries.stream().map(value).toArray(array);
    }

    private static CorrelationEntry entry(Row row) {
        var table = TextEnum.parse(CorrelationEntry.Kind.class, row.getString("kind"));
        return new CorrelationEntry(
                table == CorrelationEntry.Kind.EVENT ? CorrelationEntry.Kind.ofEvent(row.getString("title")) : table,
                row.getUUID("event_id"),
                row.getString("title"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                row.getString("correlation_id"),
                row.getString("trace_id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                Json.parseStoredObject(row.getString("payload")));
    }
}
