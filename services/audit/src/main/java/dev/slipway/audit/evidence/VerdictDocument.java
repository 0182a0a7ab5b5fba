package dev.slipway.audit.evidence;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.audit.evidence.domain.CarryOver;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /**
     * The arguments of an evaluation, beside the evidence; requirements, waivers and types of other gates are omitted.
     *
     * @param carryOver only of a fast release, so that documents of earlier policies keep their digest
     */
    record Arguments(
            ReleaseAttributes release,
            List<GateRequirement> requirements,
            List<Waiver> waivers,
            Instant evaluatedAt,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            CarryOver carryOver) {}

    /** Evidence and its digest; {@code releaseId} is the validated release that it was carried over from, if it was. */
    record EvidenceReference(
            UUID evidenceId,
            String digest,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID releaseId) {}

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
                        input.evaluatedAt(),
                        carryOver(input, result)),
                result.evidence().stream()
                        .map(item -> new EvidenceReference(item.id(), item.digest(), item.carriedFrom()))
                        .toList(),
                result.findings(),
                result.verdict(),
                result.waiverId(),
                result.validUntil());
    }

    private static @Nullable CarryOver carryOver(GateInput input, GateResult result) {
        var carryOver = input.carryOver();
        if (carryOver == null) {
            return null;
        }
        var types = Stream.concat(
                        input.requirements().stream()
                                .filter(requirement -> requirement.gate() == result.gate())
                                .map(GateRequirement::evidenceType),
                        result.evidence().stream().map(EvidenceItem::type))
                .collect(Collectors.toSet());
        return new CarryOver(
                carryOver.validatedReleaseId(),
                carryOver.verdict(),
                carryOver.types().stream()
                        .filter(type -> types.contains(type.evidenceType()))
                        .toList());
    }

    static VerdictDocument parse(String text) {
        return Json.toRecord(Json.parseStoredObject(text), VerdictDocument.class);
    }

    /** Evaluates the gate again with the stored arguments and the given evidence. */
    VerdictDocument recompute(List<EvidenceItem> current) {
        var input = new GateInput(
                arguments.release(),
                arguments.requirements(),
                current,
                arguments.waivers(),
                arguments.evaluatedAt(),
                arguments.carryOver());
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
