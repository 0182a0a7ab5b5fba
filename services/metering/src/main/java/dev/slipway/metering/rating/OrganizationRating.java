package dev.slipway.metering.rating;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.ledger.LedgerWriter;
import dev.slipway.metering.ledger.domain.BillingAccount;
import dev.slipway.metering.ledger.domain.LedgerTransaction;
import dev.slipway.metering.ledger.domain.LedgerTransaction.UsageAmount;
import dev.slipway.metering.rating.RatingQueueStore.QueuedKey;
import dev.slipway.metering.rating.domain.LineGroup;
import dev.slipway.metering.rating.domain.RatableFact;
import dev.slipway.metering.rating.domain.RatedLine;
import dev.slipway.metering.rating.domain.RatingBatch;
import dev.slipway.metering.rating.domain.RatingBatch.RatedBatch;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.metering.rating.domain.RatingKey;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Rates the facts of one organization under the lock of its account: lines, charges and ledger entries. */
public final class OrganizationRating {
    private final RatingStore store;
    private final FactSumStore sums;
    private final RatingInputStore inputs;
    private final AccountStore accounts;
    private final LedgerWriter ledger;

    /** The charges that one ledger entry sums up. */
    private record EntryKey(
            @Nullable UUID payer, String unit, @Nullable UUID priceId) {}

    public OrganizationRating(
            RatingStore store, FactSumStore sums, RatingInputStore inputs, AccountStore accounts, LedgerWriter ledger) {
        this.store = store;
        this.sums = sums;
        this.inputs = inputs;
        this.accounts = accounts;
        this.ledger = ledger;
    }

    /** Rates new facts of an organization, all booked in one period. */
    Future<Void> rate(UnitOfWork unit, UUID orgId, LocalDate period, List<RatableFact> facts) {
        var keys = facts.stream().map(RatableFact::ratingKey).distinct().toList();
        var groups = facts.stream().map(RatableFact::group).toList();
        return accounts.lock(unit, orgId)
                .compose(account -> inputs.load(unit, orgId, account.currency(), instances(groups))
                        .compose(loaded ->
                                rate(unit, account, period, loaded, keys, facts, batch -> facts.forEach(batch::add))));
    }

    /** Rates keys of one organization and month again, after a change of prices or policies, in the first open period. */
    Future<Void> rateAgain(UnitOfWork unit, List<QueuedKey> queued) {
        var keys = queued.stream().map(QueuedKey::key).toList();
        var first = keys.get(0);
        return accounts.lock(unit, first.orgId()).compose(account -> store.findOpenPeriod(unit, first.usageMonth())
                .compose(period -> {
                    if (period == null) {
                        return Future.failedFuture("no period from " + first.usageMonth() + " on is open");
                    }
                    // Every fact that is rated has a line, so these are the instances of all facts.
                    return store.findLines(unit, first.orgId(), keys)
                            .compose(lines ->
                                    inputs.load(unit, first.orgId(), account.currency(), instances(groups(lines))))
                            .compose(loaded -> sumFacts(unit, queued, loaded)
                                    .compose(facts -> rate(
                                            unit,
                                            account,
                                            period,
                                            loaded,
                                            keys,
                                            facts.values().stream()
                                                    .flatMap(List::stream)
                                                    .toList(),
                                            batch -> facts.forEach(batch::replace))));
                }));
    }

    /** Sums the facts of the keys whose facts can belong to other lines now. */
    private Future<Map<RatingKey, List<RatableFact>>> sumFacts(
            UnitOfWork unit, List<QueuedKey> queued, RatingInputs loaded) {
        var found = new LinkedHashMap<RatingKey, List<RatableFact>>();
        var chain = Future.<Void>succeededFuture();
        for (var each : queued) {
            if (each.regroup()) {
                var key = each.key();
                chain = chain.compose(ok ->
                                sums.sumKey(unit, key, loaded.book(key.unit()).times()))
                        .map(facts -> {
                            found.put(key, facts);
                            return null;
                        });
            }
        }
        return chain.map(ok -> found);
    }

