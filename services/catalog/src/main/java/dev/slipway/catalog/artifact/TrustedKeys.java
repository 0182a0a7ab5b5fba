package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.source.ArtifactSource.ArtifactSignature;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.DsseEnvelope;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

/**
 * Verifies signatures and attestations with the configured public keys (ECDSA, P-256). Each method returns why the verification failed, or
 * null if it succeeded. A verification takes about a millisecond and must not run on an event loop.
 */
public final class TrustedKeys {
    private static final int BITS = 256;

    private final List<ECPublicKey> keys;

    public TrustedKeys(List<ECPublicKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /** Parses a PEM public key. Throws {@link IllegalArgumentException} if it is not a P-256 key. */
    public static ECPublicKey parse(String pem) {
        try {
            var base64 = pem.replaceAll("-----(BEGIN|END) PUBLIC KEY-----|\\s", "");
            var spec = new X509EncodedKeySpec(Base64.getDecoder().decode(base64));
            var key = (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(spec);
            if (key.getParams().getCurve().getField().getFieldSize() != BITS) {
                throw new IllegalArgumentException("the key does not use the curve P-256");
            }
            return key;
        } catch (GeneralSecurityException | ClassCastException e) {
            throw new IllegalArgumentException("not an elliptic-curve public key in PEM format", e);
        }
    }

    /** Succeeds if one of the signatures is valid. */
    @Nullable
    String verifySignatures(Digest digest, List<ArtifactSignature> signatures) {
        if (signatures.isEmpty()) {
            return "the artifact has no signature";
        }
        return firstFailure(signatures.stream()
                .map(artifactSignature -> verify(digest, artifactSignature))
                .toList());
    }

    /** Succeeds if one of the attestations is valid, for this digest, and of an accepted predicate type. */
    @Nullable
    String verifyAttestations(Digest digest, List<byte[]> envelopes, List<String> predicateTypes) {
        if (envelopes.isEmpty()) {
            return "the artifact has no attestation";
        }
        return firstFailure(envelopes.stream()
                .map(envelope -> verify(digest, envelope, predicateTypes))
                .toList());
    }

    private static @Nullable String firstFailure(List<@Nullable String> faults) {
        return faults.stream().anyMatch(Objects::isNull) ? null : faults.get(0);
    }

    private @Nullable String verify(Digest digest, ArtifactSignature artifactSignature) {
        var payload = artifactSignature.payload();
        if (payload == null) {
            return isSignedByTrustedKey("NONEwithECDSA", digest.bytes(), artifactSignature.signature())
                    ? null
                    : "the signature was not made with a trusted key";
        }
        if (!isSignedByTrustedKey("SHA256withECDSA", payload.getBytes(), artifactSignature.signature())) {
            return "the signature was not made with a trusted key";
        }
        var critical = parseOrEmpty(payload.getBytes()).path("critical");
        if (!critical.path("type").asText().equals("cosign container image signature")) {
            return "the signed payload is not a container image signature";
        }
        var subject = critical.path("image").path("docker-manifest-digest").asText();
        return subject.equals(digest.text()) ? null : "the signature is for " + subject + ", not for this artifact";
    }

    private @Nullable String verify(Digest digest, byte[] envelope, List<String> predicateTypes) {
        var dsse = new DsseEnvelope(parseOrEmpty(envelope));
        if (!dsse.payloadType().equals(DsseEnvelope.IN_TOTO)) {
            return "the attestation is not an in-toto statement but " + dsse.payloadType();
        }
        if (!dsse.isSignedBy(keys)) {
            return "the attestation was not signed with a trusted key";
        }
        var statement = parseOrEmpty(dsse.payload());
        if (!statement.path("_type").asText().startsWith("https://in-toto.io/Statement/")) {
            return "the attestation is not an in-toto statement";
        }
        var matches = StreamSupport.stream(statement.path("subject").spliterator(), false)
                .anyMatch(s -> s.path("digest").path("sha256").asText().equals(digest.hex()));
        if (!matches) {
            return "the attestation is not for this artifact";
        }
        var predicate = statement.path("predicateType").asText();
        return predicateTypes.isEmpty() || predicateTypes.contains(predicate)
                ? null
                : "the attestation has predicate type " + predicate + ", but one of " + predicateTypes + " is required";
    }

    private boolean isSignedByTrustedKey(String algorithm, byte[] data, byte[] signature) {
        return keys.stream().anyMatch(key -> {
            try {
                var check = Signature.getInstance(algorithm);
                check.initVerify(key);
                check.update(data);
                return check.verify(signature);
            } catch (GeneralSecurityException e) {
                return false; // malformed signature
            }
        });
    }

    private static JsonNode parseOrEmpty(byte[] bytes) {
        try {
            return Json.parse(bytes);
        } catch (IOException e) {
            return Json.object();
        }
    }
}
