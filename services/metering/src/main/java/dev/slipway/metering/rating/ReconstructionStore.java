package dev.slipway.metering.rating;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import dev.slipway.metering.rating.domain.Reconstruction;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** All SQL of reconstructions: the raw facts of an organization, page by page, and its booked charges. */
public final class ReconstructionStore {
    private static final int PAGE = 5_000;
    private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

    /** All statements see the same facts and charges. */
    static final String SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    private static final String FIND_FACTS = """
            SELECT f.fact_key, %s FROM usage_facts f LEFT JOIN unrated_facts u ON u.fact_key = f.fact_key
            WHERE f.org_id = $1 AND f.received_at <= $2 AND (f.window_end, f.fact_key) > ($3, $4) AND ($5 OR u.fact_key IS NULL)
            ORDER BY f.window_end, f.fact_key LIMIT %d
            """.formatted(RatingStore.FACT_COLUMNS, PAGE);
    private static final String FIND_CHARGES =
            "SELECT line_id, payer_id, period, amount FROM charges WHERE org_id = $1 AND amount <> 0";

    private final RatingInputStore inputs;

    /** A reconstruction and the number of facts that were read for it. */
    record ReadFacts(Reconstruction reconstruction, long facts) {}

    /** The position after the last fact that was read. */
    private record Position(OffsetDateTime windowEnd, long factKey, long facts) {}

    public ReconstructionStore(RatingInputStore inputs) {
        this.inputs = inputs;
    }

    /** Reads the facts as of a time, or those that are rated if it is null. Must be the first statement of its transaction. */
    Future<ReadFacts> read(UnitOfWork unit, UUID orgId, String currency, @Nullable Instant asOf) {
        return unit.query(SNAPSHOT, Tuple.tuple())
                .compose(ok -> inputs.loadAsOf(unit, orgId, currency, asOf == null ? END : asOf))
                .compose(loaded -> {
                    var reconstruction = new Reconstruction(loaded);
                    var start = new Position(SqlTime.of(Instant.EPOCH), 0, 0);
                    return addFacts(unit, orgId, asOf, reconstruction, start)
                            .map(count -> new ReadFacts(reconstruction, count));
                });
    }

    private Future<Long> addFacts(
            UnitOfWork unit, UUID orgId, @Nullable Instant asOf, Reconstruction reconstruction, Position after) {
        var until = SqlTime.of(asOf == null ? END : asOf);
        return unit.query(FIND_FACTS, Tuple.of(orgId, until, after.windowEnd, after.factKey, asOf != null))
                .compose(rows -> {
                    var last = after;
                    for (var row : rows) {
                        reconstruction.add(RatingStore.fact(row));
                        last = new Position(
                                row.getOffsetDateTime("window_end"), row.getLong("fact_key"), last.facts + 1);
                    }
                    return rows.size() < PAGE
                            ? Future.succeededFuture(last.facts)
                            : addFacts(unit, orgId, asOf, reconstruction, last);
                });
    }

    /** Returns the booked charges of each period; those of zero are omitted. */
    Future<Map<LocalDate, Map<ChargeKey, BigDecimal>>> findCharges(UnitOfWork unit, UUID orgId) {
        return unit.query(FIND_CHARGES, Tuple.of(orgId)).map(rows -> {
            var charges = new TreeMap<LocalDate, Map<ChargeKey, BigDecimal>>();
            rows.forEach(row -> charges.computeIfAbsent(row.getLocalDate("period"), first -> new HashMap<>())
                    .put(new ChargeKey(row.getUUID("line_id"), row.getUUID("payer_id")), row.getBigDecimal("amount")));
            return charges;
        });
    }
}
