package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A publisher's schemas that would exhaust the platform when it validates launches and operations. */
class HostileManifestTest {
    private static final String APP = "hostile";
    private static PlatformUnderTest platform;
    private static CatalogCalls catalog;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        catalog = new CatalogCalls(platform);
        platform.as("platform_superadmin")
                .call("createApp")
                .body(CatalogCalls.app(APP, "apps"))
                .send()
                .expect(201);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    void version_isRefused_whenItsSchemasDoubleOrReferToThemselves() {
        var self = Json.object().put("$ref", "#/$defs/a");
        self.putObject("$defs").putObject("a").put("$ref", "#/$defs/a");
        var mutual = Json.object().put("type", "object");
        mutual.putObject("$defs").putObject("a").putArray("allOf").addObject().put("$ref", "#/$defs/b");
        mutual.withObject("/$defs").putObject("b").put("$ref", "#/$defs/a");

        assertInvalid("doubling", "/launch/schema", doubling());
        assertInvalid("self", "/launch/schema", self);
        assertInvalid("mutual", "/launch/schema", mutual);
        for (var at : List.of("/operations/0/input_schema", "/operations/0/output_schema")) {
            assertInvalid("operation" + at.charAt(14), at, doubling());
        }
    }

    @Test
    void launchAndOperation_areRefusedByTheNameOfTheSchema_whenValidationTakesTooLong() {
        var manifest = CatalogCalls.manifest(APP, "2.0.0");
        manifest.withObject("/launch").set("schema", alternatives());
        manifest.set("operations", operations(alternatives(), Json.object()));
        catalog.register(APP, manifest).expect(201);
        CatalogCalls.version(platform.as("platform_superadmin"), "publishAppVersion", APP, "2.0.0")
                .send()
                .expect(200);
        platform.as("tenant_admin")
                .call("putAppEntitlement")
                .path("project_id", DemoData.PROJECT)
                .path("app_slug", APP)
                .body(Json.object())
                .send()
                .expect(200);
        platform.awaitReplication();

        var refused = launch(numbers(3_000));
        var instance = launch(numbers(1)).expect(202).text("id");
        reportRunning(instance);
        var operation = platform.instance("runInstanceOperation", "project_owner", instance)
                .body(Json.object().put("operation", "hostile.run").set("input", numbers(3_000)))
                .send();

        assertThat(statusAndCode(refused)).isEqualTo("422 launch_parameters_invalid");
        assertThat(refused.body().at("/details/fields").toString()).contains("launch.schema");
        assertThat(statusAndCode(operation)).isEqualTo("422 operation_input_invalid");
        assertThat(operation.body().at("/details/fields").toString())
                .contains("input_schema of the operation hostile.run");
    }

    private static void assertInvalid(String version, String at, JsonNode schema) {
        var manifest = CatalogCalls.manifest(APP, "1.0.0-" + version);
        if (at.startsWith("/launch")) {
            manifest.withObject("/launch").set("schema", schema);
        } else {
            var input = at.contains("input") ? schema : Json.object();
            manifest.set("operations", operations(input, at.contains("output") ? schema : Json.object()));
        }
        assertThat(CatalogCalls.problems(catalog.register(APP, manifest).expect(201)))
                .as(version)
                .singleElement()
                .asString()
                .startsWith(at)
                .endsWith(" invalid_schema");
        assertThat(statusAndCode(CatalogCalls.version(
                                platform.as("platform_superadmin"), "publishAppVersion", APP, "1.0.0-" + version)
                        .send()))
                .isEqualTo("409 manifest_invalid");
    }

    private static ApiResponse launch(ObjectNode config) {
        var body =
                PlatformUnderTest.launchBody("exhausting").put("app_slug", APP).put("version", "2.0.0");
        body.set("config", config);
        return platform.launch("project_owner", "").body(body).send();
    }

    private static void reportRunning(String instance) {
        var reports = new RawReports(platform);
        var report = RawReports.reportFor(reports.command("deploy", instance));
        report.putArray("endpoints");
        reports.send("runtime.report.running", report);
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                        .send()
                        .text("status"))
                .isEqualTo("running"));
    }

    private static JsonNode operations(JsonNode input, JsonNode output) {
        var operations = Json.array();
        var operation = operations
                .addObject()
                .put("name", "hostile.run")
                .put("description", "Exhausts the platform.")
                .put("action", "apps.instance.read")
                .put("deadline_seconds", 60);
        operation.set("input_schema", input);
        operation.set("output_schema", output);
        return operations;
    }

    private static ObjectNode doubling() {
        var schema = Json.object().put("$ref", "#/$defs/level0");
        var definitions = schema.putObject("$defs");
        for (var level = 0; level < 30; level++) {
            var twice = definitions.putObject("level" + level).putArray("allOf");
            twice.addObject().put("$ref", "#/$defs/level" + (level + 1));
            twice.addObject().put("$ref", "#/$defs/level" + (level + 1));
        }
        definitions.putObject("level30").put("type", "object");
        return schema;
    }

    /** Returns a schema with many alternatives for each item, of which the last one matches. */
    private static ObjectNode alternatives() {
        var schema = Json.object().put("type", "object");
        var any = schema.putObject("properties")
                .putObject("numbers")
                .putObject("items")
                .putArray("anyOf");
        for (var i = 0; i < 500; i++) {
            any.addObject().put("type", "string").put("maxLength", i);
        }
        any.addObject().put("type", "integer");
        return schema;
    }

    private static ObjectNode numbers(int count) {
        var object = Json.object();
        var numbers = object.putArray("numbers");
        for (var i = 0; i < count; i++) {
            numbers.add(i);
        }
        return object;
    }
}
