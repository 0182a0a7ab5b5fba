package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import java.util.Collection;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A DSSE envelope: a payload with its type, and signatures over both. */
public final class DsseEnvelope {
    /** The payload type of an in-toto statement. */
    public static final String IN_TOTO = "application/vnd.in-toto+json";

    private static final int MAX_SIGNATURES = 16;

    private final JsonNode envelope;

    public DsseEnvelope(JsonNode envelope) {
        this.envelope = envelope;
    }

    public String payloadType() {
        return envelope.path("payloadType").asText();
    }

    /** Returns whether the payload and all signatures that count are Base64. */
    public boolean isWellFormed() {
        return isBase64(envelope.path("payload").asText()) && signatures().allMatch(DsseEnvelope::isBase64);
    }

    /** Returns the decoded payload. Throws {@link IllegalArgumentException} if it is not Base64. */
    public byte[] payload() {
        return Base64.getDecoder().decode(envelope.path("payload").asText());
    }

    /** Returns whether one of the first 16 signatures was made with one of the keys: Ed25519, ECDSA or RSA, the latter two with SHA-256. */
    public boolean isSignedBy(Collection<? extends PublicKey> keys) {
        if (!isBase64(envelope.path("payload").asText())) {
            return false;
        }
        var signed = preAuthEncoding();
        return signatures()
                .filter(DsseEnvelope::isBase64)
                .map(Base64.getDecoder()::decode)
                .anyMatch(signature -> keys.stream().anyMatch(key -> isValid(key, signed, signature)));
    }

    private Stream<String> signatures() {
        return StreamSupport.stream(envelope.path("signatures").spliterator(), false)
                .limit(MAX_SIGNATURES)
                .map(signature -> signature.path("sig").asText());
    }

    private static boolean isBase64(String text) {
        try {
            var unused = Base64.getDecoder().decode(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isValid(PublicKey key, byte[] signed, byte[] signature) {
        try {
            var check = Signature.getInstance(
                    switch (key.getAlgorithm()) {
                        case "EC" -> "SHA256withECDSA";
                        case "RSA" -> "SHA256withRSA";
                        default -> "Ed25519";
                    });
            check.initVerify(key);
            check.update(signed);
            return check.verify(signature);
        } catch (GeneralSecurityException e) {
            return false; // malformed signature
        }
    }

    /** Returns the bytes that are signed; the encoding protects the payload type. */
    private byte[] preAuthEncoding() {
        var bytes = new ByteArrayOutputStream();
        var type = payloadType().getBytes(StandardCharsets.UTF_8);
        var payload = payload();
        bytes.writeBytes(("DSSEv1 " + type.length + " ").getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(type);
        bytes.writeBytes((" " + payload.length + " ").getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }
}
