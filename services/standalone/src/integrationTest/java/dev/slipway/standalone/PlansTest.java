package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests launch plans and the blockers that they report. */
class PlansTest {
    private static PlatformUnderTest platform;
    private static InstanceFixture instanceFixture;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        instanceFixture = new InstanceFixture(platform);
        instanceFixture.insertApp();
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    void launch_reportsAllInvalidParameters() {
        var body = instanceFixture.body("2.0.0");
        body.putObject("config")
                .put("berths", 99)
                .put("name", "PIER 9")
                .put("flag", "red")
                .put("draught", 3)
                .putObject("crane")
                .put("load", "heavy");

        var refused = platform.launch("project_owner", "").body(body).send();

        assertThat(statusAndCode(refused)).isEqualTo("422 launch_parameters_invalid");
        assertThat(StreamSupport.stream(refused.body().at("/details/fields").spliterator(), false)
                        .map(field -> field.path("field").asText()))
                .contains("/config/berths", "/config/name", "/config/flag", "/config/draught", "/config/crane/load");
        assertThat(statusAndCode(instanceFixture.launch("2.0.0").send())).isEqualTo("422 launch_parameters_invalid");
    }

    @Test
    void launch_appliesDefaults_andAcceptsLockedValues() {
        var body = instanceFixture.body("2.0.0");
        body.putObject("config").put("berths", 2).put("flag", "blue");

        var created = platform.launch("project_owner", "").body(body).send().expect(202);

        assertThat(created.body().path("config"))
                .isEqualTo(json("{'berths': 2, 'name': 'pier', 'crane': {'load': 7}, 'flag': 'blue'}"));
        var anything = instanceFixture.body("1.0.0").set("config", json("{'any': ['thing']}"));
        assertThat(platform.launch("project_owner", "")
                        .body(anything)
                        .send()
                        .expect(202)
                        .body()
                        .path("config"))
                .isEqualTo(json("{'any': ['thing']}"));
    }

