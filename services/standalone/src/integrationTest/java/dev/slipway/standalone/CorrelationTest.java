package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that one correlation id leads to everything a request caused, visible only to authorized users. */
class CorrelationTest {
    /** Records that processes send regularly, without a request. */
    private static final Set<String> PERIODIC = Set.of(
            "state.heartbeat",
            "evidence.heartbeat",
            "status.process.reported",
            "consistency.claims.stated",
            "consistency.check.completed",
            "tenants.usage.reported");

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
    void timeline_isNotFound_whenCallerMayReadNoEntry() {
        var id = "private-" + UUID.randomUUID();
        platform.launch("project_owner", id)
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);
        eventually(() ->
                assertThat(titles(timeline("project_viewer", id), "event")).contains("apps.instance.requested"));

        for (var stranger : List.of("other_tenant_owner", "platform_superadmin", "platform_ops")) {
            var refused = platform.as(stranger)
                    .call("getCorrelation")
                    .path("correlation_id", id)
                    .send()
                    .expect(404);
            assertThat(refused.text("code")).isEqualTo("correlation_not_found");
        }
    }

    @Test
    void timeline_returnsOnlyOwnEntries_whenTenantsUseSameCorrelationId() {
        var id = "shared-" + UUID.randomUUID();
        platform.launch("project_owner", id)
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);
        platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "theirs")
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);

        for (var reader : List.of("tenant_owner", "other_tenant_owner")) {
            var own = reader.equals("tenant_owner") ? DemoData.ORG : DemoData.OTHER_ORG;
            eventually(() -> assertThat(items(timeline(reader, id)))
                    .filteredOn(item -> !item.path("title").asText().startsWith("apps.instance_"))
                    .extracting(item -> item.path("kind").asText())
                    .containsExactlyInAnyOrder("call", "audit", "event"));
            assertThat(items(timeline(reader, id)))
                    .extracting(item -> item.path("org_id").asText())
                    .containsOnly(own.toString());
        }
    }

    @Test
    @Proves("1.16")
    void timeline_returnsAllEntriesInOrder() {
        var id = "incident-" + UUID.randomUUID();
        var instance = launch("project_owner", id);
        platform.instance("getAppInstance", "project_viewer", instance)
                .header("X-Correlation-ID", id)
                .send()
                .expect(200);
        platform.launch("project_viewer", "not mine to launch")
                .header("X-Correlation-ID", id)
                .send()
                .expect(403);
        platform.launch("project_owner", "")
                .header("X-Correlation-ID", id)
                .send()
                .expect(400);
        platform.instance("deleteAppInstance", "project_admin", instance)
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);

        var timeline = eventuallyGet(() -> {
            var found = timeline("project_viewer", id);
            assertThat(titles(found, "call")).hasSize(5);
            assertThat(titles(found, "audit")).hasSize(3);
            assertThat(titles(found, "event")).contains("apps.instance.requested", "apps.instance.deleting");
            return found;
        });

        assertThat(titles(timeline, "call"))
                .containsExactly(
                        "createAppInstance",
                        "getAppInstance",
                        "createAppInstance",
                        "createAppInstance",
                        "deleteAppInstance");
        assertThat(items(timeline).stream()
                        .filter(item -> item.path("kind").asText().equals("call"))
                        .map(item -> item.at("/detail/status").asInt()))
                .containsExactly(202, 200, 403, 400, 202);
        assertThat(items(timeline).stream()
                        .filter(item -> item.path("kind").asText().equals("audit"))
                        .map(item -> item.path("title").asText() + " "
                                + item.at("/detail/result").asText()))
                .containsExactly(
                        "apps.instance.create success", "apps.instance.create denied", "apps.instance.delete success");
        assertThat(titles(timeline, "event"))
                .filteredOn(title -> title.startsWith("apps.instance."))
                .containsExactly("apps.instance.requested", "apps.instance.deleting");
        var times = items(timeline).stream()
                .map(item -> Instant.parse(item.path("at").asText()))
                .toList();
        assertThat(times).isSorted();
        assertTraced(timeline);
    }

    @Test
    @Proves("C.03")
    void correlationId_isUsed_whenValid() {
        var id = "kept:" + UUID.randomUUID() + "._-" + "x".repeat(80);
        assertThat(sendWithHeader("X-Correlation-ID", id)).isEqualTo(id);
        assertThat(sendWithHeader("X-Request-Id", id)).isEqualTo(id);
        assertThat(platform.as("project_viewer")
                        .call("getMe")
                        .header("X-Request-Id", "request")
                        .header("X-Correlation-ID", "correlation")
                        .send()
                        .header("X-Correlation-ID"))
                .isEqualTo("correlation");
        assertThat(platform.as("project_viewer")
                        .call("getMe")
                        .header("X-Request-Id", "request")
                        .header("X-Correlation-ID", "not valid")
                        .send()
                        .header("X-Correlation-ID"))
                .isEqualTo("request");
        for (var bad : List.of("has space", "x".repeat(129), "semi;colon", "%0a", "", "{}")) {
            for (var header : List.of("X-Correlation-ID", "X-Request-Id")) {
                assertThat(UUID.fromString(sendWithHeader(header, bad))).isNotNull();
            }
        }
        var unrouted = RawHttp.exchange(
                platform.platform().httpPort(), "GET /nowhere HTTP/1.1", "X-Correlation-ID: " + id + "\r\n");
        assertThat(unrouted.header("X-Correlation-ID")).isEqualTo(id);
        assertThat(unrouted.body().path("correlation_id").asText()).isEqualTo(id);
    }

    @Test
    @Proves({"1.70", "1.87"})
    void record_hasCloudEventHeadersTraceAndGaplessSequence() {
        var ids = new ArrayList<String>();
        for (var i = 0; i < 5; i++) {
            ids.add(launch("project_owner", "numbered-" + UUID.randomUUID()));
        }
        ids.forEach(id -> platform.instance("deleteAppInstance", "project_owner", id)
                .send()
                .expect(202));

        for (var id : ids) {
            eventually(() -> assertThat(lifeOf(id))
                    .extracting(ObservedRecord::type)
                    .containsExactly(
                            "apps.instance.requested",
                            "apps.instance_operation.accepted",
                            "apps.instance_operation.canceled",
                            "apps.instance.deleting",
                            "apps.instance_operation.accepted"));
            assertThat(lifeOf(id))
                    .extracting(observedRecord ->
                            observedRecord.payload().path("sequence").asLong())
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 5).boxed().toList());
            assertThat(lifeOf(id)).allSatisfy(observedRecord -> {
                assertThat(observedRecord.payload().path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
                assertThat(observedRecord.payload().path("project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
                assertThat(observedRecord.payload().path("app_slug").asText()).isEqualTo(DemoData.APP);
                assertThat(observedRecord.payload().path("app_instance_id").asText())
                        .isEqualTo(id);
            });
        }
        for (var id : ids) {
            eventually(() -> assertThat(platform.events()
                            .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                    && observedRecord
                                            .payload()
                                            .path("target_id")
                                            .asText()
                                            .equals(id)))
                    .hasSize(2)
                    .allSatisfy(CorrelationTest::assertMutationContext));
        }
        var all = platform.events().find(observedRecord -> true);
        assertThat(all.stream().map(ObservedRecord::topic).collect(Collectors.toSet()))
                .contains("instances.events", "audit.events", "calls", "authz.state", "runtime.commands.bare_metal");
        all.forEach(CorrelationTest::assertCloudEvent);
        assertThat(platform.events().violations()).isEmpty();
    }

    private static void assertMutationContext(ObservedRecord observedRecord) {
        assertThat(observedRecord.event().path("correlation_id").asText()).isNotEmpty();
        assertThat(observedRecord.payload().path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
        assertThat(observedRecord.payload().path("project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
        assertThat(observedRecord.payload().at("/metadata/app_slug").asText()).isEqualTo(DemoData.APP);
    }

    private static void assertCloudEvent(ObservedRecord observedRecord) {
        var headers = observedRecord.headers();
        assertThat(headers)
                .containsEntry("content-type", "application/json")
                .containsEntry("ce_specversion", "1.0")
                .containsEntry("ce_id", observedRecord.event().path("event_id").asText())
                .containsEntry("ce_type", observedRecord.type())
                .containsEntry(
                        "ce_time", observedRecord.event().path("occurred_at").asText())
                .containsEntry(
                        "ce_correlationid",
                        observedRecord.event().path("correlation_id").asText())
                .containsKeys("ce_source", "ce_subject");
        if (observedRecord.type().equals("gateway.calls")) {
            // Many requests in one record: each names its own trace.
            assertThat(observedRecord.payload().path("calls")).isNotEmpty().allSatisfy(call -> assertThat(
                            call.path("trace_id").asText())
                    .matches("(?!0{32})[0-9a-f]{32}"));
        } else if (!PERIODIC.contains(observedRecord.type())) {
            assertThat(headers.get("traceparent"))
                    .as(observedRecord.type())
                    .matches("00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
        }
    }

    private static void assertTraced(JsonNode timeline) {
        var traceIds = items(timeline).stream()
                .map(item -> item.path("trace_id").asText())
                .distinct()
                .toList();
        assertThat(traceIds).hasSize(5).allMatch(id -> id.matches("[0-9a-f]{32}"));
        assertThat(StreamSupport.stream(timeline.path("trace_ids").spliterator(), false)
                        .map(JsonNode::asText))
                .containsExactlyElementsOf(traceIds);
        // What a call caused is in the call's own trace.
        assertThat(traceOf(timeline, "event", "apps.instance.requested"))
                .isEqualTo(traceOf(timeline, "call", "createAppInstance"));
        assertThat(traceOf(timeline, "audit", "apps.instance.delete"))
                .isEqualTo(traceOf(timeline, "call", "deleteAppInstance"));
    }

    private static String traceOf(JsonNode timeline, String kind, String title) {
        return items(timeline).stream()
                .filter(item -> item.path("kind").asText().equals(kind)
                        && item.path("title").asText().equals(title))
                .map(item -> item.path("trace_id").asText())
                .findFirst()
                .orElseThrow();
    }

    private static List<ObservedRecord> lifeOf(String instanceId) {
        return platform.events()
                .find(observedRecord -> observedRecord.topic().equals("instances.events")
                        && observedRecord.key().equals(instanceId));
    }

    private static String launch(String user, String correlationId) {
        return platform.launch(user, correlationId)
                .header("X-Correlation-ID", correlationId)
                .send()
                .expect(202)
                .text("id");
    }

    private static String sendWithHeader(String header, String value) {
        return platform.as("project_viewer")
                .call("getMe")
                .header(header, value)
                .send()
                .expect(200)
                .header("X-Correlation-ID");
    }

    private static JsonNode timeline(String reader, String id) {
        var apiResponse = platform.as(reader)
                .call("getCorrelation")
                .path("correlation_id", id)
                .send();
        return apiResponse.status() == 200 ? apiResponse.body() : Json.object();
    }

    private static List<JsonNode> items(JsonNode timeline) {
        return StreamSupport.stream(timeline.path("items").spliterator(), false).toList();
    }

    private static List<String> titles(JsonNode timeline, String kind) {
        return items(timeline).stream()
                .filter(item -> item.path("kind").asText().equals(kind))
                .map(item -> item.path("title").asText())
                .toList();
    }
}
