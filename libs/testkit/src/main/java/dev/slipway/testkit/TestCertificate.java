package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.UUID;

/** A P-256 key with a self-signed certificate as PEM files, created by keytool. */
public record TestCertificate(Path keyFile, Path certificateFile, X509Certificate certificate) {
    private static final String PASSWORD = "for-tests";

    public static TestCertificate in(Path directory) {
        return in(directory, "localhost");
    }

    /** Creates a certificate for a host name or address. */
    public static TestCertificate in(Path directory, String host) {
        var store = directory.resolve("keys.p12");
        try {
            Files.createDirectories(directory);
            var keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "key",
                            "-keyalg",
                            "EC",
                            "-groupname",
                            "secp256r1",
                            "-dname",
                            "CN=" + UUID.randomUUID(), // two that trust each other must not look the same
                            "-ext",
                            "san=" + (host.matches("[0-9.]+") ? "ip:" : "dns:") + host,
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            PASSWORD)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("keytool.txt").toFile())
                    .start();
            if (keytool.waitFor() != 0) {
                throw new AssertionError(Files.readString(directory.resolve("keytool.txt")));
            }
            var keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            var certificate = (X509Certificate) keys.getCertificate("key");
            return new TestCertificate(
                    pem(
                            directory,
                            "PRIVATE KEY",
                            keys.getKey("key", PASSWORD.toCharArray()).getEncoded()),
                    pem(directory, "CERTIFICATE", certificate.getEncoded()),
                    certificate);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Path pem(Path directory, String kind, byte[] bytes) throws IOException {
        var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                directory.resolve(kind.replace(' ', '-') + ".pem"),
                "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
