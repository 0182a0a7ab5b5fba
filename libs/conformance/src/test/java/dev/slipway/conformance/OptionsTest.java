package dev.slipway.conformance;

import dev.slipway.conformance.Options.OptionsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OptionsTest {
    @TempDir
    Path home;

    @Test
    void of_namesEveryFault() {
        assertThatThrownBy(() -> Options.of(List.of("--only", "happy-path,nonsense", "--patience", "soon", "--what")))
                .isInstanceOf(OptionsException.class)
                .hasMessageContainingAll(
                        "--adapter",
                        "--kafka",
                        "nonsense",
                        "--patience soon is not a number",
                        "--what is not an option");
    }

    @Test
    void of_refuses_whenTheAdapterIsBothStartedAndAttached() {
        assertThatThrownBy(() -> Options.of(List.of("--kafka", "k:1", "--attach", "--adapter", "x")))
                .hasMessageContaining("either");
    }

    @Test
    void of_takesWhatIsSaid_andFillsInTheRest() throws Exception {
        var options = Options.of(List.of(
                "--kafka",
                "k:1",
                "--attach",
                "--data",
                home.toString(),
                "--only",
                "heartbeat,slow",
                "--settle",
                "0.5"));
        assertThat(options.adapter()).isNull();
        assertThat(options.chosen()).extracting(Scenario::name).containsExactly("slow", "heartbeat");
        assertThat(options.limits().settle()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.limits().patience()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.topicPrefix()).startsWith("conformance-");
    }

    @Test
    void main_saysHowToCallIt_whenItIsCalledWrongly() throws Exception {
        var output = new ByteArrayOutputStream();
        var exitCode =
                ConformanceMain.run(List.of("run", "--attach"), new PrintStream(output, true, StandardCharsets.UTF_8));
        assertThat(exitCode).isEqualTo(2);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("--kafka", "--help");
    }

    @Test
    void help_namesEveryOption() throws Exception {
        var output = new ByteArrayOutputStream();
        assertThat(ConformanceMain.run(List.of("--help"), new PrintStream(output, true, StandardCharsets.UTF_8)))
                .isZero();
        assertThat(output.toString(StandardCharsets.UTF_8)).contains(Options.names());
    }
}
