package dev.slipway.testkit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/** Signs artifacts like cosign: with a P-256 key, simple signing payloads and DSSE envelopes. */
public final class ArtifactSigner {
    private static final String IN_TOTO = "application/vnd.in-toto+json";

    private final KeyPair keys;

    public ArtifactSigner() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            keys = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public ECPublicKey publicKey() {
        return (ECPublicKey) keys.getPublic();
    }

    public String publicKeyPem() {
        var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(keys.getPublic().getEncoded());
        return "-----BEGIN PUBLIC KEY-----\n" + base64 + "\n-----END PUBLIC KEY-----\n";
    }

    /** Returns the payload that is signed for an artifact. */
    public static byte[] payload(String reference, String digest) {
        var payload = Json.object();
        var critical = payload.putObject("critical");
        critical.putObject("identity").put("docker-reference", reference);
        critical.putObject("image").put("docker-manifest-digest", digest);
        critical.put("type", "cosign container image signature");
        payload.putNull("optional");
        return Json.bytes(payload);
    }

    public byte[] sign(byte[] bytes) {
        try {
            var signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(bytes);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a DSSE envelope with an in-toto statement about the digest. */
    public ObjectNode attestation(String digest, String predicateType) {
        var statement =
                Json.object().put("_type", "https://in-toto.io/Statement/v1").put("predicateType", predicateType);
        var subject = statement.putArray("subject").addObject().put("name", "artifact");
        subject.putObject("digest").put("sha256", digest.substring("sha256:".length()));
        statement.putObject("predicate").put("buildType", "https://example.com/build/v1");
        var payload = Json.bytes(statement);
        var envelope = Json.object()
                .put("payloadType", IN_TOTO)
                .put("payload", Base64.getEncoder().encodeToString(payload));
        envelope.putArray("signatures")
                .addObject()
                .put("keyid", "")
                .put("sig", Base64.getEncoder().encodeToString(sign(preAuthentication(payload))));
        return envelope;
    }

    private static byte[] preAuthentication(byte[] payload) {
        var bytes = new ByteArrayOutputStream();
        var head = "DSSEv1 " + IN_TOTO.length() + " " + IN_TOTO + " " + payload.length + " ";
        bytes.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }
}
