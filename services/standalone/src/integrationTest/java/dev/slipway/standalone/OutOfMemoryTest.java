package dev.slipway.standalone;

import dev.slipway.testkit.PlatformProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a process without memory ends, so that its supervisor starts it again: some of its threads would be missing. */
class OutOfMemoryTest {
    private static final int EXIT_ON_OUT_OF_MEMORY = 3;

    @Test
    void process_exits_whenHeapIsExhausted(@TempDir Path directory) {
        var settings = Map.of(
                "JAVA_OPTS", "-Xmx12m",
                "SLIPWAY_SERVICES", "gateway",
                "SLIPWAY_KAFKA_BOOTSTRAP", "127.0.0.1:9",
                "SLIPWAY_RECORD_KEYS_DIRECTORY", directory.resolve("keys").toString());
        try (var platform = new PlatformProcess(directory, settings)) {
            var process = platform.launch();

            assertThat(process.exit()).as(process.output() + process.errors()).isEqualTo(EXIT_ON_OUT_OF_MEMORY);
            assertThat(process.output() + process.errors()).contains("java.lang.OutOfMemoryError");
        }
    }
}
