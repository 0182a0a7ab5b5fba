package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void create_sendsTheCommandToTheDeclaredBackend(String backend) {
        publish(backend);
        assertLaunchSendsCommand(backend);
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
        var manifest = Json.parseStoredObject(DemoData.manifest())
                .put("version", versionFor(backend))
                .put("runtime_backend", backend);
        calls.register(DemoData.APP, manifest).expect(201);
        version(admin, "publishAppVersion", DemoData.APP, versionFor(backend))
                .send()
                .expect(200);
        platform.awaitReplication();
    }

    private static String versionFor(String backend) {
        return "1.0.0-" + backend.replace('_', '-');
    }
}
