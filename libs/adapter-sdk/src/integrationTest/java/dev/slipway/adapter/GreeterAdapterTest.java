package dev.slipway.adapter;

import dev.slipway.conformance.ConformanceMain;
import dev.slipway.example.GreeterMain;
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

/** Runs the conformance kit on the adapter of docs/build-an-adapter.md, with the profile of the guide. */
class GreeterAdapterTest {
    private static final Path GUIDE = Path.of("../../docs/build-an-adapter.md");

    @TempDir
    Path home;

    /** The other scenarios take long and run with the soak tests. */
    @Test
    void example_passesSelectedScenarios() throws Exception {
        runKit(
                home,
                "--only",
                "happy-path,partial-failure,duplicates,operation,cancel,failed-upgrade,crash-while-upgrading,restart");
    }

    static void runKit(Path home, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of(
                "run",
                "--kafka",
                TestInfrastructure.shared().kafkaBootstrap(),
                "--adapter",
                adapter(),
                "--profile",
                profile(home).toString(),
                "--data",
                home.toString(),
                "--report",
                home.resolve("report.json").toString(),
                "--patience",
                "120",
                "--settle",
                "0.5"));
        arguments.addAll(List.of(more));
        var output = new ByteArrayOutputStream();

        var exitCode = ConformanceMain.run(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));

        var complete = more.length == 0; // a selection of scenarios never passes
        assertThat(exitCode).as(output.toString(StandardCharsets.UTF_8)).isEqualTo(complete ? 0 : 3);
    }

    private static String adapter() {
        return ShortLivedJvm.line(128) + " " + GreeterMain.class.getName();
    }

    private static Path profile(Path home) throws Exception {
        var guide = Files.readString(GUIDE);
        var from = guide.indexOf("```json\n") + "```json\n".length();
        return Files.writeString(home.resolve("greeter.json"), guide.substring(from, guide.indexOf("```", from)));
    }
}
