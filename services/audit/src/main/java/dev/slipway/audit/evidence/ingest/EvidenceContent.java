package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.CanonicalJson;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The content of evidence, as it is stored, and what its format says about it.
 *
 * @param bytes the canonical form of JSON (RFC 8785), or the bytes of a text
 * @param subject the subject of the format, if the caller names none
 * @param result the result that the content determines; null if it determines none
 * @param fields the fields that the content determines
 */
public record EvidenceContent(
        byte[] bytes,
        String digest,
        @Nullable String subject,
        @Nullable String result,
        ObjectNode fields) {

    static EvidenceContent ofJson(
            JsonNode content, @Nullable String subject, @Nullable String result, ObjectNode fields) {
        return of(CanonicalJson.bytes(content), subject, result, fields);
    }

    static EvidenceContent of(byte[] bytes, @Nullable String subject, @Nullable String result, ObjectNode fields) {
        var digest = digest(bytes);
        if (!fields.has("report_ref")) {
            fields.put("report_ref", digest);
        }
        return new EvidenceContent(bytes, digest, subject, result, fields);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns {@code sha256:} and the hexadecimal digest. */
    public static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
