package dev.slipway.metering.usage;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.UsageFactStore.ClaimedFact;
import dev.slipway.metering.usage.UsageFactStore.CorrectedFact;
import dev.slipway.metering.usage.UsageFactStore.FactOrigin;
import dev.slipway.metering.usage.domain.AttributedFact;
import dev.slipway.metering.usage.domain.AttributionContext;
import dev.slipway.metering.usage.domain.AttributionContext.InstanceEntry;
import dev.slipway.metering.usage.domain.BookingPeriods;
import dev.slipway.metering.usage.domain.CorrectionRules;
import dev.slipway.metering.usage.domain.FactDecision;
import dev.slipway.metering.usage.domain.FactDecision.Rejected;
import dev.slipway.metering.usage.domain.FactDecision.Valid;
import dev.slipway.metering.usage.domain.FactKey;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactRules;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.metering.usage.domain.UsageUnit;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts usage facts, each exactly once. The id of a fact, the fact and its sums are written in one transaction. Call {@link #apply} at most
 * once per transaction, because it locks sums.
 */
public final class UsageIngest {
    private final UsageFactStore facts;
    private final AttributionStore attribution;
    private final Function<UUID, @Nullable UUID> orgOfProject;
    private final Runnable onCounted;
    /** Months that exist in the database. They are never deleted. */
    private final Set<LocalDate> createdPeriods = ConcurrentHashMap.newKeySet();

    /** @param onCounted called after the commit of a transaction that counted facts */
    public UsageIngest(
            UsageFactStore facts,
            AttributionStore attribution,
            Function<UUID, @Nullable UUID> orgOfProject,
            Runnable onCounted) {
        this.facts = facts;
        this.attribution = attribution;
        this.orgOfProject = orgOfProject;
        this.onCounted = onCounted;
    }

    /** Creates the months in which the facts may be booked, without gaps up to now. Call it before the transaction. */
    public Future<Void> prepare(Collection<ReportedFact> reported, Instant now) {
        var last = now.plus(FactRules.clockSkew());
        var first = reported.stream()
                .map(ReportedFact::windowEnd)
                .filter(Objects::nonNull)
                .filter(end -> !end.isBefore(now.minus(FactRules.maxAge())) && !end.isAfter(last))
                .reduce(now, (a, b) -> a.isBefore(b) ? a : b);
        var missing = BookingPeriods.monthOf(first)
                .datesUntil(BookingPeriods.monthOf(last).plusDays(1), Period.ofMonths(1))
                .filter(month -> !createdPeriods.contains(month))
                .toList();
        var chain = Future.<Void>succeededFuture();
        for (var month : missing) {
            chain = chain.compose(ok -> facts.createPeriod(month)).onSuccess(ok -> createdPeriods.add(month));
        }
        return chain;
    }

    /** Counts the facts; returns one result per fact, in their order. */
    public Future<List<FactResult>> apply(UnitOfWork unit, List<ScopedFact> reported) {
        if (reported.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return loadContext(unit, reported).compose(context -> new Batch(unit, context, reported).run());
    }

    /** Creates the months and counts the facts, for sources that find their facts in the transaction. */
    public Future<List<FactResult>> prepareAndApply(UnitOfWork unit, List<ScopedFact> reported) {
        return prepare(reported.stream().map(ScopedFact::fact).toList(), unit.now())
                .compose(ok -> apply(unit, reported));
    }

    private Future<AttributionContext> loadContext(UnitOfWork unit, List<ScopedFact> reported) {
        var runtimeIds = reported.stream()
                .map(scoped -> scoped.fact().attribution().sharedRuntimeId() == null
                        ? scoped.scope().defaultRuntime()
                        : scoped.fact().attribution().sharedRuntimeId())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        var periods = attribution.lockPeriods(unit);
        var units = attribution.findUnits(unit, distinct(reported, ReportedFact::unit));
        var instances = attribution.findInstances(
                unit, distinct(reported, fact -> fact.attribution().appInstanceId()));
        var runtimes = attribution.findRuntimes(unit, runtimeIds);
        var attachments = instances.compose(
                found -> attribution.findAttachments(unit, withRuntimesOf(found.values(), runtimeIds)));
        return Future.all(periods, units, instances, runtimes, attachments)
                .map(all -> new AttributionContext(
                        instances.result(),
                        runtimes.result(),
                        attachments.result(),
                        organizations(reported),
                        units.result(),
                        periods.result()));
    }

    /** Adds the shared runtimes that the instances use: their facts need not name them. */
    private static Set<UUID> withRuntimesOf(Collection<InstanceEntry> instances, Set<UUID> runtimeIds) {
        var all = new HashSet<>(runtimeIds);
        instances.stream()
                .map(InstanceEntry::sharedRuntimeId)
                .filter(Objects::nonNull)
                .forEach(all::add);
        return all;
    }

    private Map<UUID, UUID> organizations(List<ScopedFact> reported) {
        var organizations = new HashMap<UUID, UUID>();
        var projects =
                new HashSet<>(distinct(reported, fact -> fact.attribution().projectId()));
        reported.stream()
                .map(scoped -> scoped.scope().defaultProject())
                .filter(Objects::nonNull)
                .forEach(projects::add);
        for (var project : projects) {
            var orgId = orgOfProject.apply(project);
            if (orgId != null) {
                organizations.put(project, orgId);
            }
        }
        return organizations;
    }

    private static <T> Set<T> distinct(List<ScopedFact> reported, Function<ReportedFact, @Nullable T> value) {
        return reported.stream()
                .map(scoped -> value.apply(scoped.fact()))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** One call of {@link #apply}. */
    private final class Batch {
        private final UnitOfWork unit;
        private final AttributionContext context;
        private final List<ScopedFact> reported;
        private final FactResult[] results;
        private final Map<FactKey, Integer> firstIndex = new HashMap<>();
        private final Map<FactKey, AttributedFact> candidates = new LinkedHashMap<>();
        private final Map<FactKey, AttributedFact> accepted = new HashMap<>();
        /** A fact that was counted once stays counted, although it would be rejected now: its id is looked up. */
        private final List<FactKey> rejected = new ArrayList<>();

        private final List<ClaimedFact> claimed = new ArrayList<>();

        Batch(UnitOfWork unit, AttributionContext context, List<ScopedFact> reported) {
            this.unit = unit;
            this.context = context;
            this.reported = reported;
            this.results = new FactResult[reported.size()];
        }

        Future<List<FactResult>> run() {
            for (var i = 0; i < results.length; i++) {
                if (firstIndex.putIfAbsent(reported.get(i).fact().key(), i) == null
                        && !reported.get(i).fact().isCorrection()) {
                    var scoped = reported.get(i);
                    addCandidate(i, FactRules.validate(scoped.fact(), scoped.scope(), context, unit.now()));
                }
            }
            return claimCandidates().compose(ok -> applyCorrections()).map(ok -> {
                if (!claimed.isEmpty()) {
                    facts.insert(unit, claimed);
                    unit.afterCommit(onCounted);
                }
                addRepeated();
                return List.of(results);
            });
        }

        private void addCandidate(int index, FactDecision decision) {
            if (decision instanceof Valid valid) {
                candidates.put(valid.fact().key(), valid.fact());
            } else if (decision instanceof Rejected no) {
                var key = reported.get(index).fact().key();
                results[index] = FactResult.rejected(key, no);
                rejected.add(key);
            }
        }

        private Future<Void> claimCandidates() {
            var claiming = Map.copyOf(candidates);
            var order = List.copyOf(candidates.keySet());
            candidates.clear();
            return facts.claim(unit, claiming.values()).compose(keys -> {
                for (var key : order) {
                    var number = keys.get(key);
                    if (number != null) {
                        accept(number, Objects.requireNonNull(claiming.get(key)));
                    }
                }
                var known = order.stream().filter(key -> !keys.containsKey(key)).toList();
                var invalid = List.copyOf(rejected);
                rejected.clear();
                return facts.findHashes(
                                unit,
                                Stream.concat(known.stream(), invalid.stream()).toList())
                        .map(hashes -> {
                            known.forEach(key -> repeat(key, Objects.requireNonNull(hashes.get(key))));
                            invalid.stream()
                                    .filter(hashes::containsKey)
                                    .forEach(key -> repeat(key, Objects.requireNonNull(hashes.get(key))));
                            return null;
                        });
            });
        }

        private void repeat(FactKey key, String storedHash) {
            var index = index(key);
            results[index] = FactResult.repeated(key, reported.get(index).fact().bodyHash(), storedHash);
        }

        private void accept(long number, AttributedFact fact) {
            var index = index(fact.key());
            var scoped = reported.get(index);
            claimed.add(new ClaimedFact(
                    number, fact, new FactOrigin(scoped.reporter(), scoped.traceId(), scoped.auditEntryId())));
            accepted.put(fact.key(), fact);
            results[index] = FactResult.accepted(fact);
        }

        private int index(FactKey key) {
            return Objects.requireNonNull(firstIndex.get(key));
        }

        /** A correction may follow the fact that it corrects in the same batch. */
        private Future<Void> applyCorrections() {
            var corrections = firstIndex.values().stream()
                    .sorted()
                    .filter(i -> reported.get(i).fact().isCorrection())
                    .toList();
            if (corrections.isEmpty()) {
                return Future.succeededFuture();
            }
            var keys =
                    corrections.stream().map(i -> reported.get(i).fact().key()).toList();
            var corrected = corrections.stream()
                    .map(i -> correctedKey(reported.get(i).fact()))
                    .collect(Collectors.toSet());
            return facts.lockCorrected(unit, corrected).compose(stored -> {
                var hashes = facts.findHashes(unit, keys);
                var units = findUnits(stored.values());
                return Future.all(hashes, units).compose(all -> {
                    decideCorrections(corrections, stored, hashes.result(), units.result());
                    return claimCandidates();
                });
            });
        }

        /** A correction need not name the unit of the fact that it corrects. */
        private Future<Map<String, UsageUnit>> findUnits(Collection<CorrectedFact> stored) {
            var ids = Stream.concat(
                            stored.stream().map(corrected -> corrected.fact().unit()),
                            accepted.values().stream().map(AttributedFact::unit))
                    .collect(Collectors.toSet());
            return context.units().keySet().containsAll(ids)
                    ? Future.succeededFuture(context.units())
                    : attribution.findUnits(unit, ids);
        }

        private void decideCorrections(
                List<Integer> corrections,
                Map<FactKey, CorrectedFact> stored,
                Map<FactKey, String> hashes,
                Map<String, UsageUnit> units) {
            var totals = new HashMap<FactKey, BigDecimal>();
            for (var index : corrections) {
                var correction = reported.get(index).fact();
                var storedHash = hashes.get(correction.key());
                if (storedHash != null) {
                    results[index] = FactResult.repeated(correction.key(), correction.bodyHash(), storedHash);
                    continue;
                }
                var key = correctedKey(correction);
                var found = stored.get(key);
                var corrected = found == null ? accepted.get(key) : found.fact();
                if (corrected == null || corrected.corrects() != null) {
                    results[index] = FactResult.rejected(
                            correction.key(), "corrects", "is not a fact of this source, or is itself a correction");
                    continue;
                }
                var total = totals.computeIfAbsent(key, k -> found == null ? corrected.quantity() : found.total());
                var decision = CorrectionRules.correct(correction, corrected, total, units, context.periods());
                if (decision instanceof Valid valid) {
                    totals.put(key, total.add(valid.fact().quantity()));
                }
                addCandidate(index, decision);
            }
        }

        private FactKey correctedKey(ReportedFact correction) {
            return new FactKey(correction.source(), Objects.requireNonNull(correction.corrects()));
        }

        /** Decides the facts whose id occurs earlier in the batch. */
        private void addRepeated() {
            for (var i = 0; i < results.length; i++) {
                if (results[i] == null) {
                    var fact = reported.get(i).fact();
                    var first = results[index(fact.key())];
                    var firstHash = reported.get(index(fact.key())).fact().bodyHash();
                    results[i] = first.outcome() == FactResult.Outcome.REJECTED
                            ? repeatRejection(first, firstHash.equals(fact.bodyHash()))
                            : FactResult.repeated(fact.key(), fact.bodyHash(), storedHash(first, firstHash));
                }
            }
        }

        private static FactResult repeatRejection(FactResult first, boolean sameBody) {
            return sameBody
                    ? first
                    : FactResult.rejected(
                            new FactKey(first.source(), first.factId()),
                            "id",
                            "occurs earlier in this batch with another body, which was rejected; send this fact again");
        }

        private static String storedHash(FactResult first, String firstHash) {
            return first.storedHash() == null ? firstHash : first.storedHash();
        }
    }
}
