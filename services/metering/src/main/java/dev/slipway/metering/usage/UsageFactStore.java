package dev.slipway.metering.usage;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.AttributedFact;
import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.FactKey;
import dev.slipway.metering.usage.domain.FactResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;

/** All SQL that stores usage facts. One statement writes a batch, its sums and its entries for rating. */
public final class UsageFactStore {
    private static final String CREATE_PERIOD = "SELECT create_usage_period($1)";
    /** Ordered, so that two transactions with the same ids wait for each other instead of deadlocking. */
    private static final String CLAIM = """
            INSERT INTO usage_fact_ids (source, fact_id, body_hash, fact_key, period)
            SELECT source, fact_id, body_hash, nextval('usage_fact_keys'), period
            FROM unnest($1::text[], $2::text[], $3::bytea[], $4::date[]) AS f(source, fact_id, body_hash, period)
            ORDER BY source, fact_id
            ON CONFLICT DO NOTHING
            RETURNING source, fact_id, fact_key
            """;

    private static final String FIND_HASHES = """
            SELECT k.source, k.fact_id,
                (SELECT i.body_hash FROM usage_fact_ids i WHERE i.source = k.source AND i.fact_id = k.fact_id) AS body_hash
            FROM unnest($1::text[], $2::text[]) AS k(source, fact_id)
            """;
    private static final String DIMENSIONS = """
            source, org_id, project_id, app_instance_id, shared_runtime_id, attachment_id, source_project_id, app_slug, operating_mode,
            control_plane_scope, runtime_backend, resource_type, resource_id, actor""";
    /** The columns in the order of the parameters of {@link #INSERT}. */
    private static final String COLUMNS = """
            fact_key, source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id, project_id, app_instance_id,
            shared_runtime_id, attachment_id, source_project_id, app_slug, operating_mode, control_plane_scope, runtime_backend,
            resource_type, resource_id, actor, correlation_id, trace_id, corrects_source, corrects_fact_id, period, body_hash,
            audit_entry_id""";
    /** The sums are updated in the order of their keys, for the same reason. */
    private static final String INSERT = """
            WITH facts AS (
                INSERT INTO usage_facts ({columns}, received_at)
                SELECT {columns}, $29
                FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[]::numeric[], $7::timestamptz[], $8::timestamptz[],
                    $9::uuid[], $10::uuid[], $11::uuid[], $12::uuid[], $13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::text[],
                    $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::date[],
                    $27::bytea[], $28::uuid[])
                    AS f({columns})
                RETURNING *
            ), unrated AS (
                INSERT INTO unrated_batches (period, facts, fact_keys)
                SELECT period, count(*), array_agg(fact_key) FROM facts GROUP BY period
            ), dimensions AS (
                INSERT INTO usage_dimensions (dimension, {dimensions})
                SELECT DISTINCT ON (dimension) dimension, {dimensions}
                FROM facts ORDER BY dimension
                ON CONFLICT DO NOTHING
            ), sums AS (
                SELECT org_id, date_trunc('hour', window_end - interval '1 microsecond', 'UTC') AS hour, dimension, unit, unit_version, period,
                    sum(quantity) AS quantity, count(*) AS facts
                FROM facts GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
            ), hours AS (
                INSERT INTO usage_hours AS h (org_id, hour, dimension, unit, unit_version, period, quantity, facts) SELECT * FROM sums
                ON CONFLICT (org_id, hour, dimension, unit, unit_version, period)
                DO UPDATE SET quantity = h.quantity + excluded.quantity, facts = h.facts + excluded.facts
            )
            INSERT INTO usage_months AS m (org_id, month, dimension, unit, unit_version, period, quantity, facts)
            SELECT org_id, date_trunc('month', hour AT TIME ZONE 'UTC')::date, dimension, unit, unit_version, period, sum(quantity), sum(facts)
            FROM sums GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
            ON CONFLICT (org_id, month, dimension, unit, unit_version, period)
            DO UPDATE SET quantity = m.quantity + excluded.quantity, facts = m.facts + excluded.facts
            """.replace("{columns}", COLUMNS).replace("{dimensions}", DIMENSIONS);

