package dev.slipway.processadapter;

import dev.slipway.conformance.ConformanceMain;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.TemporaryDirectory;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the conformance kit on the adapter as a separate process. */
class ConformanceTest {
    @TempDir
    Path home;

    /** The other scenarios take long and run with the soak tests. */
    @Test
    void adapter_passesSelectedScenarios() throws Exception {
        runKit(
                home,
                "--only",
                "happy-path,unknown-records,duplicates,delete-during-create,delete-during-operation,crash-while-deploying,"
                        + "crash-while-running,restart,upgrade,members,operation,usage,shared-runtime,crash-of-shared-runtime");
    }

    static void runKit(Path home, String... more) throws Exception {
        TemporaryDirectory.openToOthers(home);
        var arguments = new ArrayList<>(List.of(
                "run",
                "--kafka",
                TestInfrastructure.shared().kafkaBootstrap(),
                "--adapter",
                adapter(home),
                "--effects",
                "grep -lsxz '" + ProcessTable.INSTANCE_VARIABLE + "={app_instance_id}' /proc/[0-9]*/environ",
                "--data",
                home.toString(),
                "--report",
                home.resolve("report.json").toString(),
                "--patience",
                "120",
                "--settle",
                "1"));
        arguments.addAll(List.of(more));
        var output = new ByteArrayOutputStream();

        var exitCode = ConformanceMain.run(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));

        var complete = more.length == 0; // a selection of scenarios never passes
        assertThat(exitCode).as(output.toString(StandardCharsets.UTF_8)).isEqualTo(complete ? 0 : 3);
    }

    private static String adapter(Path home) throws Exception {
        return String.join(
                " ",
                "env",
                "SLIPWAY_PROCESS_ADAPTER_HOME=\"$SLIPWAY_ADAPTER_DATA_DIR\"",
                "SLIPWAY_KAFKA_CLIENT_FILE=" + client(home),
                ShortLivedJvm.line(128),
                ProcessAdapterMain.class.getName());
    }

    /** With static group membership a restarted adapter gets its partitions without waiting for a session timeout. */
    private static Path client(Path home) throws Exception {
        return Files.writeString(home.resolve("client.properties"), "group.instance.id=conformance\n");
    }
}
