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

/** Signs and verifies reports with Ed25519 over their canonical JSON. */
final class ReportSigner {
    private static final String ALGORITHM = "Ed25519";
    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";

    private final KeyPair keys;

    private ReportSigner(KeyPair keys) {
        this.keys = keys;
    }

    /** Creates a signer with a new key. */
    static ReportSigner generate() throws GeneralSecurityException {
        return new ReportSigner(KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair());
    }

    /** Loads a private and a public key from a PEM file; creates the file if it is missing. */
    static ReportSigner load(Path file) throws IOException, GeneralSecurityException {
        if (!Files.exists(file)) {
            var created = generate();
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(
                    file,
                    pem(PRIVATE, created.keys.getPrivate().getEncoded())
                            + pem(PUBLIC, created.keys.getPublic().getEncoded()));
            return created;
        }
        var text = Files.readString(file);
        PrivateKey secret =
                KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(block(file, text, PRIVATE)));
        return new ReportSigner(new KeyPair(publicKey(block(file, text, PUBLIC)), secret));
    }

    ObjectNode sign(ObjectNode report) throws GeneralSecurityException {
        var signature = Signature.getInstance(ALGORITHM);
        signature.initSign(keys.getPrivate());
        signature.update(CanonicalJson.bytes(report));
        return Json.toObject(new SignedReport(
                report,
                new ReportSignature(
                        ALGORITHM,
                        Base64.getEncoder().encodeToString(keys.getPublic().getEncoded()),
                        Base64.getEncoder().encodeToString(signature.sign()))));
    }

    private record SignedReport(ObjectNode report, ReportSignature signature) {}

    private record ReportSignature(String algorithm, String publicKey, String value) {}

    /** Returns whether the signature of the report is valid for the public key that it contains. */
    static boolean isSignatureValid(JsonNode signed) {
        try {
            var signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(publicKey(bytes(signed, "public_key")));
            signature.update(CanonicalJson.bytes(signed.path("report")));
            return signed.path("signature").path("algorithm").asText().equals(ALGORITHM)
                    && signature.verify(bytes(signed, "value"));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the fingerprint of the public key in a signed report. */
    static String fingerprint(JsonNode signed) {
        return fingerprint(bytes(signed, "public_key"));
    }

    /** Returns the fingerprint of the public key in a PEM file. */
    static String fingerprint(Path file) throws IOException {
        return fingerprint(block(file, Files.readString(file), PUBLIC));
    }

    private static String fingerprint(byte[] publicKey) {
        try {
            return "SHA256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(publicKey));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private static byte[] bytes(JsonNode signed, String field) {
        return Base64.getDecoder().decode(signed.path("signature").path(field).asText());
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
                    + " adds the public key");
        }
        return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    }
}