    private static final String LOCK_CORRECTED = """
            SELECT pg_advisory_xact_lock(hashtextextended(source || ' ' || fact_id, 0))
            FROM (SELECT DISTINCT source, fact_id FROM unnest($1::text[], $2::text[]) AS k(source, fact_id) ORDER BY 1, 2) AS ordered
            """;
    private static final String FIND_CORRECTED = """
            SELECT f.*, (SELECT coalesce(sum(c.quantity), 0) FROM usage_facts c
                WHERE c.corrects_source = f.source AND c.corrects_fact_id = f.fact_id) AS corrections
            FROM unnest($1::text[], $2::text[]) AS k(source, fact_id)
            JOIN usage_fact_ids i ON i.source = k.source AND i.fact_id = k.fact_id
            JOIN usage_facts f ON f.fact_key = i.fact_key AND f.period = i.period
            """;
    private static final String INSERT_REFUSALS = """
            INSERT INTO usage_refusals (refusal_id, received_at, outcome, source, fact_id, org_id, project_id, field, problem, received_hash,
                stored_hash, correlation_id)
            SELECT uuidv7(), $1, outcome, source, fact_id, $2, $3, field, problem, received_hash, stored_hash, $4
            FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
                AS r(outcome, source, fact_id, field, problem, received_hash, stored_hash)
            ON CONFLICT DO NOTHING
            """;
    /** At most some thousands at once, so that the transaction is short. */
    private static final String DELETE_OLD_REFUSALS = """
            DELETE FROM usage_refusals WHERE refusal_id IN (
                SELECT refusal_id FROM usage_refusals WHERE received_at < $1 ORDER BY received_at LIMIT 5000)
            """;

    private static final String DELETE_SURPLUS_REFUSALS = """
            DELETE FROM usage_refusals WHERE refusal_id IN (
                SELECT surplus.refusal_id FROM (SELECT DISTINCT org_id FROM usage_refusals) o
                CROSS JOIN LATERAL (SELECT r.refusal_id FROM usage_refusals r WHERE r.org_id = o.org_id
                    ORDER BY r.received_at DESC, r.refusal_id DESC OFFSET $1) surplus
                LIMIT 5000)
            """;

    private final SqlClient reads;

    public UsageFactStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The reporter, the trace and the audit entry of a fact. */
    record FactOrigin(
            String reporter,
            @Nullable String traceId,
            @Nullable UUID auditEntryId) {}

    /** A fact whose id was claimed in this transaction. */
    record ClaimedFact(long factKey, AttributedFact fact, FactOrigin origin) {
        String actor() {
            var actor = fact.attribution().actor();
            return actor == null ? origin.reporter : actor;
        }
    }

    /** A stored fact, and its quantity with all corrections. */
    record CorrectedFact(AttributedFact fact, BigDecimal total) {}

    /** Creates a month outside any transaction: it locks the table of facts briefly. */
    Future<Void> createPeriod(LocalDate month) {
        return reads.preparedQuery(CREATE_PERIOD).execute(Tuple.of(month)).mapEmpty();
    }

