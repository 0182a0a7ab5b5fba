package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.source.ArtifactSource.Signed;
import dev.slipway.catalog.source.domain.Digest;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * Whose signatures count: elliptic-curve keys (P-256) that the operator configured. Nobody is asked about them, and nothing that comes with
 * a signature can add one. Each check answers why it fails; null is a success. They take about a millisecond: not for an event loop.
 */
public final class TrustedKeys {
    private static final String IN_TOTO = "application/vnd.in-toto+json";
    private static final int BITS = 256;

    private final List<ECPublicKey> keys;

    public TrustedKeys(List<ECPublicKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /** Reads a PEM public key; throws an {@link IllegalArgumentException} if it is none of the curve P-256. */
    public static ECPublicKey parse(String pem) {
        try {
            var base64 = pem.replaceAll("-----(BEGIN|END) PUBLIC KEY-----|\\s", "");
            var spec = new X509EncodedKeySpec(Base64.getDecoder().decode(base64));
            var key = (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(spec);
            if (key.getParams().getCurve().getField().getFieldSize() != BITS) {
                throw new IllegalArgumentException("the key is not of the curve P-256");
            }
            return key;
        } catch (GeneralSecurityException | ClassCastException e) {
            throw new IllegalArgumentException("not an elliptic-curve public key in PEM", e);
        }
    }

    /** One good signature is enough. */
    @Nullable
    String signatureFault(Digest digest, List<Signed> signatures) {
        if (signatures.isEmpty()) {
            return "there is no signature beside the artifact";
        }
        return firstFault(
                signatures.stream().map(signed -> fault(digest, signed)).toList());
    }

    /** One good attestation is enough; it must be about this digest, and say one of the things that are asked for. */
    @Nullable
    String attestationFault(Digest digest, List<byte[]> envelopes, List<String> predicateTypes) {
        if (envelopes.isEmpty()) {
            return "there is no attestation beside the artifact";
        }
        return firstFault(envelopes.stream()
                .map(envelope -> fault(digest, envelope, predicateTypes))
                .toList());
    }

    /** Of many, the first that fits makes up for the others. */
    private static @Nullable String firstFault(List<@Nullable String> faults) {
        return faults.stream().anyMatch(Objects::isNull) ? null : faults.get(0);
    }

    private @Nullable String fault(Digest digest, Signed signed) {
        var payload = signed.payload();
        if (payload == null) {
            return isSigned("NONEwithECDSA", digest.bytes(), signed.signature())
                    ? null
                    : "the signature is by none of the trusted keys";
        }
        if (!isSigned("SHA256withECDSA", payload.getBytes(), signed.signature())) {
            return "the signature is by none of the trusted keys";
        }
        var critical = parsed(payload.getBytes()).path("critical");
        if (!critical.path("type").asText().equals("cosign container image signature")) {
            return "the signed payload is not that of an artifact's signature";
        }
        var about = critical.path("image").path("docker-manifest-digest").asText();
        return about.equals(digest.text()) ? null : "the signature is of " + about + ", not of this artifact";
    }

    private @Nullable String fault(Digest digest, byte[] envelope, List<String> predicateTypes) {
        var dsse = parsed(envelope);
        var type = dsse.path("payloadType").asText();
        var payload = decoded(dsse.path("payload").asText());
        if (!type.equals(IN_TOTO)) {
            return "the attestation is not an in-toto statement but " + type;
        }
        var signed = StreamSupport.stream(dsse.path("signatures").spliterator(), false)
                .limit(16)
                .anyMatch(s -> isSigned(
                        "SHA256withECDSA",
                        preAuthentication(type, payload),
                        decoded(s.path("sig").asText())));
        if (!signed) {
            return "the attestation is signed by none of the trusted keys";
        }
        var statement = parsed(payload);
        if (!statement.path("_type").asText().startsWith("https://in-toto.io/Statement/")) {
            return "the attestation is not an in-toto statement";
        }
        var about = StreamSupport.stream(statement.path("subject").spliterator(), false)
                .anyMatch(s -> s.path("digest").path("sha256").asText().equals(digest.hex()));
        if (!about) {
            return "the attestation is not about this artifact";
        }
        var predicate = statement.path("predicateType").asText();
        return predicateTypes.isEmpty() || predicateTypes.contains(predicate)
                ? null
                : "the attestation says " + predicate + ", and one of " + predicateTypes + " is asked for";
    }

    private boolean isSigned(String algorithm, byte[] data, byte[] signature) {
        return keys.stream().anyMatch(key -> {
            try {
                var check = Signature.getInstance(algorithm);
                check.initVerify(key);
                check.update(data);
                return check.verify(signature);
            } catch (GeneralSecurityException e) {
                return false; // what cannot be a signature is none
            }
        });
    }

    /** What DSSE has signed instead of the payload alone, so that its type cannot be exchanged. */
    private static byte[] preAuthentication(String type, byte[] payload) {
        var bytes = new ByteArrayOutputStream();
        var typeBytes = type.getBytes(StandardCharsets.UTF_8);
        bytes.writeBytes(("DSSEv1 " + typeBytes.length + " ").getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(typeBytes);
        bytes.writeBytes((" " + payload.length + " ").getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }

    private static JsonNode parsed(byte[] bytes) {
        try {
            return Json.parse(bytes);
        } catch (IOException e) {
            return Json.object();
        }
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }
}
