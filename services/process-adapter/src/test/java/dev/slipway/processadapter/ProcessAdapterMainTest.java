package dev.slipway.processadapter;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class ProcessAdapterMainTest {
    private final StringWriter printed = new StringWriter();

    @Test
    void main_rejectsUnknownArguments_andInvalidSettings() {
        assertThat(run(Map.of(), "--what")).isEqualTo(2);
        assertThat(printed.toString()).contains("--what", "Usage: slipway-process-adapter");

        assertThat(run(Map.of("SLIPWAY_PROCESS_ADAPTER_USAGE_WINDOW", "soon"))).isEqualTo(1);
    }

    @Test
    void main_printsHelpVersionAndCompletion() {
        assertThat(run(Map.of(), "--help")).isZero();
        assertThat(run(Map.of(), "--version")).isZero();
        assertThat(run(Map.of(), "generate-completion")).isZero();
        assertThat(printed.toString())
                .contains("Exit status:", "slipway-process-adapter (development)", "complete -F _complete_slipway");
    }

    private int run(Map<String, String> environment, String... arguments) {
        var writer = new PrintWriter(printed);
        return ProcessAdapterMain.commandLine(environment)
                .setOut(writer)
                .setErr(writer)
                .execute(arguments);
    }
}
