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
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static dev.slipway.processadapter.Awaiting.pids;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class ProcessDirTest {
    private static final Profile SLEEPER = Profile.of(List.of("sleep", "600"));

    @TempDir
    Path home;

    private final UUID instance = Ids.next();
    private final Part part = Part.alone(1);
    private final Spec spec = new Spec(1, "1.0.0", "sleeper", 60, Json.object(), Json.array(), false, List.of(part));

    @AfterEach
    void end() throws Exception {
        Processes.of(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    private ProcessDir directory() throws Exception {
        var directory = new InstanceDir(home, instance);
        directory.write(spec);
        return directory.process(part);
    }

    private Path file(String name) throws Exception {
        var file = home.resolve(instance.toString()).resolve(part.key()).resolve(name);
        Files.createDirectories(file.getParent());
        return file;
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
                        return directory.launch(SLEEPER, spec);
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
        // The one that won has children for a moment, while it claims the directory.
        eventually(() -> assertThat(pids(instance))
                .containsExactly(Long.parseLong(Files.readString(file("pid")).strip())));
        assertThat(directory().isAlive()).isTrue();
    }

    @Test
    void isAlive_isFalse_whenThePidIsSomebodyElsesNow() throws Exception {
        var directory = directory();
        Files.writeString(file("pid"), ProcessHandle.current().pid() + "\n");

        assertThat(directory.isAlive()).isFalse();
        assertThat(directory.launch(SLEEPER, spec)).isTrue();
        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(pids(instance)).doesNotContain(ProcessHandle.current().pid());
    }

    @Test
    void launch_doesNothing_whenTheProcessRuns() throws Exception {
        assertThat(directory().launch(SLEEPER, spec)).isTrue();
        eventually(() -> assertThat(Files.exists(file("pid"))).isTrue());

        assertThat(directory().launch(SLEEPER, spec)).isFalse();

        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .hasSize(1);
    }

    @Test
    void launch_keepsTheAdaptersEnvironmentFromTheApp() throws Exception {
        assertThat(directory().launch(shell("env > env.txt; exec sleep 600", Limits.NONE), spec))
                .isTrue();
        var file = file("env.txt");
        eventually(() -> assertThat(Files.exists(file) && Files.readString(file).contains("SLIPWAY_APP_INSTANCE_ID"))
                .isTrue());

        var names = Files.readAllLines(file).stream()
                .map(line -> line.substring(0, line.indexOf('=')))
                .toList();
        assertThat(names)
                .filteredOn(name -> !name.startsWith("SLIPWAY_"))
                .isSubsetOf("PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_");
        assertThat(names)
                .filteredOn(name -> name.startsWith("SLIPWAY_"))
                .containsExactlyInAnyOrder(
                        "SLIPWAY_APP_INSTANCE_ID",
                        "SLIPWAY_APP_VERSION",
                        "SLIPWAY_COMPONENT",
                        "SLIPWAY_MEMBER_ID",
                        "SLIPWAY_PROCESS");
    }

    private static Profile shell(String script, Limits limits) {
        return new Profile(List.of("sh", "-c", script), Map.of(), limits, Map.of());
    }

    @Test
    void launch_limitsWhatTheProcessMayUse() throws Exception {
        var script = "{ ulimit -v; ulimit -n; ulimit -c; nice; } > limits.tmp; mv limits.tmp limits; exec sleep 600";
        assertThat(directory().launch(shell(script, new Limits(512, 64, 7)), spec))
                .isTrue();
        eventually(() -> assertThat(Files.exists(file("limits"))).isTrue());

        assertThat(Files.readAllLines(file("limits"))).containsExactly("524288", "64", "0", "7");
    }

    @Test
    void boundLog_keepsTheLastPart_whenItIsTooLong() throws Exception {
        var directory = directory();
        Files.write(file("log"), new byte[(8 << 20) + 1]);

        directory.boundLog();

        assertThat(file("log")).isEmptyFile();
        assertThat(file("log.1")).hasSize((8 << 20) + 1);
    }
}
