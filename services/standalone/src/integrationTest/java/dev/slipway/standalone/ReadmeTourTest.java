package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of the README's tour as one script, as a reader pastes them. */
class ReadmeTourTest {
    @TempDir
    private Path directory;

    @Test
    void tour_launchesUpgradesOperatesAndDeletes_whenPastedAsOneBlock() throws IOException, InterruptedException {
        try (var platform = new PlatformUnderTest(
                Map.of("SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,process-adapter,gateway"))) {
            var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
            for (var user : List.of("project_owner", "other_tenant_owner", "tenant_owner", "platform_superadmin")) {
                Files.writeString(tokens.resolve(user), platform.token(user));
            }

            var output = GuideScript.run(
                    directory,
                    tour().replace("http://127.0.0.1:8080", platform.platform().baseUrl()));

            assertThat(output)
                    .contains(
                            "\"status\":\"requested\"",
                            "\"status\":\"running\"",
                            "\"path\":\"/hello\"",
                            "createAppInstance",
                            "\"code\":\"not_found\"",
                            "\"kind\":\"upgrade\"",
                            "\"operation\":\"echo.ping\"",
                            "\"status\":\"succeeded\"",
                            "\"status\":\"deleting\"",
                            "\"operating_mode\":\"tenant_dedicated\"")
                    .doesNotContain("\"status\":\"failed\"", "operation_in_progress", "operation_unknown");
        }
    }

    private static String tour() throws IOException {
        var readme = Files.readString(Path.of("../../README.md"));
        var section = readme.substring(readme.indexOf("## A tour"), readme.indexOf("## Settings"));
        return GuideScript.of(section);
    }
}
