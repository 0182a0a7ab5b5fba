package dev.slipway.embedded;

import dev.slipway.testkit.ShortLivedJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EmbeddedMainTest {
    private static final Pattern READY =
            Pattern.compile("\\{\"kafka_bootstrap\":\"(127.0.0.1:\\d+)\",\"database_url\":\"(postgresql://[^\"]+)\"}");

    @TempDir
    Path root;

    @Test
    void main_recoversAllData_whenKilled() throws Exception {
        // Given
        try (var killed = new Child(root)) {
            TestClients.createTopic(killed.bootstrap, "kept");
            TestClients.produce(killed.bootstrap, "kept", "before the kill");
            try (var connection = TestClients.connect(killed.databaseUrl)) {
                TestClients.execute(connection, "CREATE TABLE kept AS SELECT 'before the kill' AS word");
            }
            assertThatThrownBy(() -> DataDirectory.open(root))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessageContaining("is in use by another process");
            killed.process.destroyForcibly();
            assertThat(killed.process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }

        // When
        try (var next = new Child(root)) {

            // Then
            assertThat(TestClients.consume(next.bootstrap, "kept")).isEqualTo("before the kill");
            try (var connection = TestClients.connect(next.databaseUrl)) {
                assertThat(TestClients.query(connection, "SELECT word FROM kept"))
                        .isEqualTo("before the kill");
            }
            next.process.getOutputStream().close();
            assertThat(next.process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(next.process.exitValue()).isZero();
            assertThat(next.nextLine()).isNull();
            DataDirectory.open(root).close();
        }
    }

    private static final class Child implements AutoCloseable {
        final Process process;
        final BufferedReader output;
        final String bootstrap;
        final String databaseUrl;

        Child(Path root) throws IOException {
            var command = new ArrayList<>(ShortLivedJvm.command(256));
            command.addAll(List.of(EmbeddedMain.class.getName(), root.toString()));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            output = process.inputReader();
            var line = nextLine();
            var ready = READY.matcher(String.valueOf(line));
            assertThat(ready.matches()).as("%s", line).isTrue();
            bootstrap = ready.group(1);
            databaseUrl = ready.group(2);
        }

        /** Returns the next line of output that is not a log line, or null at the end. */
        String nextLine() throws IOException {
            var line = output.readLine();
            while (line != null && line.startsWith("{\"at\"")) {
                line = output.readLine();
            }
            return line;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
