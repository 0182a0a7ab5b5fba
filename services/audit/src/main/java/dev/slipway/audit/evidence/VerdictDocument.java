package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.domain.GateEvaluator;
import dev.slipway.audit.evidence.domain.GateFinding;
import dev.slipway.audit.evidence.domain.GateInput;
import dev.slipway.audit.evidence.domain.GateRequirement;
import dev.slipway.audit.evidence.domain.GateResult;
import dev.slipway.audit.evidence.domain.GateVerdict;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.Waiver;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The verdict of a gate with everything that it was computed from, as it is stored and digested. */
record VerdictDocument(
        Gate gate,
        String policyId,
        Arguments arguments,
        List<EvidenceReference> evidence,
        List<GateFinding> items,
        GateVerdict verdict,
        @Nullable UUID waiverId,
        @Nullable Instant validUntil) {

    /** The arguments of an evaluation, beside the evidence; requirements and waivers of other gates are omitted. */
    record Arguments(
            ReleaseAttributes release, List<GateRequirement> requirements, List<Waiver> waivers, Instant evaluatedAt) {}

    record EvidenceReference(UUID evidenceId, String digest) {}

    static VerdictDocument of(GateInput input, GateResult result, String policyId) {
        var gate = result.gate();
        return new VerdictDocument(
                gate,
                policyId,
                new Arguments(
                        input.release(),
                        input.requirements().stream()
                                .filter(requirement -> requirement.gate() == gate)
                                .toList(),
                        input.waivers().stream()
                                .filter(waiver -> waiver.gate() == gate)
                                .toList(),
                        input.evaluatedAt()),
                result.evidence().stream()
                        .map(item -> new EvidenceReference(item.id(), item.digest()))
                        .toList(),
                result.findings(),
                result.verdict(),
                result.waiverId(),
                result.validUntil());
    }

    static VerdictDocument parse(String text) {
        return Json.toRecord(Json.parseStoredObject(text), VerdictDocument.class);
    }

    /** Evaluates the gate again with the stored arguments and the given evidence. */
    VerdictDocument recompute(List<EvidenceItem> current) {
        var input = new GateInput(
                arguments.release(), arguments.requirements(), current, arguments.waivers(), arguments.evaluatedAt());
        return of(input, GateEvaluator.evaluate(gate, input, policyId), policyId);
    }

    /** Returns the canonical JSON. */
    String text() {
        return new String(CanonicalJson.bytes(Json.toObject(this)), StandardCharsets.UTF_8);
    }

    String digest() {
        return CanonicalJson.digest(Json.toObject(this));
    }
}
