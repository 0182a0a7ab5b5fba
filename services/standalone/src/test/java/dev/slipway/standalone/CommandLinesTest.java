package dev.slipway.standalone;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The options that all programs of this distribution have. */
class CommandLinesTest {
    static Stream<CommandLine> programs() {
        return Stream.of(
                StandaloneMain.commandLine(Map.of()), VerifyMain.commandLine(), DeadLettersMain.commandLine(Map.of()));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void program_rejectsUnknownArguments(CommandLine program) {
        assertThat(run(program, 2, "--what")).contains("Usage: " + program.getCommandName());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void program_printsHelpVersionAndCompletion(CommandLine program) {
        assertThat(run(program, 0, "--help")).contains("Usage: " + program.getCommandName(), "Exit status:");
        assertThat(run(program, 0, "--version")).contains("slipway ");
        assertThat(run(program, 0, "generate-completion"))
                .contains("complete -F _complete_" + program.getCommandName());
    }

    private static String run(CommandLine program, int exitCode, String argument) {
        var printed = new StringWriter();
        var writer = new PrintWriter(printed);
        assertThat(program.setOut(writer).setErr(writer).execute(argument)).isEqualTo(exitCode);
        return printed.toString();
    }
}
