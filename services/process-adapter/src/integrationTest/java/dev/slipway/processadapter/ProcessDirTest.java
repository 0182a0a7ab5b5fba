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

import static dev.slipway.processadapter.ProcessTestSupport.pids;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class ProcessDirTest {
    private static final LaunchProfile SLEEPER = LaunchProfile.of(List.of("sleep", "600"));

    @TempDir
    Path home;

    private final UUID instance = Ids.next();
    private final ProcessSpec processSpec = ProcessSpec.single(1);
    private final InstanceSpec spec =
            new InstanceSpec(1, "1.0.0", "sleeper", 60, Json.object(), Json.array(), false, List.of(processSpec));

    @AfterEach
    void end() throws Exception {
        ProcessTable.findByInstance(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    private ProcessDir directory() throws Exception {
        var directory = new InstanceDir(home, instance);
        directory.write(spec);
        return directory.process(processSpec);
    }

    private Path file(String name) throws Exception {
        var file = home.resolve(instance.toString()).resolve(processSpec.key()).resolve(name);
        Files.createDirectories(file.getParent());
        return file;
    }

    /** Two independent launches, as after a crash between fork and claim. */
    @RepeatedTest(20)
    void launch_leavesOneProcess_whenTwoAreConcurrent() throws Exception {
        var together = new CyclicBarrier(2);
        var threads = Executors.newFixedThreadPool(2);
        try {
            var launches = List.of(directory(), directory()).stream()
                    .map(directory -> threads.submit(() -> {
                        together.await(10, TimeUnit.SECONDS);
                        return directory.launch(SLEEPER, spec, AppAccount.OWN);
                    }))
                    .toList();
            for (var launch : launches) {
                launch.get(10, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdown();
        }

        // Both are children of this JVM: the loser has exited when one is left.
        eventually(() ->
                assertThat(ProcessHandle.current().children().count() == 1).isTrue());
        // The winner has children for a moment while it claims the directory.
        eventually(() -> assertThat(pids(instance))
                .containsExactly(Long.parseLong(Files.readString(file("pid")).strip())));
        assertThat(directory().isAlive()).isTrue();
    }

    @Test
    void isAlive_isFalse_whenPidIsReused() throws Exception {
        var directory = directory();
        Files.writeString(file("pid"), ProcessHandle.current().pid() + "\n");

        assertThat(directory.isAlive()).isFalse();
        assertThat(directory.launch(SLEEPER, spec, AppAccount.OWN)).isTrue();
        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(pids(instance)).doesNotContain(ProcessHandle.current().pid());
    }

    @Test
    void launch_doesNothing_whenProcessRuns() throws Exception {
        assertThat(directory().launch(SLEEPER, spec, AppAccount.OWN)).isTrue();
        eventually(() -> assertThat(Files.exists(file("pid"))).isTrue());

        assertThat(directory().launch(SLEEPER, spec, AppAccount.OWN)).isFalse();

        eventually(() -> assertThat(pids(instance).size() == 1).isTrue());
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .hasSize(1);
    }

    @Test
    void launch_doesNotPassOnTheAdaptersEnvironment() throws Exception {
        assertThat(directory().launch(shell("env > env.txt; exec sleep 600", ProcessLimits.NONE), spec, AppAccount.OWN))
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

    private static LaunchProfile shell(String script, ProcessLimits limits) {
        return new LaunchProfile(List.of("sh", "-c", script), Map.of(), limits, Map.of(), null);
    }

    @Test
    void launch_appliesResourceLimits() throws Exception {
        var script = "{ ulimit -v; ulimit -n; ulimit -c; nice; } > limits.tmp; mv limits.tmp limits; exec sleep 600";
        assertThat(directory().launch(shell(script, new ProcessLimits(512, 64, 7)), spec, AppAccount.OWN))
                .isTrue();
        eventually(() -> assertThat(Files.exists(file("limits"))).isTrue());

        assertThat(Files.readAllLines(file("limits"))).containsExactly("524288", "64", "0", "7");
    }

    @Test
    void rotateLog_keepsPreviousFile_whenLogIsTooLarge() throws Exception {
        var directory = directory();
        Files.write(file("log"), new byte[(8 << 20) + 1]);

        directory.rotateLog();

        assertThat(file("log")).isEmptyFile();
        assertThat(file("log.1")).hasSize((8 << 20) + 1);
    }
}
