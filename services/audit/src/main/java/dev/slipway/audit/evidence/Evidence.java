package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** A stored piece of evidence, also its JSON in responses. */
record Evidence(
        UUID id,
        UUID releaseId,
        long sequence,
        String type,
        int typeVersion,
        String owner,
        String subject,
        String result,
        String sourceSha,
        ObjectNode fields,
        String format,
        String digest,
        @Nullable String contentDigest,
        long contentBytes,
        String retentionClass,
        boolean releaseBlocking,
        @Nullable UUID producerId,
        String producerType,
        String correlationId,
        @Nullable UUID supersedesId,
        Instant recordedAt,
        @Nullable Instant contentDeletedAt) {

    /** The fields that the digest of evidence covers. */
    private record DigestedFields(
            String type,
            int typeVersion,
            String subject,
            String result,
            String sourceSha,
            ObjectNode fields,
            String format,
            @Nullable String contentDigest) {}

    static String digest(
            String type,
            int typeVersion,
            String subject,
            String result,
            String sourceSha,
            ObjectNode fields,
            String format,
            @Nullable String contentDigest) {
        return CanonicalJson.digest(Json.toObject(
                new DigestedFields(type, typeVersion, subject, result, sourceSha, fields, format, contentDigest)));
    }

    /** Returns whether the row still is what its digest says. */
    boolean matchesDigest() {
        return digest.equals(digest(type, typeVersion, subject, result, sourceSha, fields, format, contentDigest));
    }

    /** Returns the part that the gates of a candidate evaluate. */
    EvidenceItem toItem(UUID candidateId) {
        return new EvidenceItem(
                id,
                type,
                subject,
                result,
                sourceSha,
                text("environment"),
                text("profile"),
                digest,
                releaseId.equals(candidateId) ? null : releaseId);
    }

    private @Nullable String text(String field) {
        return fields.path(field).textValue();
    }
}
