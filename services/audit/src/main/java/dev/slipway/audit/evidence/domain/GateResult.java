package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The result of a gate.
 *
 * @param evidence the evidence that was considered
 * @param waiverId the waiver, if the gate is waived
 * @param validUntil the end of the waiver, if the gate is waived
 */
public record GateResult(
        Gate gate,
        GateVerdict verdict,
        List<GateFinding> findings,
        List<EvidenceItem> evidence,
        @Nullable UUID waiverId,
        @Nullable Instant validUntil) {}
