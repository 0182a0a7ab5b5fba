package dev.slipway.metering.rating;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.AccountStore;
import dev.slipway.metering.rating.ReconciliationStore.TenantGroup;
import dev.slipway.metering.rating.ReconciliationStore.UnaccountedFact;
import dev.slipway.metering.rating.ReconciliationStore.UnaccountedFacts;
import dev.slipway.metering.rating.ReconciliationStore.UsageTotal;
import dev.slipway.metering.rating.domain.Reconciliation;
import dev.slipway.metering.rating.domain.Reconciliation.ServicePart;
import dev.slipway.metering.rating.domain.Reconciliation.TenantPart;
import dev.slipway.metering.rating.domain.Reconciliation.Totals;
import dev.slipway.metering.rating.domain.Reconciliation.UnitComparison;
import dev.slipway.metering.rating.domain.Reconciliation.UnitKey;
import dev.slipway.metering.rating.domain.Reconstruction;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/**
 * Compares apps that the platform manages for several tenants with what its tenants and projects are charged. The whole is computed from raw facts and
 * prices, the parts are the sums and charges that the tenants see.
 */
public final class ReconciliationApi {
    private static final String ACTION = "usage.reconciliation.read";
    private static final int MAX_PARTS = 1_000;
    private static final int MAX_FACTS = 500;

    private final Outbox outbox;
    private final ReconciliationStore store;
    private final FactSumStore sums;
    private final RatingInputStore inputs;
    private final AccountStore accounts;
    private final Clock clock;
    private final DoubleSupplier lagSeconds;

    /** The data of all tenants, as it is collected. */
    private record Collected(
            List<ServicePart> service,
            Map<PartKey, Totals> tenants,
            Map<UUID, String> currencies,
            Set<TenantGroup> groups,
            Map<UUID, Set<LocalDate>> months) {}

    private record PartKey(UUID orgId, @Nullable UUID projectId, UnitKey unit) {}

    private record TotalsJson(long facts, String quantity, String cost) {
        static TotalsJson of(Totals totals) {
            return new TotalsJson(
                    totals.facts(), decimal(totals.quantity()), totals.cost().toPlainString());
        }
    }

    private record UnitJson(
            String unit, String currency, TotalsJson service, TotalsJson tenants, TotalsJson difference) {
        static UnitJson of(UnitComparison compared) {
            return new UnitJson(
                    compared.key().unit(),
                    compared.key().currency(),
                    TotalsJson.of(compared.service()),
                    TotalsJson.of(compared.tenants()),
                    TotalsJson.of(compared.difference()));
        }
    }

    private record PartJson(
            UUID orgId,
            @Nullable UUID projectId,
            String unit,
            String currency,
            long facts,
            String quantity,
            String cost) {
        static PartJson of(TenantPart part) {
            return new PartJson(
                    part.orgId(),
                    part.projectId(),
                    part.key().unit(),
                    part.key().currency(),
                    part.totals().facts(),
                    decimal(part.totals().quantity()),
                    part.totals().cost().toPlainString());
        }
    }

    private record FactJson(
            UUID orgId,
            @Nullable UUID projectId,
            String source,
            String id,
            String unit,
            String quantity,
            String reason) {
        static FactJson of(UnaccountedFact fact) {
            return new FactJson(
                    fact.orgId(),
                    fact.projectId(),
                    fact.source(),
                    fact.factId(),
                    fact.unit(),
                    decimal(fact.quantity()),
                    fact.reason());
        }
    }

    private record ReconciliationResponse(
            @Nullable String appSlug,
            String period,
            Instant asOf,
            double lagSeconds,
            boolean reconciled,
            List<UnitJson> units,
            List<PartJson> parts,
            long partsTotal,
            List<FactJson> unaccounted,
            long unaccountedTotal) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record AuditMetadata(@Nullable String appSlug, String period, boolean reconciled) {}

    /** {@code lagSeconds} is how far ingest is behind the topics. */
    public ReconciliationApi(
            Outbox outbox,
            ReconciliationStore store,
            FactSumStore sums,
            RatingInputStore inputs,
            AccountStore accounts,
            Clock clock,
            DoubleSupplier lagSeconds) {
        this.outbox = outbox;
        this.store = store;
        this.sums = sums;
        this.inputs = inputs;
        this.accounts = accounts;
        this.clock = clock;
        this.lagSeconds = lagSeconds;
    }

    /** Fails if the access cannot be recorded: the result shows the cost of all tenants. */
    public Future<Reply> get(Request request) {
        var appSlug = request.query("app_slug");
        var period = request.query("period");
        var month = period == null ? YearMonth.from(clock.instant().atOffset(ZoneOffset.UTC)) : YearMonth.parse(period);
        var context = request.changeContext();
        return outbox.transaction(context, unit -> reconcile(unit, appSlug, month))
                .compose(response -> outbox.transaction(context, unit -> {
                    AuditTrail.recordSuccess(
                            unit,
                            request.principal(),
                            AuditEntry.ofScope(
                                    ACTION,
                                    null,
                                    null,
                                    Json.toObject(new AuditMetadata(appSlug, month.toString(), response.reconciled))));
                    return Future.succeededFuture(Reply.ofRecord(response));
                }));
    }

