package dev.slipway.processadapter;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static dev.slipway.processadapter.Awaiting.pids;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class InstanceDirTest {
    private static final List<String> SLEEPER = List.of("sleep", "600");

    @TempDir
    Path home;

    private final UUID instance = Ids.next();
    private final Spec spec = new Spec(1, "sleeper", 60, Json.object());

    @AfterEach
    void end() throws Exception {
        Processes.of(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    private InstanceDir directory() throws Exception {
        var directory = new InstanceDir(home, instance);
        directory.write(spec);
        return directory;
    }

    /** As after kill -9 between fork and claim: two launches that know nothing of each other. */
    @RepeatedTest(20)
    void launch_leavesOneProcess_whenTwoAreOnTheirWay() throws Exception {
        var together = new CyclicBarrier(2);
        var threads = Executors.newFixedThreadPool(2);
        try {
            var launches = List.of(directory(), directory()).stream()
                    .map(directory -> threads.submit(() -> {
                        together.await(10, TimeUnit.SECONDS);
                        directory.launch(SLEEPER, spec);
                        return null;
                    }))
                    .toList();
            for (var launch : launches) {
                launch.get(10, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }

        // Both are children of this JVM: the one that lost has ended when there is one left.
        eventually(() ->
                assertThat(ProcessHandle.current().children().count() == 1).isTrue());
        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(pids(instance))
                .containsExactly(Long.parseLong(
                        Files.readString(home.resolve(instance + "/pid")).strip()));
        assertThat(directory().isAlive()).isTrue();
    }

    @Test
    void isAlive_isFalse_whenThePidIsSomebodyElsesNow() throws Exception {
        var directory = directory();
        Files.writeString(
                home.resolve(instance + "/pid"), ProcessHandle.current().pid() + "\n");

        assertThat(directory.isAlive()).isFalse();
        directory.launch(SLEEPER, spec);
        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(pids(instance)).doesNotContain(ProcessHandle.current().pid());
    }

    @Test
    void launch_doesNothing_whenTheProcessRuns() throws Exception {
        directory().launch(SLEEPER, spec);
        eventually(
                () -> assertThat(Files.exists(home.resolve(instance + "/pid"))).isTrue());

        directory().launch(SLEEPER, spec);

        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .hasSize(1);
    }

    @Test
    void launch_keepsTheAdaptersEnvironmentFromTheApp() throws Exception {
        directory().launch(List.of("sh", "-c", "env > env.txt; exec sleep 600"), spec);
        var file = home.resolve(instance + "/env.txt");
        eventually(() -> assertThat(Files.exists(file) && Files.readString(file).contains("SLIPWAY_APP_INSTANCE_ID"))
                .isTrue());

        var names = Files.readAllLines(file).stream()
                .map(line -> line.substring(0, line.indexOf('=')))
                .toList();
        assertThat(names).isSubsetOf("PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_", "SLIPWAY_APP_INSTANCE_ID");
    }

    @Test
    void boundLog_startsItAnew_whenItIsTooLong() throws Exception {
        var directory = directory();
        var log = home.resolve(instance + "/log");
        Files.write(log, new byte[(8 << 20) + 1]);

        directory.boundLog();

        assertThat(log).isEmptyFile();
    }
}
