package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The part of a piece of evidence that gates evaluate.
 *
 * @param environment the environment that the evidence names, if any
 * @param profile the configuration profile of that environment, if the evidence names one
 * @param digest covers all fields of the evidence and its content
 * @param carriedFrom the candidate that the evidence was recorded for, if that is another one, which validated the same source revision
 */
public record EvidenceItem(
        UUID id,
        String type,
        String subject,
        String result,
        String sourceSha,
        @Nullable String environment,
        @Nullable String profile,
        String digest,
        @Nullable UUID carriedFrom) {}
