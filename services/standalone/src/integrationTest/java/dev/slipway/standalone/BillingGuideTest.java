package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of docs/billing.md as one script, as a reader pastes them. */
class BillingGuideTest {
    @TempDir
    private Path directory;

    @Test
    void guide_setsPricesAndBudgets_andReadsAStatement_whenPastedAsOneBlock() throws IOException, InterruptedException {
        try (var platform = new PlatformUnderTest()) {
            var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
            for (var user : List.of("platform_superadmin", "tenant_owner")) {
                Files.writeString(tokens.resolve(user), platform.token(user));
            }
            var guide = GuideScript.of(Files.readString(Path.of("../../docs/billing.md")));

            var output = GuideScript.run(directory, guide.replace("http://127.0.0.1:8080", platform.baseUrl()));

            assertThat(output)
                    .contains(
                            "\"unit\":\"app_runtime_hour\"",
                            "\"reference\":\"payment-4711\"",
                            "\"balance\":\"100.00\"",
                            "\"reservation_hours\":24",
                            "\"per_hour\":\"0.12\"",
                            "\"needed\":\"2.88\"",
                            "\"status\":\"draft\"",
                            "\"identical\":true");
        }
    }
}
