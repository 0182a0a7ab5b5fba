package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests adapter status, and the operations that adapters call themselves. */
class RuntimeTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void adapterToken_requiresTheSecret_andAllowsNothingElse() {
        assertThat(exchange(DemoData.ADAPTER, "wrong").status()).isEqualTo(401);
        assertThat(exchange(UUID.randomUUID(), "wrong").text("code")).isEqualTo("credential_invalid");

        var adapter = platform.asAdapter();

        assertThat(adapter.call("getMe").send().expect(200).text("actor_type")).isEqualTo("adapter");
        assertThat(adapter.call("listRuntimeAdapters").send().status()).isEqualTo(403);
        assertThat(adapter.call("listAppInstances")
                        .path("project_id", DemoData.PROJECT)
                        .send()
                        .status())
                .isEqualTo(404);
        assertThat(platform.as("platform_superadmin")
                        .call("listDesiredState")
                        .send()
                        .status())
                .as("not even an administrator reads every tenant's config through it")
                .isEqualTo(403);
    }

    @Test
    void adapterToken_isRejected_whenTheAdapterIsDisabled() {
        var made = platform.as("platform_superadmin")
                .call("createAdapter")
                .body(Json.object().put("runtime_backend", "ray").put("display_name", "Ray"))
                .send()
                .expect(201)
                .text("id");
        var secret = adapter("createAdapterCredential", made)
                .body(Json.object())
                .send()
                .expect(201)
                .text("secret");
        var own = eventuallyWorking(UUID.fromString(made), secret);

        adapter("disableAdapter", made).send().expect(200);

        eventually(
                () -> assertThat(own.call("listDesiredState").send().status()).isEqualTo(401));
        assertThat(exchange(UUID.fromString(made), secret).text("message")).contains("disabled");
    }

    @Test
    void desiredState_listsTheInstancesOfTheBackend() {
        var instance =
                platform.launch("project_owner", "wanted").send().expect(202).text("id");
        var other = platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "wanted, too")
                .send()
                .expect(202)
                .text("id");

        var wanted = desired(platform.asAdapter(), instance);

        assertThat(wanted.path("desired").asText()).isEqualTo("running");
        assertThat(wanted.path("generation").asInt()).isEqualTo(1);
        assertThat(wanted.path("manifest").path("app").asText()).isEqualTo(DemoData.APP);
        assertThat(wanted.path("open_commands"))
                .singleElement()
                .satisfies(command -> assertThat(command.path("event_id")).isEqualTo(wanted.path("command_id")));
        assertThat(desired(platform.asAdapter(), other).path("org_id").asText())
                .as("an adapter serves every tenant of its backend")
                .isEqualTo(DemoData.OTHER_ORG.toString());

        platform.instance("deleteAppInstance", "project_owner", instance).send().expect(202);

        var ending = desired(platform.asAdapter(), instance);
        assertThat(ending.path("desired").asText()).isEqualTo("deleted");
        assertThat(ending.path("generation").asInt()).isEqualTo(2);
        assertThat(ending.path("open_commands")).singleElement().satisfies(command -> assertThat(
                        command.path("event_type").asText())
                .isEqualTo("runtime.command.delete"));
    }

    @Test
    void adapter_isAliveAfterItsHeartbeat_andCommandsAreResent(@TempDir Path directory) {
        var instance = platform.launch("project_owner", "lost on the way")
                .send()
                .expect(202)
                .text("id");
        assertThat(adapterOfTheDemo().path("alive").asBoolean()).isFalse();
        var first = commands(instance);
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            eventually(() ->
                    assertThat(adapterOfTheDemo().path("alive").asBoolean()).isTrue());
            assertThat(adapterOfTheDemo().path("software").asText()).isNotEmpty();
            eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                            .send()
                            .text("status"))
                    .isEqualTo("running"));
            assertThat(platform.database()
                            .query("SELECT count(*) FROM instances.runtime_commands WHERE due_at IS NOT NULL AND"
                                    + " app_instance_id = '" + instance + "'"))
                    .as("what was heard of is not sent again")
                    .isEqualTo("0");

            platform.database()
                    .execute("UPDATE instances.runtime_commands SET due_at = now() WHERE app_instance_id = '" + instance
                            + "'");

            eventually(() -> assertThat(commands(instance))
                    .hasSize(first.size() + 1)
                    .last()
                    .satisfies(again -> {
                        assertThat(again.event().path("event_id"))
                                .isEqualTo(first.get(0).event().path("event_id"));
                        assertThat(again.payload().path("attempt").asInt()).isEqualTo(2);
                    }));
            assertThat(adapter.instanceFiles().timesDeployed(UUID.fromString(instance)))
                    .isEqualTo(1);
        }
    }

    private static JsonNode adapterOfTheDemo() {
        return platform.as("platform_ops")
                .call("listRuntimeAdapters")
                .send()
                .expect(200)
                .body()
                .path("items")
                .get(0);
    }

    private static List<ObservedRecord> commands(String instance) {
        return eventuallyGet(() -> {
            var seen = platform.events()
                    .find(record -> record.topic().startsWith("runtime.commands.")
                            && record.key().equals(instance));
            assertThat(seen).isNotEmpty();
            return seen;
        });
    }

    private static ApiClient eventuallyWorking(UUID adapterId, String secret) {
        var token = exchange(adapterId, secret).expect(200).text("access_token");
        var client = platform.anonymous().as(token);
        eventually(() -> assertThat(client.call("listDesiredState")
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .isEmpty());
        return client;
    }

    private static ObjectNode desired(ApiClient adapter, String instance) {
        var page = adapter.call("listDesiredState").query("limit=100").send().expect(200);
        for (var item : page.body().path("items")) {
            if (item.path("app_instance_id").asText().equals(instance)) {
                return (ObjectNode) item;
            }
        }
        throw new AssertionError("not wanted: " + instance + " in " + page.body());
    }

    private static ApiClient.Call adapter(String operation, String id) {
        return platform.as("platform_superadmin").call(operation).path("adapter_id", id);
    }

    private static ApiResponse exchange(UUID adapterId, String secret) {
        return platform.anonymous()
                .call("exchangeAdapterToken")
                .body(Json.object().put("adapter_id", adapterId.toString()).put("adapter_secret", secret))
                .send();
    }
}
