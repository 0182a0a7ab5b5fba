package dev.slipway.conformance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ConformanceMainTest {
    @TempDir
    Path home;

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return ConformanceMain.run(List.of(arguments), new PrintStream(output, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void run_appliesArgumentsAndDefaults() throws Exception {
        var command = new RunCommand();
        new CommandLine(command)
                .parseArgs(
                        "--kafka",
                        "k:1",
                        "--attach",
                        "--data",
                        home.toString(),
                        "--only",
                        "heartbeat,slow",
                        "--settle",
                        "0.5");
        var options = command.options("k:1", home);
        assertThat(options.adapter()).isNull();
        assertThat(options.data()).isEqualTo(home);
        assertThat(options.scenarios()).extracting(Scenario::name).containsExactly("slow", "heartbeat");
        assertThat(options.limits().settle()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.limits().patience()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.topicPrefix()).startsWith("conformance-");
        assertThat(options.host()).isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run --attach                                      | --kafka",
                "run --kafka k:1                                   | either --adapter <command> or --attach",
                "run --kafka k:1 --attach --adapter x              | either --adapter <command> or --attach",
                "run --kafka k:1 --attach --only happy-path,absent | unknown scenario: absent",
                "run --kafka k:1 --attach --patience soon          | '--patience': 'soon' is not a number",
                "run --kafka k:1 --attach --patience -1            | '--patience': '-1' is not a number",
                "run --kafka k:1 --attach --port many              | '--port'",
                "run --kafka k:1 --attach --what                   | '--what'",
                "run --kafka k:1 --attach --kafka-client /absent   | --kafka-client /absent cannot be read",
                "run --kafka k:1 --embedded-broker --attach        | mutually exclusive",
                "run --kafka 127.0.0.1:1 --attach                  | no Kafka broker answers at 127.0.0.1:1",
                "verify --key k.pem                                | <report.json>",
                "verify report.json                                | --fingerprint",
            })
    void run_printsUsageAndReturns2_whenArgumentsAreInvalid(String arguments, String message) {
        assertThat(run(arguments.trim().split(" +"))).isEqualTo(2);
        assertThat(printed()).contains(message, "Usage: slipway-conformance");
    }

    @Test
    void run_printsAllFaults_whenSeveralArgumentsAreInvalid() {
        assertThat(run("run", "--patience", "soon", "--settle", "never", "--only", "absent", "--what"))
                .isEqualTo(2);
        assertThat(printed())
                .contains(
                        "'--patience': 'soon' is not a number",
                        "'--settle': 'never' is not a number",
                        "'--what'",
                        "--kafka",
                        "either --adapter <command> or --attach",
                        "unknown scenario: absent");
    }

    @Test
    void run_returns2_whenSubcommandIsUnknown() {
        assertThat(run("unknown")).isEqualTo(2);
        assertThat(printed()).contains("Unmatched argument at index 0: 'unknown'");
    }

    @Test
    void run_returns2_withoutSubcommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(printed()).contains("specify a subcommand", "verify", "scenarios");
    }

    @Test
    void run_returns2_whenProfileIsInvalid() throws Exception {
        var profile = Files.writeString(home.resolve("profile.json"), "{\"claims\": [\"upgrade\"]}");
        assertThat(run("run", "--kafka", "k:1", "--attach", "--profile", profile.toString()))
                .isEqualTo(2);
        assertThat(printed()).contains("manifest is not an object", "upgrade is claimed");
    }

    @Test
    void verify_returns2_whenFileIsMissing() {
        var absent = home.resolve("absent.json").toString();

        assertThat(run("verify", "--fingerprint", "SHA256:00", absent)).isEqualTo(2);

        assertThat(printed()).contains("cannot be read: " + absent, "Usage: slipway-conformance verify");
    }

    @Test
    void version_isPrinted_andUnknownOptionsAreRejected() {
        assertThat(run("--version")).isZero();
        assertThat(printed()).contains(ConformanceReport.PROTOCOL);
        assertThat(run("--what")).isEqualTo(2);
    }

    @Test
    void help_listsOptionsAndExitCodes() {
        assertThat(run("run", "--help")).isZero();
        var options = new CommandLine(new RunCommand())
                .getCommandSpec().options().stream()
                        .map(option -> option.longestName())
                        .toList();
        assertThat(options).hasSizeGreaterThan(15);
        assertThat(printed()).contains(options).contains("Exit codes:");
    }

    @Test
    void generateCompletion_printsScript() {
        assertThat(run("generate-completion")).isZero();
        assertThat(printed()).contains("complete -F _complete_slipway-conformance");
    }
}
