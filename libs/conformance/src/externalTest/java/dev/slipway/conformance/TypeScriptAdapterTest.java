package dev.slipway.conformance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter in examples/adapter-ts compiles and passes the kit, with the embedded broker. Needs the system packages nodejs and npm. */
class TypeScriptAdapterTest {
    private static final int TIMEOUT_MINUTES = 10;
    private static final Path EXAMPLE = Path.of("../../examples/adapter-ts");

    @TempDir
    static Path home;

    @Test
    void adapter_passesTheKit() throws Exception {
        var directory = Files.createDirectories(home.resolve("adapter-ts"));
        copySources(directory);
        run(directory, "npm", "install", "--no-audit", "--no-fund");
        run(directory, "node_modules/.bin/tsc");
        var output = new ByteArrayOutputStream();

        var exitCode = ConformanceMain.run(
                List.of(
                        "run",
                        "--embedded-broker",
                        "--adapter",
                        "node " + directory.resolve("dist/main.js"),
                        "--profile",
                        directory.resolve("profile.json").toString(),
                        "--effects",
                        "grep -lsxz 'SLIPWAY_EXAMPLE_INSTANCE={app_instance_id}' /proc/[0-9]*/environ",
                        "--data",
                        home.resolve("kit").toString(),
                        "--report",
                        home.resolve("report.json").toString(),
                        "--patience",
                        "120",
                        "--settle",
                        "1",
                        "--token-life",
                        "2"),
                new PrintStream(output, true, StandardCharsets.UTF_8));

        assertThat(exitCode).as(output.toString(StandardCharsets.UTF_8)).isZero();
    }

    private static void copySources(Path directory) throws IOException {
        Files.createDirectories(directory.resolve("src"));
        try (var files = Files.walk(EXAMPLE, 2)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var name = EXAMPLE.relativize(file).toString();
                if (name.startsWith("src/") || name.endsWith(".json")) {
                    Files.copy(file, directory.resolve(name));
                }
            }
        }
    }

    private static void run(Path directory, String... command) throws Exception {
        var output = Files.createTempFile(home, "output", ".txt");
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        var ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        var text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
    }
}