    private Future<Void> rate(
            UnitOfWork unit,
            BillingAccount account,
            LocalDate period,
            RatingInputs loaded,
            List<RatingKey> keys,
            List<RatableFact> facts,
            Consumer<RatingBatch> addFacts) {
        return findLines(unit, account.orgId(), keys, facts)
                .compose(lines -> store.findBooked(unit, lines.values()).compose(booked -> {
                    var batch = new RatingBatch(loaded, lines.values(), booked);
                    addFacts.accept(batch);
                    var rated = batch.complete();
                    return store.save(unit, account.orgId(), period, account.currency(), lines, rated)
                            .compose(ok -> post(unit, account, period, lines, rated));
                }));
    }

    /** Returns the lines of the keys, and all lines of the shared runtimes that occur in them or in the facts. */
    private Future<Map<UUID, RatedLine>> findLines(
            UnitOfWork unit, UUID orgId, List<RatingKey> keys, List<RatableFact> facts) {
        return store.findLines(unit, orgId, keys).compose(lines -> {
            var runtimes = new ArrayList<UUID>();
            var months = new ArrayList<LocalDate>();
            Stream.concat(
                            lines.stream()
                                    .map(line -> new RuntimeMonth(
                                            line.key().group().sharedRuntimeId(),
                                            line.key().usageMonth())),
                            facts.stream()
                                    .map(fact -> new RuntimeMonth(fact.group().sharedRuntimeId(), fact.usageMonth())))
                    .filter(each -> each.sharedRuntimeId != null)
                    .distinct()
                    .forEach(each -> {
                        runtimes.add(each.sharedRuntimeId);
                        months.add(each.month);
                    });
            return (runtimes.isEmpty()
                            ? Future.succeededFuture(List.<RatedLine>of())
                            : store.findRuntimeLines(unit, orgId, runtimes, months))
                    .map(ofRuntimes -> byId(Stream.concat(lines.stream(), ofRuntimes.stream())));
        });
    }

    private record RuntimeMonth(@Nullable UUID sharedRuntimeId, LocalDate month) {}

    private static Map<UUID, RatedLine> byId(Stream<RatedLine> lines) {
        var byId = new HashMap<UUID, RatedLine>();
        lines.forEach(line -> byId.put(line.id(), line));
        return byId;
    }

    private Future<Void> post(
            UnitOfWork unit, BillingAccount account, LocalDate period, Map<UUID, RatedLine> stored, RatedBatch rated) {
        var lines = new HashMap<>(stored);
        rated.changedLines().forEach(line -> lines.put(line.id(), line));
        var sums = new LinkedHashMap<EntryKey, BigDecimal>();
        rated.bookings().forEach((key, amount) -> {
            var line = Objects.requireNonNull(lines.get(key.lineId()), "a charge without a line")
                    .key();
            sums.merge(new EntryKey(key.payer(), line.unit(), line.priceId()), amount, BigDecimal::add);
        });
        sums.values().removeIf(sum -> sum.signum() == 0);
        if (sums.isEmpty()) {
            return Future.succeededFuture();
        }
        var next = account.withNextPosting();
        var transaction = LedgerTransaction.ofUsage(
                Ids.next(),
                account.orgId(),
                period,
                account.currency(),
                "usage-" + next.postings(),
                sums.entrySet().stream()
                        .map(each -> new UsageAmount(
                                each.getKey().payer, each.getKey().unit, each.getKey().priceId, each.getValue()))
                        .toList());
        AuditTrail.recordSystemAction(
                unit, "system", "rating", null, LedgerWriter.audit(transaction), AuditResult.SUCCESS, null);
        return ledger.post(unit, next, transaction);
    }

    private static List<LineGroup> groups(List<RatedLine> lines) {
        return lines.stream().map(line -> line.key().group()).toList();
    }

    private static List<UUID> instances(Collection<LineGroup> groups) {
        return groups.stream()
                .map(LineGroup::appInstanceId)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }
}
