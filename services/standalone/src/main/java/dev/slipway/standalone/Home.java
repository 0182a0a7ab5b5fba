package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.iam.signingkey.KeyCipher;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.standalone.StandaloneMain.StartException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.function.Supplier;

/** The files that the demo leaves in the home directory; for nobody's eyes but the owner's. */
final class Home {
    private final Path directory;

    Home(Path directory) {
        this.directory = directory;
    }

    /** The demo adapter's secret: made once, kept. */
    String adapterSecret() {
        return kept(adapterSecretFile(), () -> {
            var bytes = new byte[32];
            new SecureRandom().nextBytes(bytes);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        });
    }

    /** What the demo's signing keys are encrypted with: made once, kept. */
    String keyEncryptionKey() {
        return kept(directory.resolve("key-encryption.key"), KeyCipher::newKey);
    }

    private String kept(Path file, Supplier<String> make) {
        try {
            if (!Files.exists(file)) {
                writePrivately(file, make.get());
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new StartException("cannot write to " + directory + ": " + e);
        }
    }

    Path adapterSecretFile() {
        return directory.resolve("adapter.secret");
    }

    void write(Demo demo, Platform platform, Addresses addresses) {
        var node = Json.object();
        node.put("base_url", platform.baseUrl());
        node.put("management_url", "http://127.0.0.1:" + platform.managementPort());
        node.put("kafka_bootstrap", addresses.kafkaBootstrap());
        node.put("org_id", Demo.ORG.toString());
        node.put("project_id", Demo.PROJECT.toString());
        node.put("sibling_project_id", Demo.SIBLING_PROJECT.toString());
        node.put("other_org_id", Demo.OTHER_ORG.toString());
        node.put("other_project_id", Demo.OTHER_PROJECT.toString());
        node.put("app_slug", Demo.APP);
        var tokens = node.putObject("tokens");
        try {
            for (var token : demo.tokens().entrySet()) {
                tokens.put(token.getKey(), token.getValue());
                writePrivately(directory.resolve("tokens").resolve(token.getKey()), token.getValue());
            }
            writePrivately(directory.resolve("demo.json"), node.toPrettyString());
        } catch (IOException e) {
            throw new StartException("cannot write to " + directory + ": " + e);
        }
    }

    /** Under a temporary name first: a reader sees the old file or the new one, never half of it. */
    private static void writePrivately(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        var temporary = Files.createTempFile(file.getParent(), ".new", null, owner);
        Files.writeString(temporary, text + "\n");
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
