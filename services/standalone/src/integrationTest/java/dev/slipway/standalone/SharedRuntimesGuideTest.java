package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of docs/shared-runtimes.md as one script, as a reader pastes them. */
class SharedRuntimesGuideTest extends SharedRuntimeTestBase {
    @TempDir
    private Path directory;

    @Test
    void guide_createsAttachesContributesAndDeletes_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        for (var user : List.of("tenant_owner", "other_tenant_owner")) {
            Files.writeString(tokens.resolve(user), platform.token(user));
        }

        var output = GuideScript.run(directory, guide());

        assertThat(output)
                .contains(
                        "\"status\":\"attached\"",
                        "\"operation\":\"add\"",
                        "\"operation\":\"work.submit\"",
                        "\"status\":\"succeeded\"",
                        "\"source_project_id\":\"" + DemoData.PROJECT,
                        "\"code\":\"not_found\"",
                        "apps.shared_runtime.deleted")
                .doesNotContain("\"status\":\"failed\"", "validation_error");
    }

    /** The adapter of this test runs the app that the other tests use. */
    private static String guide() throws IOException {
        return GuideScript.of(Files.readString(Path.of("../../docs/shared-runtimes.md")))
                .replace("http://127.0.0.1:8080", platform.platform().baseUrl())
                .replace("echo-cluster", DemoData.APP)
                .replace("\"app_version\":\"1.0.0\"", "\"app_version\":\"" + SharedRuntimeCalls.VERSION + "\"");
    }
}