    /** Inserts the ids of facts; returns the numbers of those that are new. */
    Future<Map<FactKey, Long>> claim(UnitOfWork unit, Collection<AttributedFact> facts) {
        if (facts.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var list = List.copyOf(facts);
        var parameters = Tuple.of(
                column(list, fact -> fact.key().source(), String[]::new),
                column(list, fact -> fact.key().factId(), String[]::new),
                column(list, fact -> bytes(fact.bodyHash()), Buffer[]::new),
                column(list, AttributedFact::period, LocalDate[]::new));
        return unit.query(CLAIM, parameters).map(rows -> {
            var keys = new HashMap<FactKey, Long>();
            rows.forEach(row -> keys.put(factKey(row), row.getLong("fact_key")));
            return keys;
        });
    }

    /** Returns the hashes of the stored bodies of facts. */
    Future<Map<FactKey, String>> findHashes(UnitOfWork unit, Collection<FactKey> keys) {
        if (keys.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return unit.query(FIND_HASHES, keyParameters(keys)).map(rows -> {
            var hashes = new HashMap<FactKey, String>();
            rows.forEach(row -> {
                if (row.getBuffer("body_hash") != null) {
                    hashes.put(factKey(row), hex(row.getBuffer("body_hash")));
                }
            });
            return hashes;
        });
    }

    /** Serializes the corrections of the facts until the end of the transaction, and returns the facts that are stored. */
    Future<Map<FactKey, CorrectedFact>> lockCorrected(UnitOfWork unit, Collection<FactKey> keys) {
        var parameters = keyParameters(keys);
        return unit.query(LOCK_CORRECTED, parameters)
                .compose(locked -> unit.query(FIND_CORRECTED, parameters))
                .map(rows -> {
                    var found = new HashMap<FactKey, CorrectedFact>();
                    rows.forEach(row -> {
                        var fact = fromRow(row);
                        found.put(
                                fact.key(),
                                new CorrectedFact(fact, fact.quantity().add(row.getBigDecimal("corrections"))));
                    });
                    return found;
                });
    }

    void insert(UnitOfWork unit, List<ClaimedFact> facts) {
        unit.write(INSERT, Tuple.from(new Object[] {
            column(facts, ClaimedFact::factKey, Long[]::new),
            ofFact(facts, fact -> fact.key().source(), String[]::new),
            ofFact(facts, fact -> fact.key().factId(), String[]::new),
            ofFact(facts, AttributedFact::unit, String[]::new),
            ofFact(facts, AttributedFact::unitVersion, Integer[]::new),
            ofFact(facts, fact -> fact.quantity().toPlainString(), String[]::new),
            ofFact(facts, fact -> SqlTime.of(fact.windowStart()), OffsetDateTime[]::new),
            ofFact(facts, fact -> SqlTime.of(fact.windowEnd()), OffsetDateTime[]::new),
            ofFact(facts, AttributedFact::orgId, UUID[]::new),
            ofAttribution(facts, FactAttribution::projectId, UUID[]::new),
            ofAttribution(facts, FactAttribution::appInstanceId, UUID[]::new),
            ofAttribution(facts, FactAttribution::sharedRuntimeId, UUID[]::new),
            ofAttribution(facts, FactAttribution::attachmentId, UUID[]::new),
            ofAttribution(facts, FactAttribution::sourceProjectId, UUID[]::new),
            ofAttribution(facts, FactAttribution::appSlug, String[]::new),
            ofAttribution(facts, FactAttribution::operatingMode, String[]::new),
            ofAttribution(facts, FactAttribution::controlPlaneScope, String[]::new),
            ofAttribution(facts, FactAttribution::runtimeBackend, String[]::new),
            ofAttribution(facts, FactAttribution::resourceType, String[]::new),
            ofAttribution(facts, FactAttribution::resourceId, String[]::new),
            column(facts, ClaimedFact::actor, String[]::new),
            ofFact(facts, AttributedFact::correlationId, String[]::new),
            column(facts, claimed -> claimed.origin.traceId, String[]::new),
            ofFact(
                    facts,
                    fact -> fact.corrects() == null ? null : fact.corrects().source(),
                    String[]::new),
            ofFact(
                    facts,
                    fact -> fact.corrects() == null ? null : fact.corrects().factId(),
                    String[]::new),
            ofFact(facts, AttributedFact::period, LocalDate[]::new),
            ofFact(facts, fact -> bytes(fact.bodyHash()), Buffer[]::new),
            column(facts, claimed -> claimed.origin.auditEntryId, UUID[]::new),
            SqlTime.of(unit.now())
        }));
    }

    /** Records facts that were not counted; the same refusal is recorded once. */
    void insertRefusals(
            UnitOfWork unit,
            List<FactResult> refusals,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String correlationId) {
        if (refusals.isEmpty()) {
            return;
        }
        unit.write(INSERT_REFUSALS, Tuple.from(new @Nullable Object[] {
            SqlTime.of(unit.now()),
            orgId,
            projectId,
            correlationId,
            column(refusals, refusal -> refusal.outcome().text(), String[]::new),
            column(refusals, FactResult::source, String[]::new),
            column(refusals, FactResult::factId, String[]::new),
            column(refusals, FactResult::field, String[]::new),
            column(refusals, FactResult::problem, String[]::new),
            column(refusals, FactResult::receivedHash, String[]::new),
            column(refusals, FactResult::storedHash, String[]::new)
        }));
    }

    /** Deletes refusals before a time, and those of each organization beyond a number, the oldest first. */
    Future<Void> deleteRefusals(Instant before, int maxOfOrganization) {
        return reads.preparedQuery(DELETE_OLD_REFUSALS)
                .execute(Tuple.of(SqlTime.of(before)))
                .compose(ok -> reads.preparedQuery(DELETE_SURPLUS_REFUSALS).execute(Tuple.of((long) maxOfOrganization)))
                .mapEmpty();
    }

    private static Tuple keyParameters(Collection<FactKey> keys) {
        return Tuple.from(new Object[] {
            keys.stream().map(FactKey::source).toArray(String[]::new),
            keys.stream().map(FactKey::factId).toArray(String[]::new)
        });
    }

    private static <R, T> T[] column(List<R> rows, Function<R, @Nullable T> value, IntFunction<T[]> array) {
        return rows.stream().map(value).toArray(array);
    }

    private static <T> T[] ofFact(
            List<ClaimedFact> facts, Function<AttributedFact, @Nullable T> value, IntFunction<T[]> array) {
        return column(facts, claimed -> value.apply(claimed.fact), array);
    }

    private static <T> T[] ofAttribution(
            List<ClaimedFact> facts, Function<FactAttribution, @Nullable T> value, IntFunction<T[]> array) {
        return ofFact(facts, fact -> value.apply(fact.attribution()), array);
    }

    private static Buffer bytes(String hash) {
        return Buffer.buffer(HexFormat.of().parseHex(hash));
    }

    private static String hex(Buffer bytes) {
        return HexFormat.of().formatHex(bytes.getBytes());
    }

    private static FactKey factKey(Row row) {
        return new FactKey(row.getString("source"), row.getString("fact_id"));
    }

    static AttributedFact fromRow(Row row) {
        var correctsSource = row.getString("corrects_source");
        return new AttributedFact(
                factKey(row),
                row.getString("unit"),
                row.getInteger("unit_version"),
                row.getBigDecimal("quantity"),
                SqlTime.read(row, "window_start"),
                SqlTime.read(row, "window_end"),
                row.getUUID("org_id"),
                new FactAttribution(
                        row.getUUID("project_id"),
                        row.getUUID("app_instance_id"),
                        row.getUUID("shared_runtime_id"),
                        row.getUUID("attachment_id"),
                        row.getUUID("source_project_id"),
                        row.getString("app_slug"),
                        row.getString("operating_mode"),
                        row.getString("control_plane_scope"),
                        row.getString("runtime_backend"),
                        row.getString("resource_type"),
                        row.getString("resource_id"),
                        row.getString("actor")),
                row.getString("correlation_id"),
                correctsSource == null ? null : new FactKey(correctsSource, row.getString("corrects_fact_id")),
                row.getLocalDate("period"),
                hex(row.getBuffer("body_hash")));
    }
}
