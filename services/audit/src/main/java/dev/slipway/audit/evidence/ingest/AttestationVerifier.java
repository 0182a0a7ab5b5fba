package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.DsseEnvelope;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Reads DSSE envelopes with in-toto statements. With trusted keys, only attestations that one of them has signed are accepted. */
public final class AttestationVerifier {
    private static final String CONTENT = "/content";

    private final List<PublicKey> trustedKeys;

    public AttestationVerifier(List<PublicKey> trustedKeys) {
        this.trustedKeys = List.copyOf(trustedKeys);
    }

    /** Parses a public key: X.509 in PEM or Base64, of Ed25519, ECDSA or RSA. */
    public static PublicKey parseKey(String text) {
        var base64 = text.replaceAll("-----(?:BEGIN|END) PUBLIC KEY-----|\\s", "");
        var spec = new X509EncodedKeySpec(Base64.getDecoder().decode(base64));
        for (var algorithm : List.of("Ed25519", "EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePublic(spec);
            } catch (GeneralSecurityException e) {
                // a key of another algorithm
            }
        }
        throw new IllegalArgumentException("not a public key of Ed25519, ECDSA or RSA");
    }

    EvidenceContent read(JsonNode envelope) {
        var dsse = new DsseEnvelope(envelope);
        if (!dsse.payloadType().equals(DsseEnvelope.IN_TOTO)) {
            throw new EvidenceException(CONTENT, "is not a DSSE envelope with an in-toto statement");
        }
        if (!dsse.isWellFormed()) {
            throw new EvidenceException(CONTENT, "has a payload or signature that is not Base64");
        }
        var verified = dsse.isSignedBy(trustedKeys);
        if (!verified && !trustedKeys.isEmpty()) {
            throw new EvidenceException(CONTENT, "is not signed with a trusted key");
        }
        var statement = parse(dsse.payload());
        SecretScanner.requireNoSecret(CONTENT + "/payload", statement);
        if (!statement.path("_type").asText().startsWith("https://in-toto.io/Statement/")) {
            throw new EvidenceException(CONTENT, "does not contain an in-toto statement");
        }
        var fields = Json.object()
                .put("predicate_type", statement.path("predicateType").asText());
        var digests = fields.putArray("digests");
        statement.path("subject").forEach(subject -> {
            var sha256 = subject.at("/digest/sha256").asText();
            if (!sha256.isEmpty()) {
                digests.add("sha256:" + sha256);
            }
        });
        return EvidenceContent.ofJson(envelope, null, verified ? "verified" : "unverified", fields);
    }

    private static JsonNode parse(byte[] payload) {
        try {
            return Json.parse(payload);
        } catch (IOException e) {
            throw new EvidenceException(CONTENT, "has a payload that is not JSON");
        }
    }
}
