package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.Home;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.PolicyCalls.json;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Entitlements and policy levels, as administrators use them. */
class PolicyTest {
    private static PlatformUnderTest platform;
    private static Tenants tenants;
    private static PolicyCalls policies;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        tenants = new Tenants(platform);
        policies = new PolicyCalls(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"1.83", "1.84"})
    void entitlement_isRefused_whenItIsUnknownMalformedOrWidens() {
        var home = home("refusals");
        home.levelOf("organization").say("{'allowed_regions': ['eu'], 'max_instances_per_project': 5}", "{}");

        assertThat(told(home.entitle("nothing-such", "{}").send())).isEqualTo("404 app_not_found");
        var unknown = home.entitle("{'policy_overrides': {'allowed_moons': ['io'], 'max_gpus_per_instance': 'many'}}")
                .send()
                .expect(422);
        var widening = home.entitle(
                        "{'policy_overrides': {'allowed_regions': ['eu', 'us'], 'max_instances_per_project': 6}}")
                .send()
                .expect(409);
        var modes = home.entitle("{'policy_overrides': {'allowed_operating_modes': ['platform_managed']}}")
                .send()
                .expect(409);

        assertThat(unknown.text("code")).isEqualTo("policy_invalid");
        assertThat(unknown.body().at("/details/fields").findValuesAsText("field"))
                .containsExactlyInAnyOrder(
                        "/policy_overrides/allowed_moons", "/policy_overrides/max_gpus_per_instance");
        assertThat(widenings(widening))
                .containsExactly("allowed_regions organization 1", "max_instances_per_project organization 1");
        assertThat(widenings(modes)).containsExactly("allowed_operating_modes global 0");
        assertThat(told(home.call("getAppEntitlement")
                        .path("app_slug", Demo.APP)
                        .send()))
                .isEqualTo("404 entitlement_not_found");
    }

    @Test
    @Proves({"1.21", "1.45", "1.46", "1.63", "1.67", "1.97"})
    void entitlement_isSetReadAndTold_withBeforeAndAfter() {
        var home = home("set");

        var first = home.entitle("{}").header("Idempotency-Key", "first").send().expect(200);
        var again = home.entitle("{}").header("Idempotency-Key", "first").send().expect(200);
        var second = home.entitle("{'enabled': false, 'policy_overrides': {'allowed_regions': ['eu']}}")
                .header("If-Match", first.header("ETag"))
                .send()
                .expect(200);

        assertThat(first.body().path("enabled").asBoolean()).isTrue();
        assertThat(first.body().path("policy_overrides")).isEmpty();
        assertThat(first.header("ETag")).isEqualTo("\"1\"");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("ETag")).isEqualTo("\"1\"");
        assertThat(second.header("ETag")).isEqualTo("\"2\"");
        var read =
                home.call("getAppEntitlement").path("app_slug", Demo.APP).send().expect(200);
        assertThat(read.body()).isEqualTo(second.body());
        assertThat(read.header("ETag")).isEqualTo("\"2\"");
        var list = home.call("listAppEntitlements").send().expect(200);
        assertThat(Tenants.texts(list, "app_slug")).containsExactly(Demo.APP);
        var id = second.text("id");
        eventually(
                () -> assertThat(tenants.audits("apps.entitlement.write", id)).hasSize(2));
        var audit = tenants.audits("apps.entitlement.write", id).get(1);
        assertThat(audit.at("/metadata/before")).isEqualTo(first.body());
        assertThat(audit.at("/metadata/after")).isEqualTo(second.body());
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("apps.entitlement.updated")
                                && seen.key().equals(home.projectId())))
                .extracting(seen -> seen.payload().path("enabled").asBoolean())
                .containsExactly(true, false));
        tenants.last("catalog.state", "entitlement:" + id, entitlement -> assertThat(
                        entitlement.path("revision").asInt())
                .isEqualTo(2));
    }

    @Test
    void entitlement_isChangedByOne_whenTwoWriteTheSameVersion() {
        var home = home("writers");
        var etag = home.entitle("{}").send().expect(200).header("ETag");

        assertThat(told(home.entitle("{}").send())).isEqualTo("428 precondition_required");
        var answers = List.of("['eu']", "['us']").stream()
                .map(regions -> CompletableFuture.supplyAsync(
                        () -> home.entitle("{'policy_overrides': {'allowed_regions': " + regions + "}}")
                                .header("If-Match", etag)
                                .send()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(200, 412);
        var lost = answers.stream().filter(a -> a.status() == 412).findFirst().orElseThrow();
        assertThat(lost.header("ETag")).isEqualTo("\"2\"");
        assertThat(lost.body().at("/details/etag").asText()).isEqualTo("\"2\"");
        for (var other : List.of("\"1\"", "\"3\"", "W/\"2\"", "\"1\", \"3\"")) {
            assertThat(told(home.entitle("{}").header("If-Match", other).send()))
                    .as(other)
                    .isEqualTo("412 precondition_failed");
        }
        home.entitle("{}").header("If-Match", "\"1\", \"2\"").send().expect(200);
        home.entitle("{}").header("If-Match", "*").send().expect(200);
    }

    @Test
    @Proves({"1.82", "1.85"})
    void app_cannotBeEnabled_whenALevelDeniesIt() {
        var home = home("denied");
        var enabled = home.entitle("{}").send().expect(200);
        home.levelOf("organization").say("{}", "{'allowed_apps': ['echo']}");

        assertThat(told(home.entitle("{}").header("If-Match", "*").send())).isEqualTo("403 app_denied");
        assertThat(widenings(home.levelOf("project")
                        .saying("{'allowed_apps': ['echo']}", "{}")
                        .expect(409)))
                .containsExactly("allowed_apps organization 1");
        home.entitle("{'enabled': false}")
                .header("If-Match", enabled.header("ETag"))
                .send()
                .expect(200);
        var effective = home.effective("");
        assertThat(effective.body().at("/hard_denies/allowed_apps/0").asText()).isEqualTo("echo");
    }

    @Test
    @Proves({"1.80", "1.81", "1.84", "1.86"})
    void levels_narrowOneAfterAnother_andTheEffectNamesWhoSetIt() {
        var home = home("levels");
        home.entitle("{'policy_overrides': {'max_instances_per_project': 8}}")
                .send()
                .expect(200);
        home.levelOf("organization")
                .say("{'allowed_regions': ['eu', 'us', 'ap'], 'max_instances_per_project': 10}", "{}");
        home.levelOf("department").say("{'allowed_regions': ['us', 'eu']}", "{}");
        home.levelOf("project").say("{'allowed_regions': ['eu']}", "{}");
        assertThat(widenings(home.levelOf("department")
                        .saying("{'allowed_regions': ['mars']}", "{}")
                        .expect(409)))
                .containsExactly("allowed_regions organization 1");

        // A level above may tighten later: what is below stays written, and counts for less.
        home.levelOf("organization").say("{'allowed_regions': ['us'], 'max_instances_per_project': 4}", "{}");
        var effective = home.effective("app_slug=echo&explain=true");

        assertThat(effective.body().at("/values/allowed_regions")).isEmpty();
        assertThat(effective.body().at("/values/max_instances_per_project").asInt())
                .isEqualTo(4);
        assertThat(effective.body().at("/values/allowed_skus").isNull()).isTrue();
        var instances = explained(effective, "max_instances_per_project");
        assertThat(instances.at("/set_by/level").asText()).isEqualTo("organization");
        assertThat(instances.at("/set_by/version").asInt()).isEqualTo(2);
        assertThat(StreamSupport.stream(instances.path("said").spliterator(), false)
                        .map(said -> said.path("level").asText() + " " + said.path("value"))
                        .filter(said -> !said.startsWith("global")))
                .containsExactly("organization 4", "department null", "project null", "entitlement 8");
        assertThat(explained(effective, "allowed_operating_modes")
                        .path("set_by")
                        .isNull())
                .isTrue();
        assertThat(explained(effective, "allowed_regions").at("/set_by/level").asText())
                .isEqualTo("project");
        assertThat(home.effective("").text("version")).isNotEqualTo(effective.text("version"));
    }

    @Test
    void level_keepsEveryVersion_withItsAuthor_andTellsEveryChange() {
        var home = home("versions");
        var level = home.levelOf("organization");
        assertThat(level.read().text("version")).isEqualTo("0");
        level.say("{'max_gpus_per_instance': 4}", "{}");
        level.say("{'max_gpus_per_instance': 2}", "{'allowed_skus': ['h100']}");

        var first = level.read("version=1");
        assertThat(first.body().at("/values/max_gpus_per_instance").asInt()).isEqualTo(4);
        assertThat(first.text("author_name")).isEqualTo(level.read().text("author_name"));
        assertThat(told(level.get().query("version=9").send())).isEqualTo("404 not_found");
        tenants.last("catalog.state", "policy:organization:" + home.tenant().orgId(), snapshot -> {
            assertThat(snapshot.path("version").asInt()).isEqualTo(2);
            assertThat(snapshot.at("/values/max_gpus_per_instance").asInt()).isEqualTo(2);
            assertThat(snapshot.at("/hard_denies/allowed_skus/0").asText()).isEqualTo("h100");
        });
        eventually(() -> assertThat(tenants.audits(
                        "apps.policy.write", "organization:" + home.tenant().orgId()))
                .hasSize(2));
        var key = "once";
        var sent = List.of(
                level.put("{'values': {}}")
                        .header("If-Match", "\"2\"")
                        .header("Idempotency-Key", key)
                        .send()
                        .expect(200),
                level.put("{'values': {}}")
                        .header("If-Match", "\"2\"")
                        .header("Idempotency-Key", key)
                        .send()
                        .expect(200));
        assertThat(sent).extracting(answer -> answer.header("ETag")).containsExactly("\"3\"", "\"3\"");
        assertThat(level.read().text("version")).isEqualTo("3");
        assertThat(told(level.put("{'values': {}}").send())).isEqualTo("428 precondition_required");
        assertThat(told(level.put("{'values': {}}").header("If-Match", "\"1\"").send()))
                .isEqualTo("412 precondition_failed");
        assertThat(told(level.put("{'values': {'features.nothing': true}}")
                        .header("If-Match", "*")
                        .send()))
                .isEqualTo("422 policy_invalid");
    }

    @Test
    void level_isNotFound_whenTheDepartmentIsAnotherTenants() {
        var home = home("mine");
        var other = home("theirs");

        for (var operation : List.of("getDepartmentPolicy", "putDepartmentPolicy")) {
            var call = tenants.call(home.tenant(), operation).path("department_id", other.departmentId());
            assertThat(told((operation.startsWith("put") ? call.body(Json.object()) : call).send()))
                    .isEqualTo("404 not_found");
        }
        var preview =
                tenants.call(home.tenant(), "previewPolicy").body(Json.object().put("project_id", other.projectId()));
        assertThat(told(preview.send())).isEqualTo("404 not_found");
    }

    @Test
    @Proves({"1.80", "1.82"})
    void platformLevels_reachEveryTenantOfThePlan_andNobodyGetsAroundThem() {
        var home = home("planned");
        tenants.done(
                tenants.call(home.tenant(), "updateOrganization")
                        .body(Json.object().put("plan", "tiny")),
                200);
        var plan = policies.plan("tiny");
        plan.say("{'max_instances_per_project': 3}", "{'allowed_apps': ['echo']}");

        eventually(() -> assertThat(home.effective("")
                        .body()
                        .at("/values/max_instances_per_project")
                        .asInt())
                .isEqualTo(3));
        assertThat(told(home.entitle("{}").send())).isEqualTo("403 app_denied");
        assertThat(widenings(home.levelOf("organization")
                        .saying("{'max_instances_per_project': 4}", "{}")
                        .expect(409)))
                .containsExactly("max_instances_per_project plan 1");

        var global = policies.global();
        global.say("{'max_instances_per_project': 2, 'features.entitlement_mutations': false}", "{}");
        try {
            assertThat(home.effective("")
                            .body()
                            .at("/values/max_instances_per_project")
                            .asInt())
                    .isEqualTo(2);
            assertThat(told(home.entitle("{'enabled': false}").send())).isEqualTo("403 feature_disabled");
            home.call("listAppEntitlements").send().expect(200);
        } finally {
            global.say("{}", "{}");
        }
        home.entitle("{'enabled': false}").send().expect(200);
    }

    @Test
    @Proves("1.105")
    void catalog_isRead_whileNeitherEntitlementsNorInstancesCanBeChanged() {
        var home = home("frozen");
        home.entitle("{'enabled': true}").send().expect(200);
        var level = home.levelOf("organization");
        level.say("{'features.entitlement_mutations': false, 'features.instance_mutations': false}", "{}");
        try {
            assertThat(told(home.entitle("{'enabled': false}")
                            .header("If-Match", "*")
                            .send()))
                    .isEqualTo("403 feature_disabled");
            eventually(() -> assertThat(told(home.launch("{}").send())).isEqualTo("403 feature_disabled"));

            for (var operation : List.of("listApps", "getApp", "listAppVersions")) {
                home.call(operation).path("app_slug", Demo.APP).send().expect(200);
            }
        } finally {
            level.say("{}", "{}");
        }
    }

    @Test
    @Proves({"1.34", "1.35"})
    void bothOperatingModes_goTheSameWay_oncePolicyAllowsTheSharedOne() {
        var home = home("shared");
        var modes = List.of("tenant_dedicated", "platform_managed");
        for (var mode : modes) {
            var launch = "{'operating_mode': '" + mode + "'}";
            eventually(() -> assertThat(told(home.launch(launch).send())).isEqualTo("403 app_not_entitled"));
            assertThat(told(platform.launch("project_viewer", "not theirs")
                            .body(PlatformUnderTest.launchBody("not theirs").put("operating_mode", mode))
                            .send()))
                    .isEqualTo("403 insufficient_permissions");
        }
        home.entitle("{'enabled': true}").send().expect(200);
        eventually(() -> assertThat(told(
                        home.launch("{'operating_mode': 'platform_managed'}").send()))
                .isEqualTo("403 operating_mode_not_allowed"));
        var global = policies.global();
        global.say("{'allowed_operating_modes': ['tenant_dedicated', 'platform_managed']}", "{}");
        var ways = new ArrayList<Set<String>>();
        try {
            for (var mode : modes) {
                var launched = eventuallyGet(() -> home.launch("{'operating_mode': '" + mode + "'}")
                        .header("X-Correlation-ID", "mode-" + mode)
                        .send()
                        .expect(202));

                assertThat(launched.text("operating_mode")).isEqualTo(mode);
                assertThat(launched.text("tenant_boundary_mode"))
                        .isEqualTo(mode.equals("platform_managed") ? "shared_service" : "tenant_isolated");
                eventually(() -> assertThat(home.call("getCorrelation")
                                .path("correlation_id", "mode-" + mode)
                                .send()
                                .expect(200)
                                .body()
                                .findValuesAsText("kind"))
                        .as("call, audit record and event of a %s launch", mode)
                        .contains("call", "audit", "event"));
                ways.add(eventuallyGet(() -> way(home, "mode-" + mode)));
            }
            assertThat(ways.get(0)).isEqualTo(ways.get(1));
        } finally {
            global.say("{}", "{}");
        }
    }

    /** Every call, audit record and event of a launch, each in a trace. */
    private static Set<String> way(PolicyCalls.Home home, String correlation) {
        var way = new TreeSet<String>();
        var timeline = home.call("getCorrelation")
                .path("correlation_id", correlation)
                .send()
                .expect(200)
                .body();
        for (var item : timeline.path("items")) {
            way.add(item.path("kind").asText() + " " + item.path("title").asText());
            assertThat(item.path("trace_id").asText()).isNotBlank();
        }
        assertThat(way)
                .contains(
                        "call createAppInstance",
                        "audit apps.instance.create",
                        "event apps.instance.requested",
                        "event apps.instance_operation.accepted");
        return way;
    }

    @Test
    void key_isTaken_onceTheRegistryHasIt_andStaysInForceWhenItIsDeprecated() {
        var home = home("registered");
        var level = home.levelOf("organization");
        assertThat(level.saying("{'queue.max_jobs': 5}", "{}").status()).isEqualTo(422);
        platform.database().execute("""
                INSERT INTO catalog.registry_entries (kind, id, version, state, body, created_at, updated_at)
                VALUES ('policy', 'queue.max_jobs', 1, 'active', '{"type": "integer", "default": 9}', now(), now())
                """);

        level.say("{'queue.max_jobs': 5}", "{}");

        assertThat(widenings(home.levelOf("project").saying("{'queue.max_jobs': 6}", "{}")))
                .containsExactly("queue.max_jobs organization 1");
        platform.database()
                .execute("UPDATE catalog.registry_entries SET state = 'deprecated' WHERE id = 'queue.max_jobs'");
        assertThat(home.effective("")
                        .body()
                        .path("values")
                        .path("queue.max_jobs")
                        .asInt())
                .isEqualTo(5);
        assertThat(home.levelOf("project").saying("{'queue.max_jobs': 1}", "{}").status())
                .isEqualTo(422);
    }

    @Test
    void preview_tellsWhatWouldFallOutside_andChangesNothing() {
        var home = home("preview");
        home.entitle("{'policy_overrides': {'allowed_regions': ['eu', 'us']}}")
                .send()
                .expect(200);
        var body = Json.object();
        body.set("values", json("{'allowed_regions': ['eu'], 'max_instances_per_project': 0}"));

        var preview = tenants.call(home.tenant(), "previewPolicy")
                .body(body)
                .send()
                .expect(200)
                .body();

        assertThat(preview.path("widenings")).isEmpty();
        assertThat(preview.path("items")).hasSize(1);
        var item = preview.at("/items/0");
        assertThat(item.path("project_id").asText()).isEqualTo(home.projectId());
        assertThat(item.path("outside").findValuesAsText("key")).containsExactly("allowed_regions");
        assertThat(home.levelOf("organization").read().text("version")).isEqualTo("0");
        body.set("values", json("{'allowed_regions': ['eu', 'us', 'ap']}"));
        assertThat(tenants.call(home.tenant(), "previewPolicy")
                        .body(body)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .isEmpty();
        var refused = Json.object().put("department_id", home.departmentId()).put("project_id", home.projectId());
        assertThat(told(tenants.call(home.tenant(), "previewPolicy")
                        .body(refused)
                        .send()))
                .isEqualTo("400 validation_error");
        var global = Json.object();
        global.set("hard_denies", json("{'allowed_apps': ['*']}"));
        var everybody = platform.as("platform_ops")
                .call("previewPlatformPolicy")
                .query("limit=500")
                .body(global);
        assertThat(everybody.send().expect(200).body().path("items").findValuesAsText("project_id"))
                .contains(home.projectId(), Demo.PROJECT.toString(), Demo.OTHER_PROJECT.toString());
    }

    @Test
    @Proves({"1.21", "1.82"})
    void launch_isRefused_eachTimeWithItsOwnCode() {
        var home = home("launches");
        home.entitle("{}").send().expect(200);
        home.levelOf("project")
                .say("{'allowed_regions': ['eu', 'us'], 'allowed_skus': ['small'], 'max_gpus_per_instance': 1}", "{}");

        eventually(() -> assertThat(told(
                        home.launch("{'placement_intent': {'region': 'mars'}}").send()))
                .isEqualTo("403 region_not_allowed"));
        assertThat(told(home.launch("{'placement_intent': {'sku': 'large'}}").send()))
                .isEqualTo("403 sku_not_allowed");
        assertThat(told(home.launch("{'placement_intent': {'gpu_count': 2}}").send()))
                .isEqualTo("403 gpu_limit_exceeded");
        assertThat(told(home.launch("{'operating_mode': 'platform_managed'}").send()))
                .isEqualTo("403 operating_mode_not_allowed");
        assertThat(told(home.launch("{'control_plane_scope': 'tenant'}").send()))
                .isEqualTo("403 control_plane_scope_not_allowed");
        home.levelOf("organization").say("{}", "{'allowed_apps': ['echo']}");
        eventually(() -> assertThat(told(home.launch("{}").send())).isEqualTo("403 app_denied"));
        home.entitle("{'enabled': false}").header("If-Match", "*").send().expect(200);
        eventually(() -> assertThat(told(home.launch("{}").send())).isEqualTo("403 app_not_entitled"));
    }

    @Test
    @Proves("3.20")
    void policy_hasQuotasFlagsAccessAndEntitlements_inVersions_andDecidesAsIsWrittenDown() throws IOException {
        var home = home("owner");
        for (var key : List.of("max_instances_per_project", "features.instance_mutations", "allowed_apps")) {
            var entry = home.call("getRegistryEntry").path("kind", "policy").path("entry_id", key);
            assertThat(entry.send().expect(200).text("lifecycle")).isEqualTo("active");
        }
        home.entitle("{'policy_overrides': {'max_instances_per_project': 1}}")
                .send()
                .expect(200);
        home.levelOf("project").say("{'features.instance_mutations': true}", "{'allowed_apps': ['other']}");
        var effective = home.effective("app_slug=echo");
        assertThat(effective.body().at("/values/max_instances_per_project").asInt())
                .isEqualTo(1);
        assertThat(effective.body().at("/values/features.instance_mutations").asBoolean())
                .isTrue();
        assertThat(effective.body().at("/hard_denies/allowed_apps/0").asText()).isEqualTo("other");

        var plan = home.call("planAppInstance").body(PlatformUnderTest.launchBody("planned"));
        eventually(() -> assertThat(plan.send().expect(200).body().at("/policy/version"))
                .isEqualTo(effective.body().path("version")));
        var launched = home.launch("{}").send().expect(202);
        var full = plan.send().expect(200).body();

        assertThat(launched.text("policy_version")).isEqualTo(effective.text("version"));
        assertThat(full.at("/decision/code").asText()).isEqualTo("instance_limit_reached");
        assertThat(full.path("quota")).isEqualTo(json("{'limit': 1, 'used': 1, 'after': 2}"));
        assertThat(Files.readString(Path.of("../../docs/policy.md")))
                .contains("## How a launch is decided", "In: the project,", "Out: admitted,");
    }

    @Test
    @Proves("2.62")
    void request_isRefused_withTheLevelThatNarrowedIt_whenItIsOutsideOfAnOverlay() {
        var home = home("overlays");
        home.entitle("{}").send().expect(200);
        var global = policies.global();
        global.say("{'artifact_source_allowlist': ['one.example.com', 'two.example.com']}", "{}");
        try {
            home.levelOf("organization").say("{'allowed_regions': ['eu', 'us']}", "{}");
            home.levelOf("department").say("{'allowed_skus': ['small']}", "{}");
            home.levelOf("project").say("{'artifact_source_allowlist': ['one.example.com']}", "{}");
            var artifact =
                    json("{'artifact_type': 'app_bundle', 'artifact_kind': 'oci', 'digest': 'sha256:" + "0".repeat(64)
                            + "', 'source': {'source_type': 'oci', 'uri': 'oci://two.example.com/apps/scheduler'}}");

            eventually(() -> assertThat(refusal(home.launch("{'placement_intent': {'region': 'mars'}}")
                            .send()))
                    .startsWith("region_not_allowed: ")
                    .contains("by the organization level (version 1)"));
            eventually(() -> assertThat(refusal(home.launch("{'placement_intent': {'sku': 'large'}}")
                            .send()))
                    .startsWith("sku_not_allowed: ")
                    .contains("by the department level (version 1)"));
            assertThat(refusal(home.call("registerArtifact").body(artifact).send()))
                    .startsWith("source_not_allowed: ")
                    .contains("by the project level (version 1)");
        } finally {
            global.say("{}", "{}");
        }
    }

    private static String refusal(Answer answer) {
        var refused = answer.expect(403);
        return refused.text("code") + ": " + refused.text("message");
    }

    @Test
    void launch_isAdmittedUnderAPolicy_whichItKeeps_andWhichChoosesWhereNobodyDid() {
        var home = home("admitted");
        home.entitle("{'policy_overrides': {'allowed_regions': ['us', 'eu']}}")
                .send()
                .expect(200);
        home.levelOf("organization").say("{'allowed_regions': ['eu', 'us'], 'max_gpus_per_instance': 8}", "{}");
        var version = home.effective("app_slug=echo").text("version");

        var launched = eventuallyGet(() -> {
            var answer =
                    home.launch("{'placement_intent': {'gpu_count': 4}}").send().expect(202);
            assertThat(answer.text("policy_version")).isEqualTo(version);
            return answer;
        });

        assertThat(launched.body().path("placement_intent")).isEqualTo(json("{'region': 'us', 'gpu_count': 4}"));
        var read = home.call("getAppInstance")
                .path("app_instance_id", launched.text("id"))
                .send()
                .expect(200);
        assertThat(read.body()).isEqualTo(launched.body());
        home.levelOf("organization").say("{'max_gpus_per_instance': 2}", "{}");
        assertThat(home.effective("app_slug=echo").text("version")).isNotEqualTo(version);
        var body = Json.object();
        body.set("values", json("{'allowed_regions': ['eu']}"));
        eventually(() -> {
            var item = tenants.call(home.tenant(), "previewPolicy")
                    .body(body)
                    .send()
                    .expect(200)
                    .body()
                    .at("/items/0");
            assertThat(item.at("/instances/0/app_instance_id").asText()).isEqualTo(launched.text("id"));
            assertThat(item.at("/instances/0/outside").findValuesAsText("code")).containsExactly("region_not_allowed");
        });
    }

    @Test
    void launch_isGivenToOne_whenManyWantTheLastPlace() {
        var home = home("last");
        home.entitle("{'policy_overrides': {'max_instances_per_project': 2}}")
                .send()
                .expect(200);
        eventually(() -> home.launch("{}").send().expect(202));
        var many = 24;

        var answers = java.util.stream.IntStream.range(0, many)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> told(home.launch("{}").send())))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).filteredOn(answer -> answer.equals("202 ")).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.equals("409 instance_limit_reached"))
                .hasSize(many - 1);
    }

    @Test
    void launch_ofADeprecatedVersion_isForPolicyToAllow() {
        var home = home("deprecated");
        home.entitle("{}").send().expect(200);
        platform.database()
                .execute(
                        "INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)"
                                + " VALUES (gen_random_uuid(), '" + Demo.ECHO
                                + "', '0.9', 'bare_metal', 'deprecated', '{}', 1)");
        eventually(() ->
                assertThat(told(home.launch("{'version': '0.9'}").send())).isEqualTo("409 app_version_deprecated"));

        policies.global().say("{'allow_deprecated_versions': true}", "{}");
        eventually(() -> home.launch("{'version': '0.9'}").send().expect(202));
        home.levelOf("department").say("{'allow_deprecated_versions': false}", "{}");
        eventually(() ->
                assertThat(told(home.launch("{'version': '0.9'}").send())).isEqualTo("409 app_version_deprecated"));
    }

    @Test
    @Proves("1.106")
    void mutations_areRefused_whenTheirFeatureIsOff_andReadsGoOn() {
        var home = home("features");
        home.entitle("{}").send().expect(200);
        var running = eventuallyGet(() -> home.launch("{}").send().expect(202)).text("id");
        home.levelOf("organization")
                .say("{'features.entitlement_mutations': false, 'features.instance_mutations': false}", "{}");

        assertThat(told(home.entitle("{}").header("If-Match", "*").send())).isEqualTo("403 feature_disabled");
        eventually(() -> assertThat(told(home.launch("{}").send())).isEqualTo("403 feature_disabled"));
        var doomed = home.call("deleteAppInstance").path("app_instance_id", running);
        assertThat(told(doomed.send())).isEqualTo("403 feature_disabled");
        home.call("getAppInstance").path("app_instance_id", running).send().expect(200);
        home.call("listAppEntitlements").send().expect(200);
        assertThat(home.call("getAppInstance")
                        .path("app_instance_id", running)
                        .send()
                        .text("status"))
                .isEqualTo("requested");
        home.levelOf("organization").say("{}", "{}");
        eventually(() -> home.call("deleteAppInstance")
                .path("app_instance_id", running)
                .send()
                .expect(202));
    }

    @Test
    void launch_isRefused_whilePolicyIsNotConfirmed_andWorksAgainWhenItIs() {
        eventually(() -> {
            platform.database()
                    .execute("UPDATE instances.catalog_freshness SET known_until = now() - interval '6 minutes'");
            assertThat(platform.launch("project_owner", "on what policy?")
                            .send()
                            .text("code"))
                    .isEqualTo("policy_stale");
        });

        eventually(() -> assertThat(platform.launch("project_owner", "as policy says")
                        .send()
                        .status())
                .isEqualTo(202));
    }

    @Test
    @Proves("1.101")
    void database_refusesAnEntitlement_whoseProjectIsAnotherOrganizations() {
        var sql =
                "INSERT INTO catalog.project_app_entitlements (id, org_id, project_id, app_id) VALUES (gen_random_uuid(), '"
                        + Demo.OTHER_ORG + "', '" + home("foreign").projectId() + "', '" + Demo.ECHO + "')";
        assertThatThrownBy(() -> platform.database().execute(sql))
                .hasCauseInstanceOf(SQLException.class)
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("23503"));
    }

    private static List<String> widenings(Answer answer) {
        assertThat(answer.text("code")).isEqualTo("policy_widens");
        return StreamSupport.stream(answer.body().at("/details/widenings").spliterator(), false)
                .map(w -> w.path("key").asText() + " " + w.path("level").asText() + " " + w.path("version"))
                .toList();
    }

    private static JsonNode explained(Answer effective, String key) {
        return StreamSupport.stream(effective.body().path("explanation").spliterator(), false)
                .filter(each -> each.path("key").asText().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static Home home(String slug) {
        return policies.home(slug);
    }
}
