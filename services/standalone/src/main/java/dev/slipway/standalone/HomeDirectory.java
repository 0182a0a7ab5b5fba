package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.service.KeyCipher;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.standalone.StandaloneMain.StartException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

/** The files that the demo writes to the home directory. Only their owner can read them. */
final class HomeDirectory {
    private final Path directory;

    HomeDirectory(Path directory) {
        this.directory = directory;
    }

    /** Returns the secret of the demo adapter, which is created at the first start. */
    String adapterSecret() {
        return readOrCreate(adapterSecretFile(), () -> {
            var bytes = new byte[32];
            new SecureRandom().nextBytes(bytes);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        });
    }

    /** Returns the key that encrypts the signing keys of the demo, which is created at the first start. */
    String keyEncryptionKey() {
        return readOrCreate(directory.resolve("key-encryption.key"), KeyCipher::generateKey);
    }

    private String readOrCreate(Path file, Supplier<String> make) {
        try {
            if (!Files.exists(file)) {
                writeOwnerOnly(file, make.get());
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new StartException("cannot write to " + directory + ": " + e);
        }
    }

    Path adapterSecretFile() {
        return directory.resolve("adapter.secret");
    }

    /** The content of {@code demo.json}. */
    private record DemoFile(
            @Nullable String baseUrl,
            String managementUrl,
            String kafkaBootstrap,
            KafkaClientFiles.@Nullable Login kafka,
            UUID orgId,
            UUID projectId,
            UUID siblingProjectId,
            UUID otherOrgId,
            UUID otherProjectId,
            String appSlug,
            Map<String, String> tokens) {}

    /** {@code kafka} is the login of the demo at the embedded broker, and null for an external one. */
    void writeDemoFiles(DemoData demo, Platform platform, Addresses addresses, KafkaClientFiles.@Nullable Login kafka) {
        var tokens = demo.tokens();
        var file = new DemoFile(
                platform.baseUrl(),
                "http://127.0.0.1:" + platform.managementPort(),
                addresses.kafkaBootstrap(),
                kafka,
                DemoData.ORG,
                DemoData.PROJECT,
                DemoData.SIBLING_PROJECT,
                DemoData.OTHER_ORG,
                DemoData.OTHER_PROJECT,
                DemoData.APP,
                tokens);
        try {
            for (var token : tokens.entrySet()) {
                writeOwnerOnly(directory.resolve("tokens").resolve(token.getKey()), token.getValue());
            }
            writeOwnerOnly(directory.resolve("demo.json"), Json.toObject(file).toPrettyString());
        } catch (IOException e) {
            throw new StartException("cannot write to " + directory + ": " + e);
        }
    }

    /** Writes to a temporary file first: readers see the old file or the new one, never a part of it. */
    static void writeOwnerOnly(Path file, String text) throws IOException {
        var parent = Objects.requireNonNull(file.getParent());
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(
                    parent, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var temporary = Files.createTempFile(parent, ".new", null, owner);
        Files.writeString(temporary, text + "\n");
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
