package dev.slipway.standalone;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the unit tests of the alert rules with promtool (package prometheus). */
class AlertRulesTest {
    private static final Path INFRA = Path.of("../../infra").toAbsolutePath().normalize();

    @Test
    void rules_areValid() throws IOException, InterruptedException {
        assertThat(promtool("check", "rules", "alerts.yaml")).contains("SUCCESS");
    }

    @Test
    void rules_passTheirTests() throws IOException, InterruptedException {
        assertThat(promtool("test", "rules", "alerts-test.yaml")).contains("SUCCESS");
    }

    @Test
    void everyRule_isTested() throws IOException {
        assertThat(names("alert: (\\w+)", "alerts.yaml"))
                .isNotEmpty()
                .isEqualTo(names("name: (\\w+) fires", "alerts-test.yaml"));
    }

    private static List<String> names(String pattern, String file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(INFRA.resolve(file)))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String promtool(String... arguments) throws IOException, InterruptedException {
        var process = new ProcessBuilder("promtool").directory(INFRA.toFile()).redirectErrorStream(true);
        process.command().addAll(List.of(arguments));
        var running = process.start();
        var output = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(running.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(running.exitValue()).as(output).isZero();
        return output;
    }
}
