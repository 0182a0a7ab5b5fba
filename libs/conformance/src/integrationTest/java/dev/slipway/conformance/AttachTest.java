package dev.slipway.conformance;

import dev.slipway.conformance.seeded.FakeCluster;
import dev.slipway.conformance.seeded.SeededAdapter;
import dev.slipway.conformance.seeded.SeededBug;
import dev.slipway.testkit.ChildProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests an adapter that is started manually with the environment that the kit prints. */
class AttachTest {
    @TempDir
    Path home;

    @Test
    void run_skipsCrashScenarios_andLeavesTheProcessAlive_whenAdapterIsAttached() throws Exception {
        var attached = SeededRun.attach(home, List.of("--only", "happy-path,crash-while-running", "--settle", "0.2"));
        try (var cluster = new FakeCluster();
                var adapter = new ChildProcess(
                        home.resolve("adapter"),
                        attached.environment(),
                        System.getProperty("java.class.path"),
                        SeededAdapter.class.getName(),
                        SeededBug.NONE.name(),
                        cluster.url())) {
            var run = attached.await();

            assertThat(adapter.isAlive()).isTrue();
            assertThat(run.exitCode()).as(run.output()).isEqualTo(3);
            var report = run.signed().path("report");
            assertThat(report.path("passed").asBoolean()).isFalse();
            assertThat(report.path("scenarios"))
                    .extracting(result -> result.path("verdict").asText())
                    .containsExactly("passed", "not run");
        }
    }
}
