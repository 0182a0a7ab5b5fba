package dev.slipway.audit.evidence.domain;

import java.util.Map;

/** A release candidate with the current verdicts of its gates. */
public record CandidateGates(ReleaseCandidate candidate, Map<Gate, GateVerdict> gates) {}
