package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Members and what is done with them, operations that apps declare, and usage, with an adapter on the real broker. */
class MembersTest {
    private static final String VERSION = "3.0.0";

    @TempDir
    private static Path directory;

    private static PlatformUnderTest platform;
    private static SimulatedAdapter adapter;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
        var admin = platform.as("platform_superadmin");
        var body = Json.object();
        body.set("manifest", manifest());
        admin.call("registerAppVersion")
                .path("app_slug", Demo.APP)
                .body(body)
                .send()
                .expect(201);
        admin.call("publishAppVersion")
                .path("app_slug", Demo.APP)
                .path("version", VERSION)
                .send()
                .expect(200);
    }

    @AfterEach
    void calm() {
        adapter.fail(false);
        adapter.release();
        adapter.answer((operation, input) -> (ObjectNode) input);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        adapter.close();
        platform.close();
    }

    private static ObjectNode manifest() {
        var manifest = Json.trusted(Demo.manifest()).put("version", VERSION);
        manifest.set("components", Json.trusted("""
                {"all": [{"key": "server", "min": 1, "max": 1},
                         {"key": "worker", "min": 1, "max": 3, "default": 2, "operations": ["cordon", "uncordon", "label"]}]}
                """).path("all"));
        manifest.set("operations", Json.trusted("""
                {"all": [{"name": "queue.submit", "action": "scheduler.queue.submit", "deadline_seconds": 60,
                          "input_schema": {"type": "object", "required": ["size"], "additionalProperties": false,
                                           "properties": {"size": {"type": "integer", "minimum": 1}}},
                          "output_schema": {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}}},
                         {"name": "ping", "action": "apps.instance.read", "deadline_seconds": 60}]}
                """).path("all"));
        manifest.set("usage_units", Json.array().add("app_runtime_hour").add("token"));
        return manifest;
    }

    @Test
    @Proves({"1.58", "1.59", "2.45"})
    void members_areIssuedAtLaunch_reportedByTheAdapter_andGoneWithTheInstance() {
        var id = running("crew");

        var all = members(id);

        assertThat(all.stream().map(member -> member.path("component").asText()))
                .containsExactlyInAnyOrder("server", "worker", "worker");
        eventually(() -> assertThat(members(id)).allSatisfy(member -> {
            assertThat(member.path("observed_state").asText()).isEqualTo("ready");
            assertThat(member.path("desired_state").asText()).isEqualTo("ready");
            assertThat(member.path("generation").asInt()).isEqualTo(1);
            assertThat(member.path("component_key").asText())
                    .isEqualTo("simulated-" + member.path("id").asText());
            assertThat(member.at("/adapter_detail/simulated").asBoolean()).isTrue();
        }));
        var one = all.get(0);
        assertThat(member("getInstanceMember", id, one.path("id").asText())
                        .expect(200)
                        .text("component"))
                .isEqualTo(one.path("component").asText());
        assertThat(told(member("getInstanceMember", id, UUID.randomUUID().toString())))
                .isEqualTo("404 member_not_found");
        assertThat(told(platform.as("tenant_owner")
                        .call("listInstanceMembers")
                        .path("project_id", Demo.SIBLING_PROJECT)
                        .path("app_instance_id", id)
                        .send()))
                .isEqualTo("404 app_instance_not_found");

        platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
        eventually(() -> assertThat(members(id))
                .allSatisfy(member ->
                        assertThat(member.path("observed_state").asText()).isEqualTo("removed")));
    }

    @Test
    @Proves({"1.60", "1.65", "C.11"})
    void operations_addDrainReplaceAndRemove_withinTheBoundsOfTheComponent() {
        var id = running("elastic");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));

        var added = operated(id, Json.object().put("operation", "add").put("component", "worker"));
        assertThat(added.path("kind").asText()).isEqualTo("member");
        assertThat(ready(id, "worker")).hasSize(3);
        assertThat(told(operate(id, Json.object().put("operation", "add").put("component", "worker"))))
                .isEqualTo("409 component_bounds");
        assertThat(told(operate(id, Json.object().put("operation", "add").put("component", "ghost"))))
                .isEqualTo("400 validation_error");

        var drained = ready(id, "worker").get(0);
        operated(id, on("drain", drained));
        assertThat(state(id, drained)).isEqualTo("draining/drained/2");
        operated(id, on("remove", drained));
        assertThat(state(id, drained)).isEqualTo("removed/removed/3");
        assertThat(told(operate(id, on("remove", drained)))).isEqualTo("409 member_operation_not_allowed");

        var server = ready(id, "server").get(0);
        assertThat(told(operate(id, on("remove", server)))).isEqualTo("409 component_bounds");
        operated(id, on("replace", server));
        assertThat(state(id, server)).isEqualTo("removed/removed/2");
        assertThat(ready(id, "server")).hasSize(1).doesNotContain(server);
        assertThat(adapter.world().asked(UUID.fromString(id))).contains("member replace " + server);
    }

    @Test
    void operations_cordonUncordonAndLabel_whereTheComponentAllowsIt() {
        var id = running("marked");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var worker = ready(id, "worker").get(0);
        var server = ready(id, "server").get(0);

        operated(id, on("cordon", worker));
        assertThat(one(id, worker).path("cordoned").asBoolean()).isTrue();
        operated(id, on("uncordon", worker));
        assertThat(one(id, worker).path("cordoned").asBoolean()).isFalse();
        var label = on("label", worker);
        label.putObject("labels").put("zone", "a");
        operated(id, label);
        assertThat(one(id, worker).at("/labels/zone").asText()).isEqualTo("a");

        assertThat(told(operate(id, on("cordon", server)))).isEqualTo("409 member_operation_not_allowed");
        assertThat(told(operate(id, on("label", worker)))).isEqualTo("400 validation_error");
        assertThat(told(operate(id, on("drain", worker).put("component", "worker"))))
                .isEqualTo("400 validation_error");
        assertThat(told(operate(id, Json.object().put("operation", "drain")))).isEqualTo("400 validation_error");
    }

    @Test
    void launch_saysHowManyMembersThereAre_withinTheBoundsOfTheComponent() {
        assertThat(told(launch(counts("worker", 4)))).isEqualTo("409 component_bounds");
        assertThat(told(launch(counts("worker", 0)))).isEqualTo("409 component_bounds");
        var unknown = launch(counts("ghost", 1)).expect(400);
        assertThat(unknown.body().at("/details/fields/0/field").asText()).isEqualTo("/components/ghost");

        var id = launch(counts("worker", 3)).expect(202).text("id");

        eventually(() -> assertThat(ready(id, "worker")).hasSize(3));
        assertThat(ready(id, "server")).hasSize(1);
    }

    private static ObjectNode counts(String component, int count) {
        var body = PlatformUnderTest.launchBody("counted").put("version", VERSION);
        body.putObject("components").put(component, count);
        return body;
    }

    private static Answer launch(ObjectNode body) {
        return eventuallyGet(() -> {
            var answer = platform.as("project_owner")
                    .call("createAppInstance")
                    .path("project_id", Demo.PROJECT)
                    .body(body)
                    .send();
            assertThat(answer.text("code")).isNotEqualTo("app_version_not_found"); // the version is on its way
            return answer;
        });
    }

    @Test
    @Proves({"2.43", "2.44"})
    void topology_isForAdministrators_andNobodyChoosesAHost() {
        var id = running("governed");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var worker = ready(id, "worker").get(0);
        for (var user : List.of("project_viewer", "project_member")) {
            assertThat(told(call(user, id, on("drain", worker)).send())).isEqualTo("403 insufficient_permissions");
        }
        for (var user : List.of("project_admin", "project_owner", "tenant_admin", "tenant_owner")) {
            assertThat(ended(call(user, id, on("drain", worker)).send().expect(202))
                            .text("status"))
                    .isEqualTo("succeeded");
        }
        var chosen =
                Json.object().put("operation", "add").put("component", "worker").put("host", "node-7");
        assertThat(told(operate(id, chosen))).isEqualTo("400 validation_error");
        var placed = PlatformUnderTest.launchBody("placed");
        placed.putObject("placement_intent").put("host", "node-7");
        assertThat(told(platform.as("project_owner")
                        .call("createAppInstance")
                        .path("project_id", Demo.PROJECT)
                        .body(placed)
                        .send()))
                .isEqualTo("400 validation_error");
        assertThat(one(id, worker).path("component_key").asText()).isEqualTo("simulated-" + worker);
        assertThat(one(id, worker).at("/adapter_detail/simulated").asBoolean()).isTrue();
    }

    @Test
    void canceledOperation_leavesTheMemberAsItIs_andOneThatDidNotJoinFailed() {
        var id = running("fickle");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var worker = ready(id, "worker").get(0);
        adapter.hold();
        var drain = canceled(id, operate(id, on("drain", worker)));
        assertThat(drain.text("status")).isEqualTo("canceled");
        assertThat(state(id, worker)).isEqualTo("ready/ready/2");

        var add = canceled(id, operate(id, Json.object().put("operation", "add").put("component", "worker")));
        assertThat(state(id, add.text("member_id"))).isEqualTo("failed/ready/1");
        adapter.release();
        operated(id, on("remove", add.text("member_id")));
    }

    private static Answer canceled(String id, Answer operation) {
        var accepted = operation.expect(202);
        platform.instance("cancelInstanceOperation", "project_owner", id)
                .path("operation_id", accepted.text("id"))
                .send()
                .expect(202);
        return ended(accepted);
    }

    @Test
    void failedMember_isShownWithItsReason_andCanBeRemovedOrReplaced() {
        var id = running("frail");
        eventually(() -> assertThat(ready(id, "server")).hasSize(1));
        var server = ready(id, "server").get(0);

        adapter.member(UUID.fromString(id), UUID.fromString(server), 1, "failed", "the host burnt down");
        eventually(() -> assertThat(state(id, server)).isEqualTo("failed/ready/1"));
        assertThat(one(id, server).path("reason").asText()).isEqualTo("the host burnt down");
        operated(id, on("remove", server));
        assertThat(state(id, server)).isEqualTo("removed/removed/2");

        adapter.fail(true);
        var failed = ended(operate(id, Json.object().put("operation", "add").put("component", "server"))
                .expect(202));
        assertThat(failed.text("status")).isEqualTo("failed");
        assertThat(failed.text("reason")).isEqualTo("told to fail");
        assertThat(state(id, failed.text("member_id"))).isEqualTo("failed/ready/1");
        adapter.fail(false);
        operated(id, on("replace", failed.text("member_id")));
        assertThat(ready(id, "server")).hasSize(1);
    }

    @Test
    void report_isRefused_orChangesNothing_whenTheMemberIsUnknownOrTheStateImpossibleOrLate() {
        var id = running("strict");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var worker = ready(id, "worker").get(0);
        var instance = UUID.fromString(id);

        adapter.member(instance, UUID.randomUUID(), 1, "ready", "who?");
        eventually(() -> assertThat(rejections(id, "member_not_found")).hasSize(1));
        adapter.member(instance, UUID.fromString(worker), 1, "removed", "nobody asked");
        eventually(() -> assertThat(rejections(id, "state_conflict")).hasSize(1));
        adapter.member(instance, UUID.fromString(worker), 9, "failed", "from the future");
        eventually(() -> assertThat(rejections(id, "validation_error")).hasSize(1));
        operated(id, on("drain", worker));
        adapter.member(instance, UUID.fromString(worker), 1, "failed", "late");
        adapter.member(instance, UUID.fromString(worker), 2, "failed", "in time");

        eventually(() -> assertThat(one(id, worker).path("reason").asText()).isEqualTo("in time"));
        assertThat(timeline(id).stream()
                        .filter(entry -> entry.path("event_type").asText().equals("apps.instance_member.changed")
                                && entry.at("/payload/member_id").asText().equals(worker))
                        .map(entry -> entry.at("/payload/observed_state").asText()))
                .containsExactly("joining", "ready", "ready", "draining", "failed");
    }

    @Test
    @Proves("1.61")
    void memberOperation_isOneOfTheInstances_andOneAtATime() {
        var id = running("busy");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var workers = ready(id, "worker");
        adapter.hold();
        var key = UUID.randomUUID().toString();
        var first = call(id, on("drain", workers.get(0)))
                .header("Idempotency-Key", key)
                .send()
                .expect(202);
        assertThat(first.header("Location")).endsWith("/member-operations/" + first.text("id"));
        assertThat(call(id, on("drain", workers.get(0)))
                        .header("Idempotency-Key", key)
                        .send()
                        .expect(202)
                        .text("id"))
                .isEqualTo(first.text("id"));

        var second = operate(id, on("drain", workers.get(1))).expect(409);
        assertThat(second.text("code")).isEqualTo("operation_in_progress");
        assertThat(second.body().at("/details/operation_id").asText()).isEqualTo(first.text("id"));
        adapter.release();

        assertThat(ended(first).text("status")).isEqualTo("succeeded");
        var seen = platform.instance("getMemberOperation", "project_viewer", id)
                .path("operation_id", first.text("id"))
                .send()
                .expect(200);
        var same = platform.instance("getInstanceOperation", "project_viewer", id)
                .path("operation_id", first.text("id"))
                .send()
                .expect(200);
        assertThat(seen.body()).isEqualTo(same.body());
        var create = timeline(id).get(1).at("/payload/operation_id").asText();
        assertThat(told(platform.instance("getMemberOperation", "project_viewer", id)
                        .path("operation_id", create)
                        .send()))
                .isEqualTo("404 operation_not_found");
        assertThat(told(call("project_viewer", id, on("drain", workers.get(1))).send()))
                .isEqualTo("403 insufficient_permissions");
    }

    @Test
    void declaredOperation_isRefused_byItsOwnAction_itsInput_andItsInstance() {
        var id = running("declared");
        var size = Json.object();
        size.putObject("input").put("size", 1);
        var submit = size.put("operation", "queue.submit");

        var denied = run("project_viewer", id, submit).expect(403);
        assertThat(denied.text("message")).contains("scheduler.queue.submit");
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("action").asText().equals("scheduler.queue.submit")
                                && seen.payload().path("result").asText().equals("denied")
                                && seen.payload()
                                        .at("/metadata/app_instance_id")
                                        .asText()
                                        .equals(id)))
                .hasSize(1));
        assertThat(told(run("project_owner", id, Json.object().put("operation", "no.such"))))
                .isEqualTo("422 operation_unknown");
        var wrong = Json.object().put("operation", "queue.submit");
        wrong.putObject("input").put("size", 0).put("colour", "red");
        var invalid = run("project_owner", id, wrong).expect(422);
        assertThat(invalid.text("code")).isEqualTo("operation_input_invalid");
        assertThat(invalid.body().at("/details/fields").findValuesAsText("field"))
                .containsExactlyInAnyOrder("/input/size", "/input/colour");
        adapter.hold();
        var young = launched("young");
        assertThat(told(run("project_owner", young, submit))).isEqualTo("409 instance_state_conflict");
    }

    @Test
    @Proves("2.47")
    void declaredOperation_runs_andItsOutputHasToFit() {
        var id = running("scheduler");
        var submit = Json.object().put("operation", "queue.submit");
        submit.putObject("input").put("size", 3);
        adapter.answer((operation, input) ->
                Json.object().put("ticket", "t-" + input.path("size").asInt()));

        var done = ended(run("project_member", id, submit).expect(202));

        assertThat(done.text("status")).isEqualTo("succeeded");
        assertThat(done.text("kind")).isEqualTo("declared");
        assertThat(done.text("action")).isEqualTo("scheduler.queue.submit");
        assertThat(done.body().at("/output/ticket").asText()).isEqualTo("t-3");
        assertThat(adapter.world().asked(UUID.fromString(id))).contains("operated queue.submit");

        adapter.answer((operation, input) -> Json.object().put("ticket", 7));
        var misfit = ended(run("project_member", id, submit).expect(202));
        assertThat(misfit.text("status")).isEqualTo("failed");
        assertThat(misfit.text("reason")).contains("/output/ticket");
        eventually(() -> assertThat(rejections(id, "validation_error")).hasSize(1));

        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.topic().equals("instances.events")
                                && seen.key().equals(id)))
                .anyMatch(seen -> seen.payload().path("operation").asText().equals("queue.submit"))
                .allSatisfy(seen -> {
                    assertThat(seen.event().path("correlation_id").asText()).isNotEmpty();
                    assertThat(seen.payload().path("org_id").asText()).isEqualTo(Demo.ORG.toString());
                    assertThat(seen.payload().path("project_id").asText()).isEqualTo(Demo.PROJECT.toString());
                    assertThat(seen.payload().path("app_slug").asText()).isEqualTo(Demo.APP);
                    assertThat(seen.payload().path("app_instance_id").asText()).isEqualTo(id);
                }));
        var ping = ended(run("project_viewer", id, Json.object().put("operation", "ping"))
                .expect(202));
        assertThat(ping.text("status")).isEqualTo("succeeded");
    }

    @Test
    void changes_areRefused_onAPolicyOlderThanFiveMinutes_whichIsShown_andRemovalsAreNot() {
        var id = running("on old policy");
        eventually(() -> assertThat(ready(id, "worker")).hasSize(2));
        var database = platform.database();
        database.execute("UPDATE instances.catalog_freshness SET known_until = now() - interval '4 minutes'");
        assertThat(launched("on policy that is old enough")).isNotEmpty();

        database.execute("""
                UPDATE instances.catalog_freshness SET known_until = now() - interval '6 minutes';
                CREATE FUNCTION instances.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER nothing_is_confirmed BEFORE UPDATE ON instances.catalog_freshness
                FOR EACH ROW EXECUTE FUNCTION instances.nothing()
                """);
        try {
            var launch = PlatformUnderTest.launchBody("on no policy").put("version", VERSION);
            assertThat(told(launch(launch))).isEqualTo("503 policy_stale");
            assertThat(told(platform.instance("upgradeAppInstance", "project_owner", id)
                            .body(Json.object().put("version", Demo.VERSION))
                            .send()))
                    .isEqualTo("503 policy_stale");
            assertThat(told(operate(id, Json.object().put("operation", "add").put("component", "worker"))))
                    .isEqualTo("503 policy_stale");
            assertThat(told(run("project_owner", id, Json.object().put("operation", "ping"))))
                    .isEqualTo("503 policy_stale");
            assertThat(ready(id, "worker")).hasSize(2);
            assertThat(platform.managed("/metrics"))
                    .containsPattern("slipway_policy_age_seconds\\{service=\"instances\"} 3[6-9]\\d")
                    .containsPattern("slipway_policy_decision_seconds_count\\{service=\"instances\"} [1-9]")
                    .contains("slipway_policy_refusals_total{reason=\"policy_stale\",service=\"instances\"} 4.0");
            platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
        } finally {
            database.execute("DROP TRIGGER nothing_is_confirmed ON instances.catalog_freshness");
        }
        eventually(() -> assertThat(platform.managed("/metrics"))
                .containsPattern("slipway_policy_age_seconds\\{service=\"instances\"} [12]?\\d\\."));
    }

    @Test
    @Proves("2.20")
    void usage_isCountedOnce_inTheUnitsOfTheManifest_exactly() {
        var id = running("metered");
        var instance = UUID.fromString(id);
        var from = Instant.now().minusSeconds(60);
        var to = Instant.now();
        var first = UUID.randomUUID();

        adapter.usage(instance, first, "token", "0.1", from, to);
        adapter.usage(instance, first, "token", "0.1", from, to);
        adapter.usage(instance, UUID.randomUUID(), "token", "0.2", from, to);
        adapter.usage(instance, UUID.randomUUID(), "app_runtime_hour", "123456789.000001", from, to);
        adapter.usage(instance, UUID.randomUUID(), "gpu_hour", "1", from, to);
        adapter.usage(instance, UUID.randomUUID(), "token", "1", to, from);
        adapter.usage(instance, UUID.randomUUID(), "token", "1", from, to.plusSeconds(86_400));

        eventually(() -> assertThat(rejections(id, "validation_error")).hasSize(3));
        eventually(() -> assertThat(used(id).path("reported").toString())
                .isEqualTo("[{\"unit\":\"app_runtime_hour\",\"quantity\":\"123456789.000001\"},"
                        + "{\"unit\":\"token\",\"quantity\":\"0.3\"}]"));
        assertThat(used(id).path("org_id").asText()).isEqualTo(Demo.ORG.toString());
        assertThat(used(id).path("project_id").asText()).isEqualTo(Demo.PROJECT.toString());
        assertThat(platform.events()
                        .where(seen -> seen.topic().equals("usage.events")
                                && seen.payload().path("usage_id").asText().equals(first.toString())))
                .as("told twice, counted once")
                .hasSize(2);
    }

    private static JsonNode used(String id) {
        return eventuallyGet(() -> StreamSupport.stream(
                        platform.as("project_owner")
                                .call("getProjectUsage")
                                .path("project_id", Demo.PROJECT)
                                .query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .filter(item -> item.path("app_instance_id").asText().equals(id))
                .findFirst()
                .orElseThrow());
    }

    private static List<?> rejections(String id, String code) {
        return platform.events()
                .where(seen -> seen.type().equals("runtime.report.rejected")
                        && seen.payload().path("app_instance_id").asText().equals(id)
                        && seen.payload().path("code").asText().equals(code));
    }

    private static String launched(String name) {
        return launch(PlatformUnderTest.launchBody(name).put("version", VERSION))
                .expect(202)
                .text("id");
    }

    private static String running(String name) {
        var id = launched(name);
        eventually(() -> assertThat(platform.instance("getAppInstance", "project_viewer", id)
                        .send()
                        .text("status"))
                .isEqualTo("running"));
        return id;
    }

    private static List<JsonNode> members(String id) {
        return items(platform.instance("listInstanceMembers", "project_viewer", id));
    }

    private static List<JsonNode> timeline(String id) {
        return items(platform.instance("getInstanceTimeline", "project_viewer", id));
    }

    private static List<JsonNode> items(Call call) {
        return StreamSupport.stream(
                        call.query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .toList();
    }

    /** The ids of those of a component that are ready. */
    private static List<String> ready(String id, String component) {
        return members(id).stream()
                .filter(member -> member.path("component").asText().equals(component)
                        && member.path("observed_state").asText().equals("ready"))
                .map(member -> member.path("id").asText())
                .toList();
    }

    private static Answer member(String operation, String id, String memberId) {
        return platform.instance(operation, "project_viewer", id)
                .path("member_id", memberId)
                .send();
    }

    private static JsonNode one(String id, String memberId) {
        return member("getInstanceMember", id, memberId).expect(200).body();
    }

    private static String state(String id, String memberId) {
        var member = one(id, memberId);
        return member.path("observed_state").asText() + "/"
                + member.path("desired_state").asText() + "/"
                + member.path("generation").asInt();
    }

    private static ObjectNode on(String operation, String memberId) {
        return Json.object().put("operation", operation).put("member_id", memberId);
    }

    private static Call call(String id, JsonNode body) {
        return call("project_owner", id, body);
    }

    private static Call call(String user, String id, JsonNode body) {
        return platform.instance("operateInstanceMember", user, id).body(body);
    }

    private static Answer operate(String id, JsonNode body) {
        return call(id, body).send();
    }

    /** The operation, once it has succeeded. */
    @CanIgnoreReturnValue
    private static JsonNode operated(String id, JsonNode body) {
        var ended = ended(operate(id, body).expect(202));
        assertThat(ended.text("status")).as("%s", ended.body()).isEqualTo("succeeded");
        return ended.body();
    }

    private static Answer run(String user, String id, JsonNode body) {
        return platform.instance("runInstanceOperation", user, id).body(body).send();
    }

    private static Answer ended(Answer accepted) {
        return eventuallyGet(() -> {
            var now = platform.instance("getInstanceOperation", "project_viewer", accepted.text("app_instance_id"))
                    .path("operation_id", accepted.text("id"))
                    .send()
                    .expect(200);
            assertThat(now.text("status")).isIn("succeeded", "failed", "canceled");
            return now;
        });
    }
}