    @Test
    void plan_returnsTheOutcome_withoutLaunching() {
        var before = instances();
        var body = instanceFixture.body("2.0.0");
        body.putObject("config").put("berths", 2);

        var plan = plan(body).expect(200);

        assertThat(plan.body().at("/decision/result").asText()).isEqualTo("allowed");
        assertThat(plan.body().at("/config/name").asText()).isEqualTo("pier");
        assertThat(plan.body().at("/adapter/runtime_backend").asText()).isEqualTo("bare_metal");
        assertThat(plan.body().at("/adapter/available").asBoolean()).isFalse();
        assertThat(plan.body().at("/policy/values")).isNotEmpty();
        assertThat(plan.text("plan_id")).isNotBlank();
        assertThat(instances()).isEqualTo(before);
        var refused = plan(instanceFixture.body("disabled")).expect(200);
        assertThat(refused.body().at("/decision/code").asText()).isEqualTo("app_version_not_launchable");
        var invalid = plan(instanceFixture.body("2.0.0")).expect(200);
        assertThat(invalid.body().at("/decision/fields/0/field").asText()).isEqualTo("/config/berths");
        assertThat(statusAndCode(platform.as("project_viewer")
                        .call("planAppInstance")
                        .path("project_id", DemoData.PROJECT)
                        .body(body)
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(instances()).isEqualTo(before);
    }

    @Test
    void create_returnsAPlan_whenDryRun() {
        var before = instances();
        var body = instanceFixture.body("2.0.0");
        body.putObject("config").put("berths", 2);

        assertThat(statusAndCode(dryRun("project_viewer", "true", body))).isEqualTo("403 insufficient_permissions");
        assertThat(statusAndCode(dryRun("project_owner", "perhaps", body))).isEqualTo("400 validation_error");
        var plan = dryRun("project_owner", "true", body).expect(200);
        var throughTwin = platform.as("platform_superadmin")
                .call("adminCreateAppInstance")
                .path("project_id", DemoData.PROJECT)
                .query("dry_run=true")
                .header("X-Break-Glass-Reason", "to see what would come of it")
                .body(instanceFixture.body("disabled"))
                .send()
                .expect(200);

        assertThat(plan.body().at("/config/name").asText()).isEqualTo("pier");
        assertThat(throughTwin.body().at("/decision/code").asText()).isEqualTo("app_version_not_launchable");
        assertThat(instances()).isEqualTo(before);
        assertThat(by(plan, body).expect(202).body().path("config"))
                .isEqualTo(plan.body().path("config"));
        dryRun("project_owner", "false", body).expect(202);
        assertThat(instances()).isEqualTo(before + 2);
    }

    @Test
    void create_usesAPlanOnce_andMatchesIt() {
        var body = instanceFixture.body("2.0.0");
        body.putObject("config").put("berths", 3);
        var plan = plan(body).expect(200);

        var created = by(plan, body).expect(202);

        assertThat(created.body().path("config")).isEqualTo(plan.body().path("config"));
        assertThat(created.text("policy_version")).isEqualTo(plan.text("policy_version"));
        assertThat(statusAndCode(by(plan, body))).isEqualTo("404 plan_not_found");
    }

    @Test
    void create_isRefused_whenThePlanIsForeignExpiredOrDifferent() {
        var body = instanceFixture.body("1.0.0");
        var foreign = body.deepCopy().put("plan_id", UUID.randomUUID().toString());
        assertThat(statusAndCode(
                        platform.launch("project_owner", "").body(foreign).send()))
                .isEqualTo("404 plan_not_found");
        var plan = plan(body).expect(200);
        var elsewhere = body.deepCopy().put("plan_id", plan.text("plan_id"));
        assertThat(statusAndCode(platform.launchIn(DemoData.SIBLING_PROJECT, "tenant_owner", "")
                        .body(elsewhere)
                        .send()))
                .isEqualTo("404 plan_not_found");

        var other = by(plan, body.deepCopy().put("display_name", "another"));
        assertThat(statusAndCode(other)).isEqualTo("409 plan_outdated");
        assertThat(other.body().at("/details/changed/0/field").asText()).isEqualTo("request");

        platform.database()
                .execute("UPDATE instances.app_instance_plans SET expires_at = now() WHERE id = '"
                        + plan.text("plan_id") + "'");
        assertThat(statusAndCode(by(plan, body))).isEqualTo("409 plan_expired");
    }

    @Test
    void create_returnsTheChanges_whenThePlanIsOutdated() {
        var body = instanceFixture.body("1.2.0");
        var plan = plan(body).expect(200);
        platform.database().execute("UPDATE instances.app_versions SET status = 'disabled' WHERE version = '1.2.0'");
        try {
            var refused = by(plan, body);

            assertThat(statusAndCode(refused)).isEqualTo("409 plan_outdated");
            assertThat(refused.body().at("/details/changed").toString())
                    .contains("app_version_not_launchable")
                    .contains("allowed");
        } finally {
            platform.database().execute("UPDATE instances.app_versions SET status = 'active' WHERE version = '1.2.0'");
        }
        by(plan, body).expect(202);
    }

    /** Five hundred concurrent launches compete for the last quota; exactly one gets it. */
    @Test
    void create_acceptsOne_whenFiveHundredRequestTheLastInstance() throws Exception {
        platform.database().execute("""
                INSERT INTO instances.app_catalog (id, slug, status, revision)
                VALUES ('01900000-0000-7000-8000-00000000c000', 'quay', 'active', 1);
                INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)
                VALUES (gen_random_uuid(), '01900000-0000-7000-8000-00000000c000', '1.0.0', 'k8s', 'active', '{}', 1);
                INSERT INTO instances.project_app_entitlements (id, org_id, project_id, app_id, enabled, policy_overrides, revision)
                SELECT gen_random_uuid(), org_id, id, '01900000-0000-7000-8000-00000000c000', true,
                    '{"max_instances_per_project": 3}', 1 FROM instances.projects WHERE slug = 'playground'
                """);
        var body = instanceFixture.body("1.0.0").put("app_slug", "quay");
        for (var i = 0; i < 2; i++) {
            platform.launch("project_owner", "").body(body).send().expect(202);
        }
        var last = plan(body).expect(200).body().path("quota");
        assertThat(last).isEqualTo(json("{'limit': 3, 'used': 2, 'after': 3}"));

        var answers = atOnce(
                500,
                () -> statusAndCode(
                        platform.launch("project_owner", "").body(body).send()));

        assertThat(answers.stream().filter(answer -> answer.startsWith("202"))).hasSize(1);
        assertThat(answers.stream().filter("409 instance_limit_reached"::equals))
                .hasSize(499);
        assertThat(plan(body).expect(200).body().at("/decision/code").asText()).isEqualTo("instance_limit_reached");
        assertThat(platform.database().query("""
                SELECT count(*) FROM instances.app_instances WHERE app_id = '01900000-0000-7000-8000-00000000c000'
                """)).isEqualTo("3");
    }

    private static List<String> atOnce(int many, Callable<String> call) throws Exception {
        var threads = Executors.newFixedThreadPool(50);
        try {
            var calls = new ArrayList<Callable<String>>();
            for (var i = 0; i < many; i++) {
                calls.add(call);
            }
            var answers = new ArrayList<String>();
            for (var answer : threads.invokeAll(calls)) {
                answers.add(answer.get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    private static ApiResponse plan(ObjectNode body) {
        return platform.as("project_member")
                .call("planAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(body)
                .send();
    }

    private static ApiResponse by(ApiResponse plan, ObjectNode body) {
        return platform.launch("project_owner", "")
                .body(body.deepCopy().put("plan_id", plan.text("plan_id")))
                .send();
    }

    private static ApiResponse dryRun(String user, String given, ObjectNode body) {
        return platform.launch(user, "").query("dry_run=" + given).body(body).send();
    }

    private static int instances() {
        return Integer.parseInt(platform.database().query("SELECT count(*) FROM instances.app_instances"));
    }

    private static ObjectNode json(String text) {
        return Json.parseStoredObject(text.replace('\'', '"'));
    }
}
