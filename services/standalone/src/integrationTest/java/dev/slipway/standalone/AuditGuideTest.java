package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of the audit guide as one script. */
class AuditGuideTest {
    private static final Pattern SHELL_BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final int TIMEOUT_MINUTES = 4;

    @TempDir
    private Path directory;

    @Test
    void guide_exportsVerifiesAndProves_whenPastedAsOneBlock() throws IOException, InterruptedException {
        try (var platform = new PlatformUnderTest()) {
            var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
            Files.writeString(tokens.resolve("tenant_owner"), platform.token("tenant_owner"));
            platform.launch("project_owner", "audited").send().expect(202);
            eventually(() -> platform.as("tenant_owner")
                    .call("getOrganizationAuditCheckpoint")
                    .path("org_id", DemoData.ORG)
                    .send()
                    .expect(200));

            var output = run(guide().replace("http://127.0.0.1:8080", platform.baseUrl()));

            assertThat(output)
                    .contains(
                            "valid: slipway.local/audit/" + DemoData.ORG,
                            "use --key with a key that you trust",
                            "not valid at entry ",
                            "the content of the entry was changed",
                            "\"leaf_hash\":");
        }
    }

    private static String guide() throws IOException {
        var guide = Files.readString(Path.of("../../docs/audit.md"));
        return SHELL_BLOCK.matcher(guide).results().map(block -> block.group(1)).collect(Collectors.joining("\n"));
    }

    /** The installed program is on the path, as in an unpacked distribution. */
    private String run(String script) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var programs = Path.of(System.getProperty("slipway.standalone.program")).getParent();
        var builder = new ProcessBuilder("bash", "-eu")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(
                        Files.writeString(directory.resolve("guide.sh"), script).toFile())
                .redirectOutput(output.toFile());
        builder.environment().compute("PATH", (name, path) -> programs + ":" + path);
        var shell = builder.start();
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
