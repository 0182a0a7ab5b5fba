package dev.slipway.contract;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks the published contract with the linters that users of it run. Needs the system packages nodejs and npm. */
class ContractLintTest {
    private static final Path RULES =
            Path.of("../../schemas/lint").toAbsolutePath().normalize();
    private static final int TIMEOUT_MINUTES = 5;

    private static final Path BUNDLE =
            Path.of("build/contract/slipway/openapi.json").toAbsolutePath();

    @TempDir
    private static Path directory;

    @BeforeAll
    static void install() throws Exception {
        try (var packages = ContractLintTest.class.getResourceAsStream("lint/package.json")) {
            Files.write(
                    directory.resolve("package.json"),
                    Objects.requireNonNull(packages).readAllBytes());
        }
        Files.writeString(
                directory.resolve("openapi.json"), Contract.load().document().toString());
        var ignored = run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
    }

    @Test
    void spectral_reportsNothing() throws Exception {
        assertThat(run(
                        "node_modules/.bin/spectral",
                        "lint",
                        "openapi.json",
                        "--ruleset",
                        RULES.resolve("spectral.yaml").toString(),
                        "--fail-severity",
                        "warn"))
                .contains("No results with a severity of 'warn' or higher found!");
    }

    @Test
    void redocly_reportsNothing() throws Exception {
        assertThat(run(
                        "node_modules/.bin/redocly",
                        "lint",
                        BUNDLE.toString(), // the ignore file names it by its path
                        "--config",
                        RULES.resolve("redocly.yaml").toString()))
                .contains("Your API description is valid")
                .doesNotContain("You have"); // … n warnings
    }

    private static String run(String... command) throws Exception {
        var output = Files.createTempFile(directory, "output", ".txt");
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(Map.of("REDOCLY_TELEMETRY", "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"));
        var process = builder.start();
        var ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        var text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }
}
