package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.audit.evidence.EvidenceTypes.TypeSet;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateInput;
import dev.slipway.audit.evidence.domain.GateResult;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Evaluates the gates of a locked candidate in the transaction that changed its evidence, and stores and publishes the verdicts. */
final class ReleaseEvaluator {
    private final ReleaseStore releases;
    private final EvidenceStore evidence;
    private final EvidenceTypes types;

    /** The candidate with its next revision, and the verdicts of that revision. */
    record Evaluation(
            ReleaseCandidate candidate, List<StoredVerdict> verdicts, List<Evidence> current, TypeSet types) {}

    ReleaseEvaluator(ReleaseStore releases, EvidenceStore evidence, EvidenceTypes types) {
        this.releases = releases;
        this.evidence = evidence;
        this.types = types;
    }

    /** Increments the revision. Evidence and waivers of this transaction must have been written before. */
    Future<Evaluation> evaluate(UnitOfWork unit, ReleaseCandidate candidate) {
        return types.load(unit).compose(typeSet -> releases.listWaivers(unit, candidate.id())
                .compose(waivers -> evidence.listCurrent(unit, List.of(candidate.id()))
                        .map(current -> evaluate(unit, candidate, typeSet, waivers, current))));
    }

    private Evaluation evaluate(
            UnitOfWork unit,
            ReleaseCandidate candidate,
            TypeSet typeSet,
            List<Waiver> waivers,
            List<Evidence> current) {
        var input = new GateInput(
                candidate.attributes(),
                typeSet.requirements(),
                current.stream().map(Evidence::toItem).toList(),
                waivers,
                unit.now());
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
        ReleaseEvents.publishSnapshot(unit, next, artifactDigests(current));
        return new Evaluation(next, verdicts, current, typeSet);
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
