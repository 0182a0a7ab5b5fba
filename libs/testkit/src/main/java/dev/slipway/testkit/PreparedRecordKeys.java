package dev.slipway.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Record keys for platforms in other processes. Generating them takes more than half of the processor time of a first start there,
 * and milliseconds here, with a native library.
 */
public final class PreparedRecordKeys {
    private static final List<String> SERVICES = List.of("iam", "catalog", "instances", "audit", "metering", "tenants");

    private static final Map<String, String> PEM_BY_SERVICE =
            SERVICES.stream().collect(Collectors.toMap(service -> service, service -> newKey()));

    private PreparedRecordKeys() {}

    /** Creates the directory with the keys, if it does not exist, and returns it. */
    public static Path in(Path directory) {
        try {
            if (!Files.exists(directory)) {
                Files.createDirectories(directory.getParent());
                var ownerOnly = PosixFilePermissions.fromString("rwx------");
                Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(ownerOnly));
                for (var entry : PEM_BY_SERVICE.entrySet()) {
                    Files.writeString(directory.resolve(entry.getKey() + ".key"), entry.getValue());
                }
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String newKey() {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            var key = generator.generateKeyPair().getPrivate().getEncoded();
            var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
            return "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no RSA", e);
        }
    }
}
