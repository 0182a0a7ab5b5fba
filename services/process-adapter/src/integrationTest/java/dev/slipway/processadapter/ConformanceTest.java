package dev.slipway.processadapter;

import dev.slipway.conformance.ConformanceMain;
import dev.slipway.testkit.ShortLivedJvm;
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

/** The adapter takes the same test as anybody's, as a process of its own. */
class ConformanceTest {
    @TempDir
    Path home;

    /** The rest takes long; it is run with the soak tests. */
    @Test
    void adapter_passesTheKit() throws Exception {
        passesTheKit(
                home,
                "--only",
                "happy-path,duplicates,delete-during-create,crash-while-deploying,restart,upgrade,members,operation,usage");
    }

    static void passesTheKit(Path home, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of(
                "run",
                "--kafka",
                TestInfrastructure.shared().kafkaBootstrap(),
                "--adapter",
                adapter(home),
                "--effects",
                "grep -lsxz '" + Processes.MARK + "={app_instance_id}' /proc/[0-9]*/environ",
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

        assertThat(exitCode).as(output.toString(StandardCharsets.UTF_8)).isZero();
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

    /** A member that comes back under its name has its partitions at once: no crash waits for a session to end. */
    private static Path client(Path home) throws Exception {
        return Files.writeString(home.resolve("client.properties"), "group.instance.id=conformance\n");
    }
}
