package dev.slipway.metering.rating;

import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.FactSumStore.FactSum;
import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.metering.rating.domain.Reconstruction;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** All SQL of reconstructions: the booked charges of an organization beside the sums of its raw facts. */
public final class ReconstructionStore {
    private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

    /** All statements see the same facts and charges. */
    static final String SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    private static final String FIND_WINDOW =
            "SELECT min(window_end) AS first, max(window_end) AS last FROM usage_facts WHERE org_id = $1";
    private static final String FIND_CHARGES =
            "SELECT line_id, payer_id, period, amount FROM charges WHERE org_id = $1 AND amount <> 0";

    private final RatingInputStore inputs;
    private final FactSumStore sums;

    /** A reconstruction and the number of facts that were read for it. */
    record ReadFacts(Reconstruction reconstruction, long facts) {}

    public ReconstructionStore(RatingInputStore inputs, FactSumStore sums) {
        this.inputs = inputs;
        this.sums = sums;
    }

    /**
     * Sums the facts as of a time, or those that are rated if it is null, month by month. Must be the first statement of its transaction. {@code isLate}
     * is asked before each month; if it holds, the result is null.
     */
    Future<@Nullable ReadFacts> read(
            UnitOfWork unit, UUID orgId, String currency, @Nullable Instant asOf, BooleanSupplier isLate) {
        return unit.query(SNAPSHOT, Tuple.tuple())
                .compose(ok -> inputs.loadAsOf(unit, orgId, currency, asOf == null ? END : asOf))
                .compose(loaded -> unit.query(FIND_WINDOW, Tuple.of(orgId)).compose(rows -> {
                    var row = rows.iterator().next();
                    var reconstruction = new Reconstruction(loaded);
                    if (row.getOffsetDateTime("first") == null) {
                        return Future.succeededFuture(new ReadFacts(reconstruction, 0));
                    }
                    var month = SqlTime.read(row, "first")
                            .atOffset(ZoneOffset.UTC)
                            .toLocalDate()
                            .withDayOfMonth(1);
                    var reading = new Reading(orgId, asOf, loaded, reconstruction, SqlTime.read(row, "last"), isLate);
                    // A window that ends with a month belongs to it.
                    return addMonths(unit, reading, month.minusMonths(1), 0)
                            .map(count -> count == null ? null : new ReadFacts(reconstruction, count));
                }));
    }

    private record Reading(
            UUID orgId,
            @Nullable Instant asOf,
            RatingInputs loaded,
            Reconstruction reconstruction,
            Instant last,
            BooleanSupplier isLate) {}

    private Future<@Nullable Long> addMonths(UnitOfWork unit, Reading reading, LocalDate month, long counted) {
        if (!month.atStartOfDay().toInstant(ZoneOffset.UTC).isBefore(reading.last)) {
            return Future.succeededFuture(counted);
        }
        if (reading.isLate.getAsBoolean()) {
            return Future.succeededFuture();
        }
        return sums.sumMonth(
                        unit,
                        reading.orgId,
                        month,
                        reading.asOf == null ? END : reading.asOf,
                        reading.asOf != null,
                        reading.loaded.priceTimes())
                .compose(found -> {
                    found.forEach(sum -> reading.reconstruction.add(sum.fact()));
                    var facts = found.stream().mapToLong(FactSum::facts).sum();
                    return addMonths(unit, reading, month.plusMonths(1), counted + facts);
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
