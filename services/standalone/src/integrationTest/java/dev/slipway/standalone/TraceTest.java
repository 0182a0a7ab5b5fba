package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.OtlpReceiver;
import dev.slipway.testkit.OtlpReceiver.ReceivedSpan;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests that one trace contains everything from the request to its last effect. */
class TraceTest {
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    private static OtlpReceiver collector;
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        collector = new OtlpReceiver();
        platform = new PlatformUnderTest(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint(),
                "OTEL_BSP_SCHEDULE_DELAY", "100",
                "SLIPWAY_SERVICES", String.join(",", StandaloneConfig.SERVICES)));
    }

    @AfterAll
    static void stop() {
        platform.close();
        collector.close();
    }

    @Test
    @Proves("1.16")
    void launch_hasOneTrace_includingAdapter() throws Exception {
        var id = platform.launch("project_owner", "traced")
                .header("traceparent", "00-" + TRACE_ID + "-b7ad6b7169203331-01")
                .header("X-Correlation-ID", "trace-test")
                .send()
                .expect(202)
                .text("id");

        eventually(() -> assertThat(collector.trace(TRACE_ID))
                .extracting(ReceivedSpan::name)
                .contains(
                        "POST",
                        "send",
                        "Query",
                        "publish instances.events",
                        "publish runtime.commands.bare_metal",
                        "deploy echo",
                        "publish runtime.reports",
                        "process runtime.report.running",
                        "process apps.instance.running"));
        assertThat(collector.trace(TRACE_ID))
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("correlation_id", "trace-test"));
        assertRunsAndStops(id);
    }

    /** Follows an error to its log line, trace and instance. */
    @Test
    @Proves({"1.88", "2.48", "2.63"})
    void operation_isInLogTraceAndTimeline_whenItFailed() {
        var id = runsWithAQueue();
        try (var log = new CapturedLog()) {
            platform.database().execute("REVOKE INSERT ON instances.app_instance_operations FROM slipway_instances");
            String correlation;
            try {
                correlation = submit(id).send().expect(500).text("correlation_id");
            } finally {
                platform.database().execute("GRANT INSERT ON instances.app_instance_operations TO slipway_instances");
            }
            var operation = submit(id)
                    .header("X-Correlation-ID", correlation)
                    .send()
                    .expect(202)
                    .text("id");
            eventually(() -> assertThat(queued("getInstanceOperation", id)
                            .path("operation_id", operation)
                            .send()
                            .expect(200)
                            .text("status"))
                    .isEqualTo("failed"));

            var lines = log.of(correlation);
            assertThat(lines)
                    .extracting(line -> line.path("message").asText())
                    .contains("operation failed", "command completed");
            var traces = lines.stream()
                    .map(line -> line.path("trace_id").asText())
                    .distinct()
                    .toList();
            assertThat(traces).hasSize(2);
            eventually(() -> assertThat(traces.stream().flatMap(trace -> collector.trace(trace).stream()))
                    .extracting(ReceivedSpan::name)
                    .contains("POST", "operate echo", "process runtime.report.operation"));
            var story = eventuallyGet(() -> {
                var found = platform.as("tenant_owner")
                        .call("getCorrelation")
                        .path("correlation_id", correlation)
                        .send()
                        .expect(200)
                        .body();
                assertThat(found.path("items").findValuesAsText("title"))
                        .contains("runInstanceOperation", "apps.instance_operation.failed");
                return found;
            });
            assertThat(story.path("trace_ids").toString()).contains(traces);
            assertThat(story.at("/links/logql").asText()).endsWith(" |= \"" + correlation + "\"");
            assertThat(story.at("/links/traceql").asText())
                    .isEqualTo("{ span.correlation_id = \"" + correlation + "\" }");
            assertThat(traces.stream().flatMap(trace -> collector.trace(trace).stream()))
                    .allSatisfy(span -> assertThat(span.attributes()).containsEntry("correlation_id", correlation));
            assertThat(queued("getInstanceTimeline", id)
                            .send()
                            .expect(200)
                            .body()
                            .path("items"))
                    .extracting(entry -> entry.path("event_type").asText() + " "
                            + entry.path("correlation_id").asText().equals(correlation))
                    .contains("apps.instance.requested false", "apps.instance.running false")
                    .contains("apps.instance_operation.accepted true", "apps.instance_operation.failed true");
        }
    }

    private static Call submit(String id) {
        return queued("runInstanceOperation", id).body(Json.object().put("operation", "queue.submit"));
    }

    private static Call queued(String operation, String id) {
        return platform.as("tenant_owner")
                .call(operation)
                .path("project_id", DemoData.SIBLING_PROJECT)
                .path("app_instance_id", id);
    }

    /** Launches an instance of a version with a declared operation that its program does not have. */
    private static String runsWithAQueue() {
        var manifest = Json.parseStoredObject(DemoData.manifest()).put("version", "1.0.0-queue");
        manifest.putArray("operations")
                .addObject()
                .put("name", "queue.submit")
                .put("action", "scheduler.queue.submit")
                .put("deadline_seconds", 60);
        var body = Json.object();
        body.set("manifest", manifest);
        var admin = platform.as("platform_superadmin");
        admin.call("registerAppVersion")
                .path("app_slug", DemoData.APP)
                .body(body)
                .send()
                .expect(201);
        admin.call("publishAppVersion")
                .path("app_slug", DemoData.APP)
                .path("version", "1.0.0-queue")
                .send()
                .expect(200);
        platform.awaitReplication();
        var id = platform.launchIn(DemoData.SIBLING_PROJECT, "tenant_owner", "")
                .body(PlatformUnderTest.launchBody("with a queue").put("version", "1.0.0-queue"))
                .send()
                .expect(202)
                .text("id");
        eventually(() ->
                assertThat(queued("getAppInstance", id).send().text("status")).isEqualTo("running"));
        return id;
    }

    /** Asserts that foreign and missing ids cause the same statements, so that timing reveals nothing. */
    @Test
    void call_runsSameStatements_whenTargetIsForeignOrMissing() {
        var foreign = CredentialCalls.createAccount(platform, DemoData.OTHER_PROJECT);
        var credential = CredentialCalls.createCredential(platform, DemoData.OTHER_PROJECT, foreign);
        var jti = DecodedToken.of(CredentialCalls.exchangeToken(platform, credential))
                .jti();
        var instance = platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "foreign")
                .send()
                .expect(202)
                .text("id");

        for (var operation : List.of("getServiceAccount", "disableServiceAccount", "listServiceAccountCredentials")) {
            assertAlike(operation, "service_account_id", foreign);
        }
        assertAlike("revokeProjectToken", "jti", jti);
        assertAlike("getAppInstance", "app_instance_id", instance);
        assertAlike("deleteAppInstance", "app_instance_id", instance);
        assertAlike("listServiceAccounts", "project_id", DemoData.OTHER_PROJECT.toString());
        assertAlike("createAppInstance", "project_id", DemoData.OTHER_PROJECT.toString());
        var wrongSecret = statements(platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(CredentialCalls.client(credential.text("credential_id"), "sws_wrong")));
        var wrongId = statements(platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(CredentialCalls.client(UUID.randomUUID().toString(), "sws_wrong")));
        assertThat(wrongSecret).isEqualTo(wrongId).hasSizeGreaterThan(3);
        assertThat(statements(exchange(DemoData.ADAPTER, instance)))
                .isEqualTo(statements(exchange(UUID.randomUUID(), instance)))
                .hasSizeGreaterThan(3);
    }

    private static void assertAlike(String operation, String parameter, String foreign) {
        var there = statements(ofDemoProject(operation, parameter, foreign));
        var nowhere =
                statements(ofDemoProject(operation, parameter, UUID.randomUUID().toString()));
        assertThat(there).as(operation).isEqualTo(nowhere).isNotEmpty();
    }

    private static Call ofDemoProject(String operation, String parameter, String id) {
        var call =
                platform.as("project_owner").call(operation).path(parameter, id).path("project_id", DemoData.PROJECT);
        return operation.startsWith("create") ? call.body(PlatformUnderTest.launchBody("x")) : call;
    }

    private static Call exchange(UUID adapterId, String instance) {
        return platform.anonymous()
                .call("exchangeOperatorToken")
                .body(Json.object()
                        .put("adapter_id", adapterId.toString())
                        .put("adapter_secret", "wrong")
                        .put("app_instance_id", instance)
                        .put("command_id", UUID.randomUUID().toString()));
    }

    /** Returns the statements of a refused call. */
    private static List<String> statements(Call call) {
        var trace = UUID.randomUUID().toString().replace("-", "");
        var apiResponse = call.header("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                .send();
        assertThat(apiResponse.status()).isIn(401, 404);
        // The request's own span ends last, and spans arrive in the order in which they end.
        eventually(() -> assertThat(collector.trace(trace))
                .anySatisfy(span -> assertThat(span.parentSpanId()).isEqualTo("b7ad6b7169203331")));
        return collector.trace(trace).stream()
                .map(span -> span.attributes().getOrDefault("db.query.text", ""))
                .filter(sql -> !sql.isEmpty())
                .sorted()
                .toList();
    }

    /** Asserts that running instances respond and deleted ones do not. */
    private static void assertRunsAndStops(String id) throws Exception {
        var running =
                platform.instance("getAppInstance", "project_viewer", id).send().expect(200);
        var endpoint = running.body().at("/runtime_state/endpoints/0/url").asText();
        assertThat(running.text("status")).isEqualTo("running");
        assertThat(get(endpoint + "/hello")).contains(id);

        platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);

        eventually(() -> assertThat(platform.instance("getAppInstance", "project_viewer", id)
                        .send()
                        .text("status"))
                .isEqualTo("deleted"));
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().startsWith("apps.instance.")
                                && observedRecord.key().equals(id)))
                .extracting(EventTap.ObservedRecord::type)
                .containsExactly(
                        "apps.instance.requested",
                        "apps.instance.deploying",
                        "apps.instance.running",
                        "apps.instance.deleting",
                        "apps.instance.deleted"));
        assertThat(platform.events().violations()).isEmpty();
        assertThatThrownBy(() -> get(endpoint + "/hello")).isInstanceOf(IOException.class);
        var usage = platform.as("project_viewer")
                .call("getProjectUsage")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(200);
        assertThat(usage.body().at("/items/0/app_instance_id").asText()).isEqualTo(id);
        assertThat(new BigDecimal(usage.body().at("/items/0/quantity_seconds").asText()))
                .isPositive();
    }

    private static String get(String url) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
