package dev.slipway.audit.timeline;

import dev.slipway.authz.Authorizer.Reach;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.StreamSupport;

/** The facts, append-only. */
public final class TimelineStore {
    private static final String KEEP_CALLS = """
            INSERT INTO calls (event_id, occurred_at, correlation_id, trace_id, method, operation_id, path, status, code,
                principal_id, actor_type, org_id, project_id, duration_us)
            SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                $8::int[], $9::text[], $10::uuid[], $11::text[], $12::uuid[], $13::uuid[], $14::bigint[])
            ON CONFLICT DO NOTHING
            """;

    /** One statement for a whole batch, whatever it is made of. */
    private static final String KEEP = """
            WITH facts AS (
                SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
                                     $7::uuid[], $8::uuid[], $9::text[])
                AS f(kind, event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload)
            ), kept_audit_records AS (
                INSERT INTO audit_records (event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload)
                SELECT event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload::jsonb
                FROM facts WHERE kind = 'audit' ON CONFLICT DO NOTHING
            )
            INSERT INTO events (event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload)
            SELECT event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload::jsonb
            FROM facts WHERE kind = 'event' ON CONFLICT DO NOTHING
            """;

    /** Each part is cut before they are merged, so that no table is read further than the answer can be long. */
    private static final String FIND = """
            (SELECT 'call' AS kind, event_id, coalesce(operation_id, method || ' ' || path) AS title, occurred_at, correlation_id,
                    trace_id, org_id, project_id,
                    json_build_object('method', method, 'path', path, 'status', status, 'code', code, 'duration_us', duration_us,
                        'principal_id', principal_id, 'actor_type', actor_type)::text AS payload
             FROM calls
             WHERE correlation_id = $1 AND (org_id = ANY($2) OR project_id = ANY($3) OR principal_id = $4)
             ORDER BY occurred_at, event_id LIMIT $5)
            UNION ALL
            (SELECT 'audit', event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload::text
             FROM audit_records
             WHERE correlation_id = $1 AND (org_id = ANY($2) OR project_id = ANY($3))
             ORDER BY occurred_at, event_id LIMIT $5)
            UNION ALL
            (SELECT 'event', event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload::text
             FROM events
             WHERE correlation_id = $1 AND (org_id = ANY($2) OR project_id = ANY($3))
             ORDER BY occurred_at, event_id LIMIT $5)
            ORDER BY occurred_at, event_id LIMIT $5
            """;

    private final SqlClient reads;

    public TimelineStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Keeps the facts; those that are kept already stay as they are. */
    void keep(UnitOfWork unit, List<Fact> facts) {
        if (facts.isEmpty()) {
            return;
        }
        unit.write(KEEP, Tuple.from(new Object[] {
            column(facts, fact -> fact.kind().text(), String[]::new),
            column(facts, Fact::eventId, UUID[]::new),
            column(facts, Fact::title, String[]::new),
            column(facts, fact -> fact.at().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new),
            column(facts, Fact::correlationId, String[]::new),
            column(facts, Fact::traceId, String[]::new),
            column(facts, Fact::orgId, UUID[]::new),
            column(facts, Fact::projectId, UUID[]::new),
            column(facts, fact -> Json.text(fact.payload()), String[]::new),
        }));
    }

    /** Keeps the calls, of which there is one per request: what is kept already stays as it is. */
    void keepCalls(UnitOfWork unit, List<Call> calls) {
        if (calls.isEmpty()) {
            return;
        }
        unit.write(KEEP_CALLS, Tuple.from(new Object[] {
            column(calls, Call::id, UUID[]::new),
            column(calls, call -> call.at().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new),
            column(calls, Call::correlationId, String[]::new),
            column(calls, Call::traceId, String[]::new),
            column(calls, Call::method, String[]::new),
            column(calls, Call::operationId, String[]::new),
            column(calls, Call::path, String[]::new),
            column(calls, Call::status, Integer[]::new),
            column(calls, Call::code, String[]::new),
            column(calls, Call::principalId, UUID[]::new),
            column(calls, Call::actorType, String[]::new),
            column(calls, Call::orgId, UUID[]::new),
            column(calls, Call::projectId, UUID[]::new),
            column(calls, Call::durationUs, Long[]::new),
        }));
    }

    /** The first facts of a correlation, in order of time: those within reach, and the reader's own calls. */
    Future<List<Fact>> find(String correlationId, Reach reach, UUID readerId, int limit) {
        var orgIds = reach.orgIds().toArray(UUID[]::new);
        var projectIds = reach.projectIds().toArray(UUID[]::new);
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(correlationId, orgIds, projectIds, readerId, limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(TimelineStore::fact)
                        .toList());
    }

    private static <F, T extends @Nullable Object> T[] column(
            List<F> facts, Function<F, T> value, IntFunction<T[]> array) {
        return facts.stream().map(value).toArray(array);
    }

    private static Fact fact(Row row) {
        return new Fact(
                Fact.Kind.of(row.getString("kind")),
                row.getUUID("event_id"),
                row.getString("title"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                row.getString("correlation_id"),
                row.getString("trace_id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                Json.trusted(row.getString("payload")));
    }
}
