package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests point-in-time reads, timelines, event streams and consistency checks of instances. */
class HistoryTest {
    private static final String REASON = "The tenant asked us to look";

    @TempDir
    private static Path directory;

    private static PlatformUnderTest platform;
    private static SimulatedAdapter adapter;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_STREAMS_PER_PRINCIPAL", "2"));
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        adapter.close();
        platform.close();
    }

    @Test
    void getAt_isNotFound_beforeCreationOrFromAnotherProject() {
        var id = launchRunning("young");
        var created = get(id).text("created_at");

        assertThat(statusAndCode(at(id, Instant.parse(created).minusMillis(1).toString())))
                .isEqualTo("404 app_instance_not_found");
        assertThat(statusAndCode(at(id, "0001-01-01T00:00:00Z"))).isEqualTo("404 app_instance_not_found");
        assertThat(statusAndCode(at(id, "yesterday"))).isEqualTo("400 validation_error");
        for (var operation : List.of("getInstanceTimeline", "watchAppInstance", "getAppInstance")) {
            assertThat(statusAndCode(platform.as("tenant_owner")
                            .call(operation)
                            .path("project_id", DemoData.SIBLING_PROJECT)
                            .path("app_instance_id", id)
                            .query(operation.equals("getAppInstance") ? "at=" + Instant.now() : "")
                            .send()))
                    .as(operation)
                    .isEqualTo("404 app_instance_not_found");
            assertThat(statusAndCode(platform.instance(operation, "other_tenant_owner", id)
                            .send()))
                    .as(operation)
                    .isEqualTo("404 not_found");
        }
    }

    @Test
    void getAt_returnsThePastState() {
        var id = launchRunning("mortal");
        var now = get(id);
        assertThat(at(id, Instant.now().toString()).body()).isEqualTo(now.body());
        deleted(id);

        for (var entry : timeline(id)) {
            var then = at(id, entry.path("occurred_at").asText()).expect(200);
            var last = timeline(id).stream()
                    .filter(other -> other.path("event_type").asText().startsWith("apps.instance."))
                    .filter(other -> other.path("occurred_at")
                                    .asText()
                                    .compareTo(entry.path("occurred_at").asText())
                            <= 0)
                    .reduce((before, after) -> after)
                    .orElseThrow();
            assertThat(then.text("status")).isEqualTo(last.at("/payload/status").asText());
            assertThat(then.body().path("config")).isEqualTo(now.body().path("config"));
        }
        assertThat(at(id, now.text("updated_at")).body()).isEqualTo(now.body());
        assertThat(at(id, "9999-12-31T23:59:59Z").body()).isEqualTo(get(id).body());
    }

    @Test
    void timeline_returnsEveryEventWithActorAndReason_inPages() {
        var id = launchRunning("told");
        deleted(id);

        var entries = timeline(id);

        assertThat(entries.stream().map(entry -> entry.path("sequence").asLong()))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, entries.size()).boxed().toList());
        assertThat(entries.stream().map(entry -> entry.path("event_type").asText()))
                .contains(
                        "apps.instance.requested",
                        "apps.instance.running",
                        "apps.instance.deleting",
                        "apps.instance.deleted");
        var requested = entries.get(0);
        assertThat(requested.at("/actor/display_name").asText()).isEqualTo("Demo project owner");
        assertThat(requested.path("summary").asText()).isEqualTo("requested");
        var running = entries.stream()
                .filter(entry -> entry.path("event_type").asText().equals("apps.instance.running"))
                .findFirst()
                .orElseThrow();
        assertThat(running.at("/actor/actor_type").asText()).isEqualTo("service_account");
        assertThat(running.path("correlation_id")).isEqualTo(requested.path("correlation_id"));

        var paged = new ArrayList<JsonNode>();
        var cursor = "";
        do {
            var page = platform.instance("getInstanceTimeline", "project_viewer", id)
                    .query("limit=2" + cursor)
                    .send()
                    .expect(200)
                    .body();
            assertThat(page.path("items").size()).isLessThanOrEqualTo(2);
            page.path("items").forEach(paged::add);
            cursor = page.path("next_cursor").isTextual()
                    ? "&cursor=" + page.path("next_cursor").asText()
                    : "";
        } while (!cursor.isEmpty());
        assertThat(paged).isEqualTo(entries);
        // The tenant's own is in its history, and on no topic.
        assertThat(requested.path("payload").has("config")).isTrue();
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("instances.events")))
                .isNotEmpty()
                .noneMatch(observedRecord -> observedRecord.payload().has("config"));
    }

    @Test
    void watch_sendsASnapshotAndAllEvents_andResumes() {
        adapter.hold();
        var id = platform.launch("project_owner", "watched").send().expect(202).text("id");
        var seen = new ArrayList<JsonNode>();
        try (var events = platform.instance("watchAppInstance", "project_viewer", id).stream()) {
            var snapshot = events.next();
            assertThat(snapshot.path("event").asText()).isEqualTo("snapshot");
            assertThat(snapshot.at("/data/id").asText()).isEqualTo(id);
            seen.add(snapshot);
            eventually(() -> assertThat(events.comments()).isPositive());
            adapter.release();
            until("apps.instance.running", events, seen);
        }
        var last = seen.get(seen.size() - 1).path("id").asText();
        deleted(id);
        try (var events =
                platform.instance("watchAppInstance", "project_viewer", id).header("Last-Event-ID", last).stream()) {
            until("apps.instance.deleted", events, seen);
        }

        var from = seen.get(0).path("id").asLong();
        assertThat(seen.stream().map(event -> event.path("id").asLong()))
                .as("no gap and no repeat")
                .containsExactlyElementsOf(
                        LongStream.range(from, from + seen.size()).boxed().toList());
        var entries = timeline(id);
        for (var event : seen.subList(1, seen.size())) {
            assertThat(event.path("data"))
                    .isEqualTo(entries.get(event.path("id").asInt() - 1));
        }
        var ahead = platform.instance("watchAppInstance", "project_viewer", id)
                .header("Last-Event-ID", "999999")
                .send()
                .expect(200);
        assertThat(ahead.text("event")).isEqualTo("snapshot");
        assertThat(ahead.body().path("data")).isEqualTo(get(id).body());
    }

    @Test
    void watch_ends_whenThePermissionIsRevoked() {
        var id = launchRunning("private");
        var binding = platform.as("tenant_owner")
                .call("createProjectRoleBinding")
                .path("project_id", DemoData.PROJECT)
                .body(userReference("curious").put("role", "project_viewer"))
                .send()
                .expect(201);
        var watch = platform.person("curious")
                .call("watchAppInstance")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", id)
                .header("X-Revision", binding.header("X-Revision"));
        try (var events = watch.stream()) {
            assertThat(events.next().path("event").asText()).isEqualTo("snapshot");

            platform.as("tenant_owner")
                    .call("deleteProjectRoleBinding")
                    .path("project_id", DemoData.PROJECT)
                    .path("binding_id", binding.text("id"))
                    .send()
                    .expect(200);

            var end = events.next();
            assertThat(end.path("event").asText()).isEqualTo("error");
            assertThat(end.at("/data/code").asText()).isEqualTo("not_found");
            eventually(() -> assertThat(events.isEnded()).isTrue());
        }
    }

    @Test
    void watch_isNotCompressed_andHeadReturnsItsHeadersOnly() {
        var path = "/api/v1/projects/" + DemoData.PROJECT + "/app-instances/" + launchRunning("plain") + "/events";
        var token = "Authorization: Bearer " + platform.token("project_viewer") + "\r\n";

        var head = RawHttp.exchange(platform.platform().httpPort(), "HEAD " + path + " HTTP/1.1", token);
        try (var http = new RawHttp(platform.platform().httpPort())) {
            http.send(("GET " + path + " HTTP/1.1\r\nHost: slipway\r\nAccept-Encoding: gzip\r\n" + token + "\r\n")
                    .getBytes(US_ASCII));
            var get = http.response();

            assertThat(get.header("Content-Type")).isEqualTo("text/event-stream");
            assertThat(get.header("Content-Encoding")).isEmpty();
        }
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Type")).isEqualTo("text/event-stream");
        assertThat(head.header("Cache-Control")).isEqualTo("no-store");
        assertThat(head.header("Content-Length")).isEmpty();
        assertThat(head.text()).endsWith("\r\n\r\n");
    }

    @Test
    void watch_isRefused_aboveTheStreamLimit() {
        var id = launchRunning("crowded");
        var watch = platform.instance("watchAppInstance", "project_member", id);
        try (var one = watch.stream();
                var two = watch.stream()) {
            assertThat(List.of(one.next(), two.next())).hasSize(2);
            assertThat(statusAndCode(watch.send())).isEqualTo("429 rate_limited");
        }
        eventually(() -> watch.send().expect(200));
    }

    @Test
    void watch_isAuditedOnce_throughTheAdminVariant() {
        var id = launchRunning("looked into");
        var watch = platform.instance("adminWatchAppInstance", "platform_ops", id)
                .header("X-Break-Glass-Reason", REASON)
                .header("X-Correlation-ID", "c-" + id);
        try (var events = watch.stream()) {
            assertThat(events.next().path("event").asText()).isEqualTo("snapshot");
            eventually(() -> assertThat(events.comments()).isGreaterThan(1));
        }
        deleted(id);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.break_glass.used")
                                && observedRecord
                                        .event()
                                        .path("correlation_id")
                                        .asText()
                                        .equals("c-" + id)))
                .hasSize(1));
    }

    @Test
    void check_findsOnlyTamperedInstances() {
        var from = Instant.now();
        var sound = launchRunning("sound");
        var changed = launchRunning("changed");
        var gapped = launchRunning("gapped");
        deleted(sound);
        assertThat(check(from).path("inconsistent").asInt()).isZero();
        assertThat(check(from).path("checked").asInt()).isGreaterThanOrEqualTo(3);

        platform.database()
                .execute(
                        "UPDATE instances.app_instances SET status = 'failed', config = '{\"sly\": true}' WHERE id = '%s'"
                                .formatted(changed));
        platform.database()
                .execute("DELETE FROM instances.instance_events WHERE sequence = 2 AND app_instance_id = '%s'"
                        .formatted(gapped));

        var report = check(from);
        assertThat(report.path("inconsistent").asInt()).isEqualTo(2);
        var examples = StreamSupport.stream(report.path("counter_examples").spliterator(), false)
                .toList();
        var tampered = example(examples, changed).path("differences");
        assertThat(tampered.findValuesAsText("field")).containsExactly("config", "status");
        assertThat(tampered.get(1).path("row").asText()).isEqualTo("\"failed\"");
        assertThat(tampered.get(1).path("folded").asText()).isEqualTo("\"running\"");
        assertThat(tampered.get(0).path("row").asText()).startsWith("sha256:");
        assertThat(example(examples, gapped).path("missing_sequences")).hasSize(1);
        assertThat(example(examples, gapped).at("/missing_sequences/0").asInt()).isEqualTo(2);

        var refused = platform.as("tenant_owner")
                .call("checkInstanceConsistency")
                .body(range(from))
                .send();
        assertThat(statusAndCode(refused)).isEqualTo("403 insufficient_permissions");
        assertThat(statusAndCode(platform.as("platform_ops")
                        .call("checkInstanceConsistency")
                        .body(range(from).put("to", from.toString()))
                        .send()))
                .isEqualTo("400 validation_error");
    }

    private static JsonNode example(List<JsonNode> examples, String id) {
        return examples.stream()
                .filter(example -> example.path("app_instance_id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode check(Instant from) {
        return platform.as("platform_ops")
                .call("checkInstanceConsistency")
                .body(range(from))
                .send()
                .expect(200)
                .body();
    }

    private static ObjectNode range(Instant from) {
        return Json.object().put("from", from.toString()).put("to", "9999-01-01T00:00:00Z");
    }

    private static void until(String type, dev.slipway.testkit.ServerEvents events, List<JsonNode> seen) {
        do {
            seen.add(events.next());
        } while (!seen.get(seen.size() - 1).path("event").asText().equals(type));
    }

    private static String launchRunning(String name) {
        var id = platform.launch("project_owner", name).send().expect(202).text("id");
        eventually(() -> assertThat(get(id).text("status")).isEqualTo("running"));
        return id;
    }

    private static void deleted(String id) {
        platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
        eventually(() -> assertThat(get(id).text("status")).isEqualTo("deleted"));
    }

    /** Removes the running operation, which is not part of the instance. */
    private static ApiResponse get(String id) {
        var apiResponse =
                platform.instance("getAppInstance", "project_viewer", id).send().expect(200);
        ((ObjectNode) apiResponse.body()).remove("operation_id");
        return apiResponse;
    }

    private static ApiResponse at(String id, String time) {
        return platform.instance("getAppInstance", "project_viewer", id)
                .query("at=" + time)
                .send();
    }

    private static List<JsonNode> timeline(String id) {
        return StreamSupport.stream(
                        platform.instance("getInstanceTimeline", "project_viewer", id)
                                .query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .toList();
    }
}
