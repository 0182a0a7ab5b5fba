package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.PlatformProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests starting and stopping the program, and its error messages. */
@TestMethodOrder(OrderAnnotation.class) // the last one ends the instance that the others leave alone
class StandaloneProcessTest {
    private static final String SERVICES = "iam,catalog,instances,audit,metering,gateway";

    @TempDir
    static Path directory;

    private static PlatformProcess first;

    @BeforeAll
    static void start() throws IOException {
        var file = Files.writeString(directory.resolve("first.properties"), "SLIPWAY_LOG_LEVEL=debug\n");
        first = another("first", Map.of("SLIPWAY_CONFIG_FILE", file.toString()));
        first.start();
    }

    @AfterAll
    static void stop() {
        first.close();
    }

    private static PlatformProcess another(String name, Map<String, String> settings) {
        var all = new java.util.HashMap<>(Map.of("SLIPWAY_SERVICES", SERVICES));
        all.putAll(settings);
        return new PlatformProcess(directory.resolve(name), all);
    }

    private static String firstPort(String address) {
        var text = first.demo().path(address).asText();
        return text.substring(text.lastIndexOf(':') + 1);
    }

    /** Returns the message of a failed second start; the first process keeps running. */
    private static String refusal(String name, Map<String, String> settings) {
        try (var refused = another(name, settings)) {
            var process = refused.launch();
            assertThat(process.exit()).as(process.errors()).isEqualTo(1);
            assertThat(process.children()).isEmpty();
            first.as("project_owner")
                    .call("listAppInstances")
                    .path("project_id", DemoData.PROJECT)
                    .send()
                    .expect(200);
            return process.errors();
        }
    }

    private static void assertSingleErrorLine(String errors, String... words) {
        assertThat(errors.lines())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("slipway: ")
                .contains(words);
    }

    @Test
    void demoFile_containsTokens_andIsReadableByOwnerOnly() throws Exception {
        var file = first.home().resolve("demo.json");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        var demo = Json.parse(Files.readAllBytes(file));
        for (var key : new String[] {
            "base_url", "kafka_bootstrap", "org_id", "project_id", "other_org_id", "other_project_id", "app_slug"
        }) {
            assertThat(demo.path(key).asText()).as(key).isNotBlank();
        }
        for (var user : new String[] {
            "platform_superadmin",
            "platform_ops",
            "tenant_owner",
            "tenant_admin",
            "project_owner",
            "project_admin",
            "project_member",
            "project_viewer",
            "service_account",
            "other_tenant_owner"
        }) {
            first.as(user).call("getMe").send().expect(200);
        }
    }

    @Test
    void log_isWrittenToFile_atConfiguredLevel() throws Exception {
        assertThat(first.home().resolve("slipway.log")).content().contains("\"level\":\"DEBUG\"");
        assertThat(first.process().output()).doesNotContain("\"level\"");
    }

    /** Signals to the start script reach the program. */
    @Test
    void startScript_isReplacedByJavaProcess() {
        assertThat(ProcessHandle.of(first.process().pid()).orElseThrow().info().command())
                .hasValueSatisfying(command -> assertThat(command).endsWith("/bin/java"));
    }

    @Test
    void start_fails_whenHttpPortIsInUse() {
        assertSingleErrorLine(
                refusal("http", Map.of("SLIPWAY_HTTP_PORT", firstPort("base_url"))),
                "SLIPWAY_HTTP_PORT",
                firstPort("base_url"));
    }

    @Test
    void start_fails_whenKafkaPortIsInUse() {
        assertSingleErrorLine(
                refusal("kafka", Map.of("SLIPWAY_KAFKA_PORT", firstPort("kafka_bootstrap"))),
                "SLIPWAY_KAFKA_PORT",
                firstPort("kafka_bootstrap"));
    }

    @Test
    void start_fails_whenHomeIsInUse() {
        assertSingleErrorLine(
                refusal("second", Map.of("SLIPWAY_HOME", first.home().toString())),
                first.home().toString(),
                "in use");
    }

    @Test
    void start_fails_whenHomeIsFile() throws Exception {
        var file = Files.createFile(directory.resolve("a-file"));

        assertSingleErrorLine(
                refusal("file", Map.of("SLIPWAY_HOME", file.toString())), file.toString(), "not a directory");
    }

    @Test
    void start_fails_whenHomeCannotBeCreated() {
        assertSingleErrorLine(
                refusal("proc", Map.of("SLIPWAY_HOME", "/proc/slipway")), "/proc/slipway", "not writable");
    }

    @Test
    void start_reportsEverySetting_whenSeveralAreInvalid() {
        var errors = refusal(
                "settings",
                Map.of(
                        "SLIPWAY_HTTP_PORT", "many",
                        "SLIPWAY_DEMO", "perhaps",
                        "SLIPWAY_SERVICES", "iam,billing",
                        "SLIPWAY_AUTHZ_BUDGET_WRITES", "soon"));

        assertThat(errors.lines())
                .hasSize(4)
                .allMatch(line -> line.startsWith("slipway: "))
                .anyMatch(line -> line.contains("SLIPWAY_HTTP_PORT=many"))
                .anyMatch(line -> line.contains("SLIPWAY_DEMO=perhaps"))
                .anyMatch(line -> line.contains("billing"))
                .anyMatch(line -> line.contains("SLIPWAY_AUTHZ_BUDGET_WRITES=soon"));
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void terminate_stopsChildProcesses_andKeepsInstances() {
        var owner = first.as("project_owner");
        var instance = owner.call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(Json.object()
                        .put("app_slug", DemoData.APP)
                        .put("version", DemoData.VERSION)
                        .put("display_name", "survives"))
                .send()
                .expect(202)
                .text("id");
        var children = first.process().children();
        assertThat(children).isNotEmpty();

        assertThat(first.process().terminate()).isEqualTo(128 + 15);

        assertThat(children).noneMatch(ProcessHandle::isAlive);
        assertThat(first.process().errors()).isEmpty();
        first.start();
        owner.call("getAppInstance")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200);
    }
}
