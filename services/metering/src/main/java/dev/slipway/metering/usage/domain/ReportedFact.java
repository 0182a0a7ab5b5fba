package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A usage fact as its source reported it, before its attribution is completed.
 *
 * @param unit null only for a correction, which has the unit of the fact that it corrects
 * @param quantity the quantity; for a correction the corrected total, or null if {@code adjustment} is set
 * @param adjustment for a correction the signed difference to the current total of the fact
 * @param corrects the id of a fact of the same source that this one corrects
 */
public record ReportedFact(
        String source,
        String factId,
        @Nullable String unit,
        @Nullable Integer unitVersion,
        @Nullable BigDecimal quantity,
        @Nullable BigDecimal adjustment,
        @Nullable Instant windowStart,
        @Nullable Instant windowEnd,
        @Nullable UUID orgId,
        FactAttribution attribution,
        @Nullable String correlationId,
        @Nullable String corrects) {

    private static final char SEPARATOR = 0x1f;

    public boolean isCorrection() {
        return corrects != null;
    }

    /** Returns the identity of the fact. */
    public FactKey key() {
        return new FactKey(source, factId);
    }

    /**
     * Returns the SHA-256 of the reported values in hexadecimal: equal for two reports of the same fact, however they are written. The
     * correlation id is not part of it, because a retry has another one.
     */
    public String bodyHash() {
        var text = new StringBuilder(256);
        append(text, unit);
        append(text, unitVersion);
        append(text, decimal(quantity));
        append(text, decimal(adjustment));
        append(text, micros(windowStart));
        append(text, micros(windowEnd));
        append(text, orgId);
        append(text, attribution.projectId());
        append(text, attribution.appInstanceId());
        append(text, attribution.sharedRuntimeId());
        append(text, attribution.attachmentId());
        append(text, attribution.sourceProjectId());
        append(text, attribution.appSlug());
        append(text, attribution.operatingMode());
        append(text, attribution.controlPlaneScope());
        append(text, attribution.runtimeBackend());
        append(text, attribution.resourceType());
        append(text, attribution.resourceId());
        append(text, attribution.actor());
        append(text, corrects);
        return HexFormat.of().formatHex(sha256(text.toString()));
    }

    private static void append(StringBuilder text, @Nullable Object value) {
        if (value != null) {
            text.append(value);
        }
        text.append(SEPARATOR);
    }

    private static @Nullable String decimal(@Nullable BigDecimal value) {
        return value == null ? null : value.stripTrailingZeros().toPlainString();
    }

    private static @Nullable Long micros(@Nullable Instant time) {
        return time == null ? null : ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
