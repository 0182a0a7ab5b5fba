package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests the demo's app as real processes, started by the bundled adapter through the public API. */
class DemoAppTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of(
                "SLIPWAY_SERVICES",
                "iam,catalog,instances,audit,metering,process-adapter,gateway",
                "SLIPWAY_PROCESS_ADAPTER_USAGE_WINDOW",
                "PT0.5S"));
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    private static ApiClient.Call call(String operationId, String id) {
        return platform.instance(operationId, "project_owner", id);
    }

    /** Waits until the instance runs the version, and returns its URL. */
    private static String url(String id, String version) {
        return eventuallyGet(() -> {
            var instance = call("getAppInstance", id).send().expect(200);
            assertThat(instance.text("status")).as(instance.body().toString()).isEqualTo("running");
            assertThat(instance.text("version")).isEqualTo(version);
            return instance.body().at("/runtime_state/endpoints/0/url").asText();
        });
    }

    private static JsonNode answer(String url) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).build();
        return Json.parseStoredObject(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }

    /** Waits until the operation has succeeded. */
    @CanIgnoreReturnValue
    private static JsonNode done(String id, String operationId) {
        return eventuallyGet(() -> {
            var operation = call("getInstanceOperation", id)
                    .path("operation_id", operationId)
                    .send()
                    .expect(200)
                    .body();
            assertThat(operation.path("status").asText())
                    .as(operation.toString())
                    .isEqualTo("succeeded");
            return operation;
        });
    }

    private static long ready(String id) {
        var members = call("listInstanceMembers", id).send().expect(200).body().path("items");
        return StreamSupport.stream(members.spliterator(), false)
                .filter(member -> member.path("observed_state").asText().equals("ready"))
                .filter(member -> member.path("desired_state").asText().equals("ready"))
                .count();
    }

    private static String operate(String operationId, String id, ObjectNode body) {
        return call(operationId, id).body(body).send().expect(202).text("id");
    }

    @Test
    @Proves("1.107")
    void app_isLaunchedUpgradedOperatedGrownRolledBackAndDeleted() throws Exception {
        var id = platform.launch("project_owner", "echo").send().expect(202).text("id");
        var old = url(id, DemoData.VERSION);
        assertThat(answer(old).path("version").asText()).isEqualTo(DemoData.VERSION);
        eventually(() -> assertThat(ready(id)).isEqualTo(1));

        done(id, operate("upgradeAppInstance", id, Json.object().put("version", DemoData.NEXT_VERSION)));
        var url = url(id, DemoData.NEXT_VERSION);
        assertThat(answer(url).path("version").asText()).isEqualTo(DemoData.NEXT_VERSION);
        eventually(() -> assertThat(ready(id)).isEqualTo(1));
        eventually(() -> assertThatThrownBy(() -> answer(old)).isInstanceOf(IOException.class));

        var ping = Json.object().put("operation", "echo.ping");
        ping.putObject("input").put("message", "anybody there?");
        var pong = done(id, operate("runInstanceOperation", id, ping));
        assertThat(pong.at("/output/message").asText()).isEqualTo("anybody there?");
        assertThat(pong.at("/output/member").asText())
                .isEqualTo(answer(url).path("member").asText())
                .isNotBlank();

        done(
                id,
                operate(
                        "operateInstanceMember",
                        id,
                        Json.object().put("operation", "add").put("component", "server")));
        eventually(() -> assertThat(ready(id)).isEqualTo(2));

        done(id, operate("rollbackAppInstance", id, Json.object()));
        assertThat(answer(url(id, DemoData.VERSION)).path("version").asText()).isEqualTo(DemoData.VERSION);

        var last = url(id, DemoData.VERSION);
        call("deleteAppInstance", id).send().expect(202);
        eventually(
                () -> assertThat(call("getAppInstance", id).send().expect(200).text("status"))
                        .isEqualTo("deleted"));
        assertThatThrownBy(() -> answer(last)).isInstanceOf(IOException.class);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("usage.events")
                                && observedRecord
                                        .payload()
                                        .path("app_instance_id")
                                        .asText()
                                        .equals(id)))
                .isNotEmpty());
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("runtime.report.rejected")))
                .as("no report of the adapter's was refused")
                .isEmpty();
    }
}