    private Future<ReconciliationResponse> reconcile(UnitOfWork unit, @Nullable String appSlug, YearMonth month) {
        var period = month.atDay(1);
        return store.beginSnapshot(unit)
                .compose(ok -> collect(unit, appSlug, period))
                .compose(collected -> {
                    var chain = Future.<Void>succeededFuture();
                    for (var orgId : collected.months.keySet()) {
                        chain = chain.compose(ok -> addCost(unit, appSlug, period, orgId, collected));
                    }
                    return chain.compose(ok -> store.findUnaccounted(unit, appSlug, period, MAX_FACTS))
                            .map(unaccounted -> response(appSlug, month, collected, unaccounted));
                });
    }

    /** Collects the quantities of both sides. */
    private Future<Collected> collect(UnitOfWork unit, @Nullable String appSlug, LocalDate period) {
        var groups = store.findGroups(unit, appSlug);
        var months = store.findMonths(unit, appSlug, period);
        var facts = store.sumFacts(unit, appSlug, period);
        var tenants = store.sumTenants(unit, appSlug, period);
        return Future.all(groups, months, facts, tenants)
                .compose(ok -> findCurrencies(unit, facts.result(), tenants.result(), months.result()))
                .map(currencies -> {
                    var collected = new Collected(
                            new ArrayList<>(), new HashMap<>(), currencies, groups.result(), months.result());
                    facts.result()
                            .forEach(total -> collected.service.add(
                                    new ServicePart(unitKey(collected, total.orgId(), total.unit()), totals(total))));
                    tenants.result()
                            .forEach(total -> collected.tenants.merge(
                                    new PartKey(
                                            total.orgId(),
                                            total.projectId(),
                                            unitKey(collected, total.orgId(), total.unit())),
                                    totals(total),
                                    Totals::plus));
                    return collected;
                });
    }

    private Future<Map<UUID, String>> findCurrencies(
            UnitOfWork unit, List<UsageTotal> facts, List<UsageTotal> tenants, Map<UUID, Set<LocalDate>> months) {
        var orgIds = new HashSet<>(months.keySet());
        facts.forEach(total -> orgIds.add(total.orgId()));
        tenants.forEach(total -> orgIds.add(total.orgId()));
        var currencies = new HashMap<UUID, String>();
        var chain = Future.<Void>succeededFuture();
        for (var orgId : orgIds) {
            chain = chain.compose(ok -> accounts.findCurrency(unit, orgId)).map(currency -> {
                currencies.put(orgId, currency);
                return null;
            });
        }
        return chain.map(ok -> currencies);
    }

    /** Adds the cost of one tenant to both sides: computed again from its facts, and as it is booked. */
    private Future<Void> addCost(
            UnitOfWork unit, @Nullable String appSlug, LocalDate period, UUID orgId, Collected collected) {
        var currency = Objects.requireNonNull(collected.currencies.get(orgId));
        var months = Objects.requireNonNull(collected.months.get(orgId));
        return inputs.load(unit, orgId, currency)
                .compose(loaded -> sums.sumMonths(unit, orgId, period, months, loaded.priceTimes())
                        .map(facts -> {
                            var rebuilt = new Reconstruction(loaded);
                            facts.forEach(rebuilt::add);
                            addRebuilt(rebuilt, orgId, period, collected);
                            return null;
                        }))
                .compose(ok -> store.findCharges(unit, orgId, period, appSlug))
                .map(charges -> {
                    for (var charge : charges) {
                        if (collected.groups.contains(new TenantGroup(orgId, charge.group()))) {
                            collected.tenants.merge(
                                    new PartKey(orgId, charge.payer(), unitKey(collected, orgId, charge.unit())),
                                    cost(charge.amount()),
                                    Totals::plus);
                        }
                    }
                    return null;
                });
    }

    private static void addRebuilt(Reconstruction rebuilt, UUID orgId, LocalDate period, Collected collected) {
        var units = new HashMap<UUID, String>();
        for (var line : rebuilt.lines()) {
            if (collected.groups.contains(new TenantGroup(orgId, line.key().group()))) {
                units.put(line.id(), line.key().unit());
            }
        }
        rebuilt.charges().getOrDefault(period, Map.of()).forEach((charge, amount) -> {
            var usageUnit = units.get(charge.lineId());
            if (usageUnit != null) {
                collected.service.add(new ServicePart(unitKey(collected, orgId, usageUnit), cost(amount)));
            }
        });
    }

    private ReconciliationResponse response(
            @Nullable String appSlug, YearMonth month, Collected collected, UnaccountedFacts unaccounted) {
        var parts = Reconciliation.sorted(collected.tenants.entrySet().stream()
                .map(part -> new TenantPart(
                        part.getKey().orgId, part.getKey().projectId, part.getKey().unit, part.getValue()))
                .toList());
        var units = Reconciliation.compare(collected.service, parts);
        return new ReconciliationResponse(
                appSlug,
                month.toString(),
                clock.instant(),
                lagSeconds.getAsDouble(),
                unaccounted.total() == 0 && units.stream().allMatch(UnitComparison::isReconciled),
                units.stream().map(UnitJson::of).toList(),
                parts.stream().limit(MAX_PARTS).map(PartJson::of).toList(),
                parts.size(),
                unaccounted.facts().stream().map(FactJson::of).toList(),
                unaccounted.total());
    }

    private static UnitKey unitKey(Collected collected, UUID orgId, String unit) {
        return new UnitKey(unit, Objects.requireNonNull(collected.currencies.get(orgId)));
    }

    private static Totals totals(UsageTotal total) {
        return new Totals(total.facts(), total.quantity(), BigDecimal.ZERO);
    }

    private static Totals cost(BigDecimal amount) {
        return new Totals(0, BigDecimal.ZERO, amount);
    }

    private static String decimal(BigDecimal value) {
        return value.stripTrailingZeros().toPlainString();
    }
}
