package dev.slipway.metering.rating;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.ReconstructionStore.ReadFacts;
import dev.slipway.metering.rating.domain.Charge.ChargeKey;
import dev.slipway.metering.rating.domain.Reconstruction;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** Computes the charges of an organization again from its raw facts, and compares them with what is booked. */
public final class ReconstructionApi {
    private static final int MAX_ITEMS = 500;
    /** The caller gets no answer after the reply timeout of the gateway, so nothing is read after it. */
    private static final long MAX_MS = 8_000;

    private final Outbox outbox;
    private final ReconstructionStore store;
    private final AccountStore accounts;
    private final QueryExecutor reads;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** A payer in a period. */
    private record PayerPeriod(LocalDate period, @Nullable UUID payer) {}

    private record ChargeResponse(
            String period,
            @Nullable UUID payerProjectId,
            String amount,
            @Nullable String booked) {}

    /** The outcome of a reconstruction. */
    public record ReconstructionResponse(
            UUID orgId,
            String currency,
            long facts,
            @Nullable Boolean identical,
            List<ChargeResponse> items) {}

    public ReconstructionApi(Outbox outbox, ReconstructionStore store, AccountStore accounts, QueryExecutor reads) {
        this.outbox = outbox;
        this.store = store;
        this.accounts = accounts;
        this.reads = reads;
    }

    public Future<Reply> get(Request request) {
        var given = request.query("as_of");
        var asOf = given == null ? null : OffsetDateTime.parse(given).toInstant();
        return reconstruct(request.changeContext(), request.pathId("org_id"), asOf)
                .map(Reply::ofRecord);
    }

    /**
     * Reconstructs the charges of an organization as of a time, or the current ones if it is null. Rejects a second reconstruction while one runs: each
     * holds a connection that changes need, too.
     */
    public Future<ReconstructionResponse> reconstruct(ChangeContext context, UUID orgId, @Nullable Instant asOf) {
        if (!busy.compareAndSet(false, true)) {
            throw Problem.of(
                            ErrorCode.SERVICE_UNAVAILABLE,
                            "Another reconstruction is running in this process. Retry in a few seconds.")
                    .asException();
        }
        var started = System.nanoTime();
        return accounts.findCurrency(reads, orgId)
                .compose(currency -> outbox.transaction(
                        context, unit -> store.read(unit, orgId, currency, asOf, () -> isLate(started))
                                .map(ReconstructionApi::requireComplete)
                                .compose(read -> store.findCharges(unit, orgId)
                                        .map(booked -> response(
                                                orgId,
                                                currency,
                                                read.facts(),
                                                read.reconstruction().charges(),
                                                asOf == null ? booked : null)))))
                .onComplete(done -> busy.set(false));
    }

    private static boolean isLate(long started) {
        return System.nanoTime() - started > Duration.ofMillis(MAX_MS).toNanos();
    }

    private static ReadFacts requireComplete(@Nullable ReadFacts read) {
        if (read == null) {
            throw Problem.of(
                            ErrorCode.TIMEOUT,
                            "The usage of this organization could not be summed in time. Retry when the platform is less busy.")
                    .asException();
        }
        return read;
    }

    private static ReconstructionResponse response(
            UUID orgId,
            String currency,
            long facts,
            Map<LocalDate, Map<ChargeKey, BigDecimal>> rebuilt,
            @Nullable Map<LocalDate, Map<ChargeKey, BigDecimal>> booked) {
        var rebuiltSums = byPayer(rebuilt);
        var bookedSums = booked == null ? null : byPayer(booked);
        var keys = new ArrayList<>(rebuiltSums.keySet());
        if (bookedSums != null) {
            bookedSums.keySet().stream()
                    .filter(key -> !rebuiltSums.containsKey(key))
                    .forEach(keys::add);
        }
        keys.sort(Comparator.comparing(PayerPeriod::period)
                .thenComparing(PayerPeriod::payer, Comparator.nullsFirst(Comparator.naturalOrder())));
        return new ReconstructionResponse(
                orgId,
                currency,
                facts,
                booked == null ? null : isEqual(rebuilt, booked),
                keys.stream()
                        .limit(MAX_ITEMS)
                        .map(key -> new ChargeResponse(
                                YearMonth.from(key.period).toString(),
                                key.payer,
                                rebuiltSums.getOrDefault(key, BigDecimal.ZERO).toPlainString(),
                                bookedSums == null
                                        ? null
                                        : bookedSums
                                                .getOrDefault(key, BigDecimal.ZERO)
                                                .toPlainString()))
                        .toList());
    }

    private static Map<PayerPeriod, BigDecimal> byPayer(Map<LocalDate, Map<ChargeKey, BigDecimal>> charges) {
        var sums = new HashMap<PayerPeriod, BigDecimal>();
        charges.forEach((period, booked) -> booked.forEach(
                (key, amount) -> sums.merge(new PayerPeriod(period, key.payer()), amount, BigDecimal::add)));
        return sums;
    }

    private static boolean isEqual(
            Map<LocalDate, Map<ChargeKey, BigDecimal>> rebuilt, Map<LocalDate, Map<ChargeKey, BigDecimal>> booked) {
        return rebuilt.keySet().equals(booked.keySet())
                && rebuilt.entrySet().stream().allMatch(period -> Reconstruction.differences(
                                period.getValue(), booked.getOrDefault(period.getKey(), Map.of()))
                        .isEmpty());
    }
}
