package dev.slipway.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The shell blocks of a guide as one script, as a reader pastes them. */
final class GuideScript {
    private static final Pattern SHELL_BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final int TIMEOUT_MINUTES = 4;

    private GuideScript() {}

    static String of(String markdown) {
        return SHELL_BLOCK
                .matcher(markdown)
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining("\n"));
    }

    /** Runs a script in a directory and returns its output; fails if the script does. */
    static String run(Path directory, String script) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var shell = new ProcessBuilder("bash", "-eu")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(
                        Files.writeString(directory.resolve("guide.sh"), script).toFile())
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(shell.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES))
                    .as("%s", Files.readString(output))
                    .isTrue();
            assertThat(shell.exitValue()).as("%s", Files.readString(output)).isZero();
        } finally {
            shell.destroyForcibly();
        }
        return Files.readString(output);
    }
}
