package dev.slipway.audit.evidence;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The events of releases and the snapshots of their verdicts. */
final class ReleaseEvents {
    private ReleaseEvents() {}

    /** The fields of all events. */
    private record ReleaseFields(
            UUID releaseId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String product,
            String productVersion,
            long revision) {
        static ReleaseFields of(ReleaseCandidate candidate) {
            return new ReleaseFields(
                    candidate.id(),
                    candidate.orgId(),
                    candidate.projectId(),
                    candidate.attributes().product(),
                    candidate.attributes().version(),
                    candidate.revision());
        }
    }

    private record Created(
            @JsonUnwrapped ReleaseFields release,
            String sourceSha,
            String branch,
            String environment,
            String profile,
            boolean productionImpacting,
            boolean capacityImpacting,
            UUID authorId,
            Promotion.Kind promotion,
            @Nullable UUID validatedReleaseId) {}

    private record ItemRecorded(
            @JsonUnwrapped ReleaseFields release,
            UUID evidenceId,
            String evidenceType,
            String subject,
            String result,
            String digest,
            @Nullable UUID supersedesId) {}

    private record WaiverGranted(
            @JsonUnwrapped ReleaseFields release, UUID waiverId, Gate gate, String owner, Instant expiresAt) {}

    private record GateOutcome(Gate gate, GateVerdict verdict, UUID verdictId) {}

    private record Evaluated(
            @JsonUnwrapped ReleaseFields release,
            GateVerdict verdict,
            UUID releaseVerdictId,
            @Nullable Instant validUntil,
            List<GateOutcome> gates) {}

    private record Snapshot(
            @JsonUnwrapped ReleaseFields release,
            String environment,
            String sourceSha,
            GateVerdict verdict,
            UUID releaseVerdictId,
            @Nullable Instant validUntil,
            List<String> artifactDigests,
            Instant evaluatedAt) {}

    static void publishCreated(UnitOfWork unit, ReleaseCandidate candidate) {
        var attributes = candidate.attributes();
        publish(
                unit,
                candidate,
                "evidence.release.created",
                new Created(
                        ReleaseFields.of(candidate),
                        attributes.sourceSha(),
                        attributes.branch(),
                        attributes.environment(),
                        attributes.profile(),
                        attributes.productionImpacting(),
                        attributes.capacityImpacting(),
                        candidate.authorId(),
                        candidate.promotion().kind(),
                        candidate.promotion().validatedReleaseId()));
    }

    static void publishRecorded(UnitOfWork unit, ReleaseCandidate candidate, Evidence evidence) {
        publish(
                unit,
                candidate,
                "evidence.item.recorded",
                new ItemRecorded(
                        ReleaseFields.of(candidate),
                        evidence.id(),
                        evidence.type(),
                        evidence.subject(),
                        evidence.result(),
                        evidence.digest(),
                        evidence.supersedesId()));
    }

    static void publishWaived(UnitOfWork unit, ReleaseCandidate candidate, Waiver waiver, String owner) {
        publish(
                unit,
                candidate,
                "evidence.waiver.granted",
                new WaiverGranted(ReleaseFields.of(candidate), waiver.id(), waiver.gate(), owner, waiver.expiresAt()));
    }

    static void publishEvaluated(UnitOfWork unit, ReleaseCandidate candidate, List<StoredVerdict> verdicts) {
        var gates = verdicts.stream()
                .map(verdict -> new GateOutcome(verdict.gate(), verdict.verdict(), verdict.id()))
                .toList();
        publish(
                unit,
                candidate,
                "evidence.release.evaluated",
                new Evaluated(
                        ReleaseFields.of(candidate),
                        candidate.verdict(),
                        candidate.releaseVerdictId(),
                        candidate.validUntil(),
                        gates));
    }

    /** Publishes the current verdict to the services that enforce it. */
    static void publishSnapshot(UnitOfWork unit, ReleaseCandidate candidate, List<String> artifactDigests) {
        var snapshot = new Snapshot(
                ReleaseFields.of(candidate),
                candidate.attributes().environment(),
                candidate.attributes().sourceSha(),
                candidate.verdict(),
                candidate.releaseVerdictId(),
                candidate.validUntil(),
                artifactDigests,
                candidate.updatedAt());
        unit.publish(
                Topics.EVIDENCE_STATE,
                "release:" + candidate.id(),
                "evidence.release.snapshot",
                Json.toObject(snapshot));
    }

    private static void publish(UnitOfWork unit, ReleaseCandidate candidate, String type, Record payload) {
        unit.publish(Topics.EVIDENCE_EVENTS, candidate.id().toString(), type, Json.toObject(payload));
    }
}
