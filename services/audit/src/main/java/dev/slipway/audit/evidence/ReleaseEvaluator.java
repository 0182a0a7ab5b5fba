package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.audit.evidence.EvidenceTypes.TypeSet;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.domain.CarryOver;
import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateInput;
import dev.slipway.audit.evidence.domain.GateResult;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Evaluates the gates of a locked candidate in the transaction that changed its evidence, and stores and publishes the verdicts. */
final class ReleaseEvaluator {
    private final ReleaseStore releases;
    private final EvidenceStore evidence;
    private final EvidenceTypes types;

    /** The candidate with its next revision, and the verdicts of that revision. */
    record Evaluation(ReleaseCandidate candidate, List<StoredVerdict> verdicts, Bundle bundle) {}

    /**
     * The evidence of a candidate.
     *
     * @param evidence the evidence that counts; that of a fast candidate includes evidence of the validated one
     */
    record Bundle(
            TypeSet types,
            List<Evidence> evidence,
            @Nullable CarryOver carryOver) {}

    ReleaseEvaluator(ReleaseStore releases, EvidenceStore evidence, EvidenceTypes types) {
        this.releases = releases;
        this.evidence = evidence;
        this.types = types;
    }

    /** Increments the revision. Evidence and waivers of this transaction must have been written before. */
    Future<Evaluation> evaluate(UnitOfWork unit, ReleaseCandidate candidate) {
        return loadBundle(unit, candidate)
                .compose(bundle -> releases.listWaivers(unit, candidate.id())
                        .map(waivers -> evaluate(unit, candidate, bundle, waivers)))
                .compose(evaluation -> evaluateFastCandidates(unit, candidate, evaluation));
    }

    /** Loads the evidence that counts for a candidate, as it is now. */
    Future<Bundle> loadBundle(QueryExecutor executor, ReleaseCandidate candidate) {
        return types.load(executor)
                .compose(typeSet -> loadCarryOver(executor, candidate, typeSet).compose(carryOver -> {
                    var ids = Stream.of(candidate.id(), candidate.promotion().validatedReleaseId())
                            .filter(Objects::nonNull)
                            .toList();
                    return evidence.listCurrent(executor, ids)
                            .map(current -> toBundle(candidate.id(), typeSet, current, carryOver));
                }));
    }

    private static Bundle toBundle(
            UUID candidateId, TypeSet typeSet, List<Evidence> current, @Nullable CarryOver carryOver) {
        var items = current.stream().map(each -> each.toItem(candidateId)).toList();
        var counting = GateEvaluator.countingItems(items, typeSet.requirements(), carryOver).stream()
                .map(EvidenceItem::id)
                .collect(Collectors.toSet());
        return new Bundle(
                typeSet,
                current.stream().filter(each -> counting.contains(each.id())).toList(),
                carryOver);
    }

    private Future<@Nullable CarryOver> loadCarryOver(
            QueryExecutor executor, ReleaseCandidate candidate, TypeSet typeSet) {
        var validatedId = candidate.promotion().validatedReleaseId();
        return validatedId == null
                ? Future.succeededFuture()
                : releases.find(executor, validatedId, candidate.projectId())
                        .map(validated -> new CarryOver(validatedId, validated.verdict(), typeSet.families()));
    }

    /** A fast candidate depends on the one that validated its revision: if that has no longer passed, or has passed again, it is evaluated too. */
    private Future<Evaluation> evaluateFastCandidates(UnitOfWork unit, ReleaseCandidate before, Evaluation evaluation) {
        var next = evaluation.candidate();
        var unchanged = (before.verdict() == GateVerdict.PASS) == (next.verdict() == GateVerdict.PASS);
        if (unchanged || next.promotion().kind() == Promotion.Kind.FAST) {
            return Future.succeededFuture(evaluation);
        }
        return releases.lockFastCandidates(unit, next.id()).compose(found -> {
            var chain = Future.succeededFuture(evaluation);
            for (var fast : found) {
                chain = chain.compose(ok -> evaluate(unit, fast)).map(ok -> evaluation);
            }
            return chain;
        });
    }

    private Evaluation evaluate(UnitOfWork unit, ReleaseCandidate candidate, Bundle bundle, List<Waiver> waivers) {
        var input = new GateInput(
                candidate.attributes(),
                bundle.types().requirements(),
                bundle.evidence().stream()
                        .map(each -> each.toItem(candidate.id()))
                        .toList(),
                waivers,
                unit.now(),
                bundle.carryOver());
        var results = GateEvaluator.evaluate(input);
        var releaseVerdictId = Ids.next();
        var next = candidate.withVerdict(
                GateVerdict.combine(results.stream().map(GateResult::verdict).toList()),
                releaseVerdictId,
                results.stream()
                        .map(GateResult::validUntil)
                        .filter(Objects::nonNull)
                        .min(Instant::compareTo)
                        .orElse(null),
                unit.now());
        var verdicts =
                results.stream().map(result -> toVerdict(next, input, result)).toList();
        verdicts.forEach(verdict -> releases.insertVerdict(unit, releaseVerdictId, verdict));
        releases.updateVerdict(unit, next);
        ReleaseEvents.publishEvaluated(unit, next, verdicts);
        ReleaseEvents.publishSnapshot(unit, next, artifactDigests(bundle.evidence()));
        return new Evaluation(next, verdicts, bundle);
    }

    private static StoredVerdict toVerdict(ReleaseCandidate candidate, GateInput input, GateResult result) {
        var document = VerdictDocument.of(input, result, GateEvaluator.POLICY_ID);
        return new StoredVerdict(
                Ids.next(),
                candidate.id(),
                candidate.revision(),
                result.gate(),
                result.verdict(),
                document.text(),
                document.digest(),
                input.evaluatedAt());
    }

    private static List<String> artifactDigests(List<Evidence> current) {
        return current.stream()
                .filter(item -> item.type().equals(EvidenceRecorder.ARTIFACT_DIGESTS))
                .flatMap(item -> item.fields().path("digests").valueStream().map(JsonNode::asText))
                .distinct()
                .toList();
    }
}
