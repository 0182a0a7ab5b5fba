package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import static dev.slipway.standalone.PolicyCalls.json;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests through the API how policy decides launches. */
class PolicyLaunchTest {
    /** Heartbeats of the catalog do not refresh the policy while the trigger exists. */
    private static final String KEEP_POLICY_STALE = """
            UPDATE instances.catalog_freshness SET known_until = now() - interval '6 minutes';
            CREATE OR REPLACE FUNCTION instances.keep_stale() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.known_until = now() - interval '6 minutes'; RETURN NEW; END $$;
            CREATE TRIGGER stale BEFORE UPDATE ON instances.catalog_freshness
                FOR EACH ROW EXECUTE FUNCTION instances.keep_stale();
            UPDATE instances.catalog_freshness SET known_until = known_until
            """;

    private static PlatformUnderTest platform;
    private static TenantCalls tenantCalls;
    private static PolicyCalls policies;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        tenantCalls = new TenantCalls(platform);
        policies = new PolicyCalls(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"1.34", "1.35"})
    void launch_isTheSame_inBothOperatingModes() {
        var policyTenant = home("shared");
        var modes = List.of("tenant_dedicated", "platform_managed");
        for (var mode : modes) {
            var launch = "{'operating_mode': '" + mode + "'}";
            platform.awaitReplication();
            assertThat(statusAndCode(policyTenant.launch(launch).send())).isEqualTo("403 app_not_entitled");
            assertThat(statusAndCode(platform.launch("project_viewer", "not theirs")
                            .body(PlatformUnderTest.launchBody("not theirs").put("operating_mode", mode))
                            .send()))
                    .isEqualTo("403 insufficient_permissions");
        }
        policyTenant.entitle("{'enabled': true}").send().expect(200);
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant
                        .launch("{'operating_mode': 'platform_managed'}")
                        .send()))
                .isEqualTo("403 operating_mode_not_allowed");
        var global = policies.global();
        global.replace("{'allowed_operating_modes': ['tenant_dedicated', 'platform_managed']}", "{}");
        var timelines = new ArrayList<Set<String>>();
        try {
            for (var mode : modes) {
                platform.awaitReplication();
                var launched = policyTenant
                        .launch("{'operating_mode': '" + mode + "'}")
                        .header("X-Correlation-ID", "mode-" + mode)
                        .send()
                        .expect(202);

                assertThat(launched.text("operating_mode")).isEqualTo(mode);
                assertThat(launched.text("tenant_boundary_mode"))
                        .isEqualTo(mode.equals("platform_managed") ? "shared_service" : "tenant_isolated");
                eventually(() -> assertThat(policyTenant
                                .call("getCorrelation")
                                .path("correlation_id", "mode-" + mode)
                                .send()
                                .expect(200)
                                .body()
                                .findValuesAsText("kind"))
                        .as("call, audit record and event of a %s launch", mode)
                        .contains("call", "audit", "event"));
                timelines.add(eventuallyGet(() -> timeline(policyTenant, "mode-" + mode)));
            }
            assertThat(timelines.get(0)).isEqualTo(timelines.get(1));
        } finally {
            global.replace("{}", "{}");
        }
    }

    /** Every call, audit record and event of a launch, each in a trace. */
    private static Set<String> timeline(PolicyCalls.PolicyTenant policyTenant, String correlation) {
        var titles = new TreeSet<String>();
        var timeline = policyTenant
                .call("getCorrelation")
                .path("correlation_id", correlation)
                .send()
                .expect(200)
                .body();
        for (var item : timeline.path("items")) {
            titles.add(item.path("kind").asText() + " " + item.path("title").asText());
            assertThat(item.path("trace_id").asText()).isNotBlank();
        }
        assertThat(titles)
                .contains(
                        "call createAppInstance",
                        "audit apps.instance.create",
                        "event apps.instance.requested",
                        "event apps.instance_operation.accepted");
        return titles;
    }

    @Test
    @Proves({"1.21", "1.82"})
    void launch_isRefused_withTheCodeOfEachRule() {
        var policyTenant = home("launches");
        policyTenant.entitle("{}").send().expect(200);
        policyTenant
                .levelOf("project")
                .replace(
                        "{'allowed_regions': ['eu', 'us'], 'allowed_skus': ['small'], 'max_gpus_per_instance': 1}",
                        "{}");
        platform.awaitReplication();

        assertThat(statusAndCode(policyTenant
                        .launch("{'placement_intent': {'region': 'mars'}}")
                        .send()))
                .isEqualTo("403 region_not_allowed");
        assertThat(statusAndCode(policyTenant
                        .launch("{'placement_intent': {'sku': 'large'}}")
                        .send()))
                .isEqualTo("403 sku_not_allowed");
        assertThat(statusAndCode(policyTenant
                        .launch("{'placement_intent': {'gpu_count': 2}}")
                        .send()))
                .isEqualTo("403 gpu_limit_exceeded");
        assertThat(statusAndCode(policyTenant
                        .launch("{'operating_mode': 'platform_managed'}")
                        .send()))
                .isEqualTo("403 operating_mode_not_allowed");
        assertThat(statusAndCode(
                        policyTenant.launch("{'control_plane_scope': 'tenant'}").send()))
                .isEqualTo("403 control_plane_scope_not_allowed");
        policyTenant.levelOf("organization").replace("{}", "{'allowed_apps': ['echo']}");
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant.launch("{}").send())).isEqualTo("403 app_denied");
        policyTenant
                .entitle("{'enabled': false}")
                .header("If-Match", "*")
                .send()
                .expect(200);
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant.launch("{}").send())).isEqualTo("403 app_not_entitled");
    }

    @Test
    @Proves("3.20")
    void launch_isDecided_asDocumented() throws IOException {
        var policyTenant = home("owner");
        for (var key : List.of("max_instances_per_project", "features.instance_mutations", "allowed_apps")) {
            var entry =
                    policyTenant.call("getRegistryEntry").path("kind", "policy").path("entry_id", key);
            assertThat(entry.send().expect(200).text("lifecycle")).isEqualTo("active");
        }
        policyTenant
                .entitle("{'policy_overrides': {'max_instances_per_project': 1}}")
                .send()
                .expect(200);
        policyTenant.levelOf("project").replace("{'features.instance_mutations': true}", "{'allowed_apps': ['other']}");
        var effective = policyTenant.effective("app_slug=echo");
        assertThat(effective.body().at("/values/max_instances_per_project").asInt())
                .isEqualTo(1);
        assertThat(effective.body().at("/values/features.instance_mutations").asBoolean())
                .isTrue();
        assertThat(effective.body().at("/hard_denies/allowed_apps/0").asText()).isEqualTo("other");

        var plan = policyTenant.call("planAppInstance").body(PlatformUnderTest.launchBody("planned"));
        platform.awaitReplication();
        assertThat(plan.send().expect(200).body().at("/policy/version"))
                .isEqualTo(effective.body().path("version"));
        var launched = policyTenant.launch("{}").send().expect(202);
        var full = plan.send().expect(200).body();

        assertThat(launched.text("policy_version")).isEqualTo(effective.text("version"));
        assertThat(full.at("/decision/code").asText()).isEqualTo("instance_limit_reached");
        assertThat(full.path("quota")).isEqualTo(json("{'limit': 1, 'used': 1, 'after': 2}"));
        assertThat(Files.readString(Path.of("../../docs/policy.md")))
                .contains("## How a launch is decided", "Input:", "Output: allowed, with the policy version");
    }

    @Test
    @Proves("2.62")
    void refusal_namesTheLevelThatSetTheValue() {
        var policyTenant = home("overlays");
        policyTenant.entitle("{}").send().expect(200);
        var global = policies.global();
        global.replace("{'artifact_source_allowlist': ['one.example.com', 'two.example.com']}", "{}");
        try {
            policyTenant.levelOf("organization").replace("{'allowed_regions': ['eu', 'us']}", "{}");
            policyTenant.levelOf("department").replace("{'allowed_skus': ['small']}", "{}");
            policyTenant.levelOf("project").replace("{'artifact_source_allowlist': ['one.example.com']}", "{}");
            var artifact =
                    json("{'artifact_type': 'app_bundle', 'artifact_kind': 'oci', 'digest': 'sha256:" + "0".repeat(64)
                            + "', 'source': {'source_type': 'oci', 'uri': 'oci://two.example.com/apps/scheduler'}}");
            platform.awaitReplication();

            assertThat(refusal(policyTenant
                            .launch("{'placement_intent': {'region': 'mars'}}")
                            .send()))
                    .startsWith("region_not_allowed: ")
                    .contains("by the organization level (version 1)");
            platform.awaitReplication();
            assertThat(refusal(policyTenant
                            .launch("{'placement_intent': {'sku': 'large'}}")
                            .send()))
                    .startsWith("sku_not_allowed: ")
                    .contains("by the department level (version 1)");
            assertThat(refusal(
                            policyTenant.call("registerArtifact").body(artifact).send()))
                    .startsWith("source_not_allowed: ")
                    .contains("by the project level (version 1)");
        } finally {
            global.replace("{}", "{}");
        }
    }

    private static String refusal(ApiResponse apiResponse) {
        var refused = apiResponse.expect(403);
        return refused.text("code") + ": " + refused.text("message");
    }

    @Test
    void launch_storesPolicyVersion_andUsesDefaultPlacement() {
        var policyTenant = home("admitted");
        policyTenant
                .entitle("{'policy_overrides': {'allowed_regions': ['us', 'eu']}}")
                .send()
                .expect(200);
        policyTenant
                .levelOf("organization")
                .replace("{'allowed_regions': ['eu', 'us'], 'max_gpus_per_instance': 8}", "{}");
        var version = policyTenant.effective("app_slug=echo").text("version");

        platform.awaitReplication();
        var launched = policyTenant
                .launch("{'placement_intent': {'gpu_count': 4}}")
                .send()
                .expect(202);
        assertThat(launched.text("policy_version")).isEqualTo(version);

        assertThat(launched.body().path("placement_intent")).isEqualTo(json("{'region': 'us', 'gpu_count': 4}"));
        var read = policyTenant
                .call("getAppInstance")
                .path("app_instance_id", launched.text("id"))
                .send()
                .expect(200);
        assertThat(read.body()).isEqualTo(launched.body());
        policyTenant.levelOf("organization").replace("{'max_gpus_per_instance': 2}", "{}");
        assertThat(policyTenant.effective("app_slug=echo").text("version")).isNotEqualTo(version);
        var body = Json.object();
        body.set("values", json("{'allowed_regions': ['eu']}"));
        eventually(() -> {
            var item = tenantCalls
                    .call(policyTenant.tenant(), "previewPolicy")
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
    void launch_succeedsOnce_whenManyCompeteForTheLastInstance() {
        var policyTenant = home("last");
        policyTenant
                .entitle("{'policy_overrides': {'max_instances_per_project': 2}}")
                .send()
                .expect(200);
        platform.awaitReplication();
        policyTenant.launch("{}").send().expect(202);
        var many = 24;

        var answers = IntStream.range(0, many)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> statusAndCode(policyTenant.launch("{}").send())))
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
    void launch_ofDeprecatedVersion_dependsOnPolicy() {
        var policyTenant = home("deprecated");
        policyTenant.entitle("{}").send().expect(200);
        platform.database()
                .execute(
                        "INSERT INTO instances.app_versions (id, app_id, version, runtime_backend, status, manifest, revision)"
                                + " VALUES (gen_random_uuid(), '" + DemoData.ECHO
                                + "', '0.9', 'bare_metal', 'deprecated', '{}', 1)");
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant.launch("{'version': '0.9'}").send()))
                .isEqualTo("409 app_version_deprecated");

        policies.global().replace("{'allow_deprecated_versions': true}", "{}");
        platform.awaitReplication();
        policyTenant.launch("{'version': '0.9'}").send().expect(202);
        policyTenant.levelOf("department").replace("{'allow_deprecated_versions': false}", "{}");
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant.launch("{'version': '0.9'}").send()))
                .isEqualTo("409 app_version_deprecated");
    }

    @Test
    @Proves("1.106")
    void mutations_areRefused_whenDisabled_andReadsSucceed() {
        var policyTenant = home("features");
        policyTenant.entitle("{}").send().expect(200);
        platform.awaitReplication();
        var running = policyTenant.launch("{}").send().expect(202).text("id");
        policyTenant
                .levelOf("organization")
                .replace("{'features.entitlement_mutations': false, 'features.instance_mutations': false}", "{}");

        assertThat(statusAndCode(
                        policyTenant.entitle("{}").header("If-Match", "*").send()))
                .isEqualTo("403 feature_disabled");
        platform.awaitReplication();
        assertThat(statusAndCode(policyTenant.launch("{}").send())).isEqualTo("403 feature_disabled");
        var doomed = policyTenant.call("deleteAppInstance").path("app_instance_id", running);
        assertThat(statusAndCode(doomed.send())).isEqualTo("403 feature_disabled");
        policyTenant
                .call("getAppInstance")
                .path("app_instance_id", running)
                .send()
                .expect(200);
        policyTenant.call("listAppEntitlements").send().expect(200);
        assertThat(policyTenant
                        .call("getAppInstance")
                        .path("app_instance_id", running)
                        .send()
                        .text("status"))
                .isEqualTo("requested");
        policyTenant.levelOf("organization").replace("{}", "{}");
        platform.awaitReplication();
        policyTenant
                .call("deleteAppInstance")
                .path("app_instance_id", running)
                .send()
                .expect(202);
    }

    @Test
    void launch_isRefused_whilePolicyIsStale() {
        platform.database().execute(KEEP_POLICY_STALE);
        try {
            assertThat(statusAndCode(
                            platform.launch("project_owner", "on stale policy").send()))
                    .isEqualTo("503 policy_stale");
        } finally {
            platform.database().execute("DROP TRIGGER stale ON instances.catalog_freshness");
        }

        eventually(() -> assertThat(platform.database()
                        .query("SELECT known_until > now() - interval '1 minute' FROM instances.catalog_freshness"))
                .isEqualTo("t"));
        platform.launch("project_owner", "on current policy").send().expect(202);
    }

    private static PolicyTenant home(String slug) {
        return policies.createTenant(slug);
    }
}
