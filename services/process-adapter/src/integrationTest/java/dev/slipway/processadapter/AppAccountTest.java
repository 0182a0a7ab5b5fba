package dev.slipway.processadapter;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;
import dev.slipway.settings.Settings.InvalidSettingsException;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests the user of apps. For an adapter that is not root, that is its own user. */
class AppAccountTest {
    private static final ProcessSpec PROCESS = ProcessSpec.single(1);
    private static final InstanceSpec SPEC =
            new InstanceSpec(1, "1.0.0", "sleeper", 60, Json.object(), Json.array(), false, List.of(PROCESS));

    private final UUID instance = Ids.next();

    @TempDir
    Path home;

    @AfterEach
    void end() throws Exception {
        ProcessTable.findByInstance(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void app_runsAsUserOfItsOwn_whenAdapterIsRoot() throws Exception {
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        var settings = new Settings(Map.of());
        var account = AppAccount.from(settings, home);
        settings.requireValid();
        var instances = new InstanceDir(home.resolve("instances"), instance);
        instances.write(SPEC);
        var directory = instances.process(PROCESS);

        assertThat(directory.launch(LaunchProfile.of(List.of("sleep", "600")), SPEC, account))
                .isTrue();

        var pid = eventuallyGet(() -> {
            var owner = directory.ownerPid();
            assertThat(owner).isNotNull();
            return owner;
        });
        var expected = ownUid() == 0 ? AppAccount.DEFAULT_UID : ownUid();
        assertThat(Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")))
                .contains("Uid:\t" + expected + "\t" + expected + "\t" + expected + "\t" + expected);
        assertThat(directory.isAlive()).isTrue();
    }

    @Test
    void account_isRefused_whenItCannotBeUsed() throws Exception {
        var secret = Files.createDirectory(
                home.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var settings = new Settings(Map.of(AppAccount.SETTING, "64999"));

        var unused = AppAccount.from(settings, secret);
        assertThatThrownBy(settings::requireValid)
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.errors())
                        .singleElement()
                        .asString()
                        .startsWith(AppAccount.SETTING + "=64999: "));
    }

    @Test
    void launch_isRefusedWithInstructions_whenTheDefaultUserCannotEnterTheHomeDirectory() throws Exception {
        var secret = Files.createDirectory(
                home.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var settings = new Settings(Map.of());

        var account = AppAccount.from(settings, secret);

        settings.requireValid();
        var vertx = Vertx.vertx();
        try {
            var launcher = new ProcessLauncher(
                    vertx, secret, 1, Map.of("sleeper", LaunchProfile.of(List.of("sleep", "600"))), account);
            var refusal = launcher.validate(SPEC);
            if (ownUid() == 0) {
                assertThat(String.valueOf(refusal))
                        .contains("SLIPWAY_PROCESS_ADAPTER_HOME", "SLIPWAY_PROCESS_ADAPTER_UID=0")
                        .doesNotContain(secret.toString());
            } else {
                assertThat(refusal).as("the adapter's own user").isNull();
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    private static int ownUid() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }
}
