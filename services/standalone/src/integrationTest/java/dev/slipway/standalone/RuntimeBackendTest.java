package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.SimulatedAdapter.AdapterSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.UUID;

import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static dev.slipway.standalone.CatalogCalls.problems;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Runtime backends are entries of a registry; every registered one works like the others. */
class RuntimeBackendTest {
    private static PlatformUnderTest platform;
    private static ApiClient admin;
    private static CatalogCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        admin = platform.as("platform_superadmin");
        calls = new CatalogCalls(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"k8s", "rke2", "slurm", "ray", "bare_metal"})
    @Proves("1.10")
    void sameRequests_launchUpgradeGrowAndDelete_onEveryBackend(String backend, @TempDir Path directory) {
        publish(backend);
        publish(DemoData.nextManifest(), nextVersionFor(backend), backend);
        try (var adapter = SimulatedAdapter.start(settings(backend, directory), backend)) {
            var id = platform.launch("project_owner", "on " + backend)
                    .body(PlatformUnderTest.launchBody("on " + backend).put("version", versionFor(backend)))
                    .send()
                    .expect(202)
                    .text("id");
            awaitStatus(id, "running");
            complete(id, "upgradeAppInstance", Json.object().put("version", nextVersionFor(backend)));
            complete(
                    id,
                    "operateInstanceMember",
                    Json.object().put("operation", "add").put("component", "server"));
            platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
            awaitStatus(id, "deleted");

            assertThat(adapter.instanceFiles().requests(UUID.fromString(id)))
                    .hasSize(4)
                    .startsWith("deployed", "upgraded " + nextVersionFor(backend))
                    .endsWith("deleted");
        }
    }

    /** Returns the identity of an adapter for the backend; one for bare_metal is in the demo data. */
    private static AdapterSettings settings(String backend, Path directory) {
        if (backend.equals("bare_metal")) {
            return platform.adapterIn(directory);
        }
        var id = admin.call("createAdapter")
                .body(Json.object().put("runtime_backend", backend).put("display_name", "Adapter for " + backend))
                .send()
                .expect(201)
                .text("id");
        var secret = admin.call("createAdapterCredential")
                .path("adapter_id", id)
                .body(Json.object())
                .send()
                .expect(201)
                .text("secret");
        return platform.adapterIn(directory, UUID.fromString(id), secret);
    }

    private static void complete(String instance, String operation, JsonNode body) {
        var accepted = platform.instance(operation, "project_owner", instance)
                .body(body)
                .send()
                .expect(202);
        eventually(() -> assertThat(platform.instance("getInstanceOperation", "project_owner", instance)
                        .path("operation_id", accepted.text("id"))
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("succeeded"));
    }

    private static void awaitStatus(String instance, String status) {
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo(status));
    }

    @Test
    @Proves("1.96")
    void unregisteredBackend_isRefused_withOneMessage() {
        var validated = admin.call("validateManifest")
                .body(manifestBody(Json.parseStoredObject(DemoData.manifest()).put("runtime_backend", "mainframe")))
                .send()
                .expect(200);
        assertThat(problems(validated)).containsExactly("/runtime_backend unknown_runtime_backend");
        calls.register(
                        DemoData.APP,
                        Json.parseStoredObject(DemoData.manifest())
                                .put("version", versionFor("mainframe"))
                                .put("runtime_backend", "mainframe"))
                .expect(201);
        var published = version(admin, "publishAppVersion", DemoData.APP, versionFor("mainframe"))
                .send()
                .expect(409);
        assertThat(published.text("code")).isEqualTo("manifest_invalid");
        assertThat(published.text("message")).contains("/manifest/runtime_backend");
        var body = Json.object().put("runtime_backend", "mainframe").put("display_name", "Mainframe adapter");
        var refused = admin.call("createAdapter").body(body).send().expect(400);
        assertThat(refused.text("message"))
                .isEqualTo("/runtime_backend mainframe is not an active runtime_backend of the registry");
        assertThat(refused.body().at("/details/fields")).hasSize(1);
    }

    @Test
    void registeredBackend_getsATopicAnAdapterAndInstances() {
        calls.put(
                        "runtime_backend",
                        "nomad",
                        Json.object().put("display_name", "Nomad").put("owner", "acme"))
                .expect(200);
        var adapter = Json.object().put("runtime_backend", "nomad").put("display_name", "Nomad adapter");
        admin.call("createAdapter").body(adapter).send().expect(400);
        calls.move("runtime_backend", "nomad", "active").expect(200);
        platform.awaitReplication();

        admin.call("createAdapter").body(adapter).send().expect(201);
        publish("nomad");
        assertLaunchSendsCommand("nomad");
    }

    private static void assertLaunchSendsCommand(String backend) {
        var launched = platform.launch("project_owner", "on " + backend)
                .body(PlatformUnderTest.launchBody("on " + backend).put("version", versionFor(backend)))
                .send()
                .expect(202);
        assertThat(launched.text("runtime_backend")).isEqualTo(backend);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("runtime.commands." + backend)
                                && observedRecord.key().equals(launched.text("id"))))
                .singleElement()
                .satisfies(observedRecord -> assertThat(observedRecord.type()).isEqualTo("runtime.command.deploy")));
        platform.instance("getAppInstance", "project_owner", launched.text("id"))
                .send()
                .expect(200);
        platform.instance("deleteAppInstance", "project_owner", launched.text("id"))
                .send()
                .expect(202);
    }

    private static void publish(String backend) {
        publish(DemoData.manifest(), versionFor(backend), backend);
    }

    private static void publish(String template, String version, String backend) {
        var manifest = Json.parseStoredObject(template).put("version", version).put("runtime_backend", backend);
        calls.register(DemoData.APP, manifest).expect(201);
        version(admin, "publishAppVersion", DemoData.APP, version).send().expect(200);
        platform.awaitReplication();
    }

    private static String versionFor(String backend) {
        return "1.0.0-" + backend.replace('_', '-');
    }

    private static String nextVersionFor(String backend) {
        return "1.1.0-" + backend.replace('_', '-');
    }
}
