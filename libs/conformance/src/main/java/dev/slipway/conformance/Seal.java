package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/** Signs a report with Ed25519 over its canonical JSON, and verifies one. */
final class Seal {
    private static final String ALGORITHM = "Ed25519";
    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";

    private final KeyPair keys;

    private Seal(KeyPair keys) {
        this.keys = keys;
    }

    /** A key that is used once. */
    static Seal generated() throws GeneralSecurityException {
        return new Seal(KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair());
    }

    /** The key of a PEM file that has both halves; makes the file where it is missing. */
    static Seal of(Path file) throws IOException, GeneralSecurityException {
        if (!Files.exists(file)) {
            var made = generated();
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(
                    file,
                    pem(PRIVATE, made.keys.getPrivate().getEncoded())
                            + pem(PUBLIC, made.keys.getPublic().getEncoded()));
            return made;
        }
        var text = Files.readString(file);
        PrivateKey secret =
                KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(block(file, text, PRIVATE)));
        return new Seal(new KeyPair(publicKey(block(file, text, PUBLIC)), secret));
    }

    ObjectNode sign(ObjectNode report) throws GeneralSecurityException {
        var signature = Signature.getInstance(ALGORITHM);
        signature.initSign(keys.getPrivate());
        signature.update(CanonicalJson.bytes(report));
        var sealed = Json.object();
        sealed.set("report", report);
        sealed.putObject("signature")
                .put("algorithm", ALGORITHM)
                .put(
                        "public_key",
                        Base64.getEncoder().encodeToString(keys.getPublic().getEncoded()))
                .put("value", Base64.getEncoder().encodeToString(signature.sign()));
        return sealed;
    }

    /** Whether the report is as it was signed, by the key that it names. */
    static boolean isIntact(JsonNode sealed) {
        try {
            var signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(publicKey(bytes(sealed, "public_key")));
            signature.update(CanonicalJson.bytes(sealed.path("report")));
            return sealed.path("signature").path("algorithm").asText().equals(ALGORITHM)
                    && signature.verify(bytes(sealed, "value"));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    /** The fingerprint of the key that a report names, by which one knows whose it is. */
    static String fingerprint(JsonNode sealed) {
        try {
            return "SHA256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(sealed, "public_key")));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private static byte[] bytes(JsonNode sealed, String field) {
        return Base64.getDecoder().decode(sealed.path("signature").path(field).asText());
    }

    private static PublicKey publicKey(byte[] encoded) throws GeneralSecurityException {
        return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
    }

    private static String pem(String name, byte[] bytes) {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(bytes);
        return "-----BEGIN " + name + "-----\n" + lines + "\n-----END " + name + "-----\n";
    }

    private static byte[] block(Path file, String text, String name) throws IOException {
        var begin = "-----BEGIN " + name + "-----";
        var from = text.indexOf(begin);
        var to = text.indexOf("-----END " + name + "-----");
        if (from < 0 || to < from) {
            throw new IOException(file + " has no " + name + "; openssl pkey -in " + file + " -pubout >> " + file
                    + " adds the public half");
        }
        return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    }
}
