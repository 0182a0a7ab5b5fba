package dev.slipway.audit.evidence;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.ReleaseStore.StoredVerdict;
import dev.slipway.audit.evidence.domain.FamilyResult;
import dev.slipway.audit.evidence.domain.FamilyResult.FamilyFinding;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateFamily;
import dev.slipway.audit.evidence.domain.GateFinding;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.Promotion;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.ReleaseCandidate;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** JSON records of the release API. */
final class ReleaseJson {
    private ReleaseJson() {}

    record CreateReleaseBody(
            String product,
            String version,
            String sourceSha,
            String branch,
            String environment,
            String profile,
            boolean productionImpacting,
            boolean capacityImpacting,
            @Nullable List<String> requiredJourneys,
            Promotion.@Nullable Kind promotion,
            @Nullable UUID projectId) {
        ReleaseAttributes toAttributes() {
            return new ReleaseAttributes(
                    product,
                    version,
                    sourceSha,
                    branch,
                    environment,
                    profile,
                    productionImpacting,
                    capacityImpacting,
                    requiredJourneys == null ? List.of() : requiredJourneys);
        }
    }

    record AddEvidenceBody(
            String type,
            @Nullable String subject,
            @Nullable String result,
            @Nullable String sourceSha,
            @Nullable ObjectNode fields,
            @Nullable String format,
            @Nullable JsonNode content) {}

    /** The decisions of an approver; they are the results of the evidence. */
    enum ApprovalDecision implements TextEnum {
        APPROVED,
        REJECTED
    }

    record ApproveBody(ApprovalDecision decision, @Nullable String comment) {}

    record ApprovalFields(
            UUID approver,
            Instant approvedAt,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String comment) {}

    record WaiveBody(Gate gate, String owner, String reason, Instant expiresAt) {}

    record WaiverResponse(
            UUID id,
            UUID releaseId,
            Gate gate,
            String owner,
            String reason,
            UUID grantedBy,
            Instant grantedAt,
            Instant expiresAt) {
        static WaiverResponse of(UUID releaseId, Waiver waiver, WaiveBody body, UUID grantedBy) {
            return new WaiverResponse(
                    waiver.id(),
                    releaseId,
                    waiver.gate(),
                    body.owner,
                    body.reason,
                    grantedBy,
                    waiver.grantedAt(),
                    waiver.expiresAt());
        }
    }

    record ReleaseSummary(
            UUID id,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            @JsonUnwrapped ReleaseAttributes attributes,
            Promotion.Kind promotion,
            @Nullable UUID validatedReleaseId,
            UUID authorId,
            long revision,
            GateVerdict verdict,
            UUID releaseVerdictId,
            @Nullable Instant validUntil,
            Instant createdAt,
            Instant updatedAt) {
        static ReleaseSummary of(ReleaseCandidate candidate) {
            return new ReleaseSummary(
                    candidate.id(),
                    candidate.orgId(),
                    candidate.projectId(),
                    candidate.attributes(),
                    candidate.promotion().kind(),
                    candidate.promotion().validatedReleaseId(),
                    candidate.authorId(),
                    candidate.revision(),
                    candidate.verdict(),
                    candidate.releaseVerdictId(),
                    candidate.validUntil(),
                    candidate.createdAt(),
                    candidate.updatedAt());
        }
    }

    record ReleaseResponse(
            @JsonUnwrapped ReleaseSummary summary,
            List<VerdictResponse> gates,
            List<FamilyResponse> families,
            List<String> missingEvidence) {}

    record FamilyResponse(
            GateFamily family, FamilyResult.Verdict verdict, String explanation, List<FamilyItemResponse> items) {
        static FamilyResponse of(FamilyResult result) {
            return new FamilyResponse(
                    result.family(),
                    result.verdict(),
                    result.explanation(),
                    result.items().stream().map(FamilyItemResponse::of).toList());
        }
    }

    record FamilyItemResponse(Gate gate, @JsonUnwrapped GateFinding finding) {
        static FamilyItemResponse of(FamilyFinding item) {
            return new FamilyItemResponse(item.gate(), item.finding());
        }
    }

    record VerdictResponse(
            UUID id,
            Gate gate,
            String owner,
            GateVerdict verdict,
            long revision,
            JsonNode items,
            @Nullable UUID waiverId,
            @Nullable Instant validUntil,
            String policyId,
            JsonNode arguments,
            JsonNode evidence,
            String digest,
            Instant evaluatedAt) {
        static VerdictResponse of(StoredVerdict stored) {
            var json = Json.parseStoredObject(stored.document());
            var document = VerdictDocument.parse(stored.document());
            return new VerdictResponse(
                    stored.id(),
                    stored.gate(),
                    stored.gate().owner(),
                    stored.verdict(),
                    stored.revision(),
                    json.path("items"),
                    document.waiverId(),
                    document.validUntil(),
                    document.policyId(),
                    json.path("arguments"),
                    json.path("evidence"),
                    stored.digest(),
                    stored.evaluatedAt());
        }
    }

    record RecomputationResponse(
            UUID verdictId,
            Gate gate,
            boolean identical,
            GateVerdict verdict,
            GateVerdict recomputedVerdict,
            String digest,
            String recomputedDigest,
            List<String> differences) {}

    record EvidenceDetail(
            @JsonUnwrapped Evidence evidence, @Nullable JsonNode content) {}

    record ReceiptResponse(List<UUID> recorded) {}

    record ProductSecurity(
            String product,
            UUID releaseId,
            String version,
            GateVerdict verdict,
            List<GateFinding> controls,
            List<GateFinding> gaps,
            List<Evidence> scans,
            List<Evidence> residualRisks) {}

    record SecuritySummary(int products, int passed, int waived, int blocked, int gaps) {}

    record SecurityResponse(List<ProductSecurity> items, SecuritySummary summary) {}

    /** The metadata of audit entries. */
    record ReleaseMetadata(
            String product,
            String version,
            String verdict,
            Promotion.Kind promotion,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID validatedReleaseId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String evidenceType,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String evidenceSubject,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String result,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String digest,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Waived waiver) {
        record Waived(Gate gate, String owner, String reason, Instant expiresAt) {}

        static ReleaseMetadata of(ReleaseCandidate candidate) {
            var attributes = candidate.attributes();
            return new ReleaseMetadata(
                    attributes.product(),
                    attributes.version(),
                    candidate.verdict().text(),
                    candidate.promotion().kind(),
                    candidate.promotion().validatedReleaseId(),
                    null,
                    null,
                    null,
                    null,
                    null);
        }

        ReleaseMetadata withEvidence(Evidence evidence) {
            return new ReleaseMetadata(
                    product,
                    version,
                    verdict,
                    promotion,
                    validatedReleaseId,
                    evidence.type(),
                    evidence.subject(),
                    evidence.result(),
                    evidence.digest(),
                    waiver);
        }

        ReleaseMetadata withWaiver(WaiveBody body) {
            return new ReleaseMetadata(
                    product,
                    version,
                    verdict,
                    promotion,
                    validatedReleaseId,
                    evidenceType,
                    evidenceSubject,
                    result,
                    digest,
                    new Waived(body.gate, body.owner, body.reason, body.expiresAt));
        }
    }
}
