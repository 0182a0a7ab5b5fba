package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.PolicyCalls.json;
import static dev.slipway.standalone.PolicyCalls.widenings;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Policy documents of all levels and the effective policy, through the API. */
class PolicyTest {
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
    @Proves({"1.80", "1.81", "1.84", "1.86"})
    void effectivePolicy_isNarrowedLevelByLevel_andNamesTheLevelThatSetEachValue() {
        var policyTenant = home("levels");
        policyTenant
                .entitle("{'policy_overrides': {'max_instances_per_project': 8}}")
                .send()
                .expect(200);
        policyTenant
                .levelOf("organization")
                .replace("{'allowed_regions': ['eu', 'us', 'ap'], 'max_instances_per_project': 10}", "{}");
        policyTenant.levelOf("department").replace("{'allowed_regions': ['us', 'eu']}", "{}");
        policyTenant.levelOf("project").replace("{'allowed_regions': ['eu']}", "{}");
        assertThat(widenings(policyTenant
                        .levelOf("department")
                        .tryReplace("{'allowed_regions': ['mars']}", "{}")
                        .expect(409)))
                .containsExactly("allowed_regions organization 1");

        // A level above may tighten later: what is below stays written, and counts for less.
        policyTenant
                .levelOf("organization")
                .replace("{'allowed_regions': ['us'], 'max_instances_per_project': 4}", "{}");
        var effective = policyTenant.effective("app_slug=echo&explain=true");

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
        assertThat(policyTenant.effective("").text("version")).isNotEqualTo(effective.text("version"));
    }

    @Test
    void putPolicy_storesEveryVersionWithAuthor_auditsAndPublishes() {
        var policyTenant = home("versions");
        var level = policyTenant.levelOf("organization");
        assertThat(level.read().text("version")).isEqualTo("0");
        level.replace("{'max_gpus_per_instance': 4}", "{}");
        level.replace("{'max_gpus_per_instance': 2}", "{'allowed_skus': ['h100']}");

        var first = level.read("version=1");
        assertThat(first.body().at("/values/max_gpus_per_instance").asInt()).isEqualTo(4);
        assertThat(first.text("author_name")).isEqualTo(level.read().text("author_name"));
        assertThat(statusAndCode(level.get().query("version=9").send())).isEqualTo("404 not_found");
        tenantCalls.awaitLatest(
                "catalog.state", "policy:organization:" + policyTenant.tenant().orgId(), snapshot -> {
                    assertThat(snapshot.path("version").asInt()).isEqualTo(2);
                    assertThat(snapshot.at("/values/max_gpus_per_instance").asInt())
                            .isEqualTo(2);
                    assertThat(snapshot.at("/hard_denies/allowed_skus/0").asText())
                            .isEqualTo("h100");
                });
        eventually(() -> assertThat(tenantCalls.audits(
                        "apps.policy.write",
                        "organization:" + policyTenant.tenant().orgId()))
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
        assertThat(sent).extracting(apiResponse -> apiResponse.header("ETag")).containsExactly("\"3\"", "\"3\"");
        assertThat(level.read().text("version")).isEqualTo("3");
        assertThat(statusAndCode(level.put("{'values': {}}").send())).isEqualTo("428 precondition_required");
        assertThat(statusAndCode(
                        level.put("{'values': {}}").header("If-Match", "\"1\"").send()))
                .isEqualTo("412 precondition_failed");
        assertThat(statusAndCode(level.put("{'values': {'features.nothing': true}}")
                        .header("If-Match", "*")
                        .send()))
                .isEqualTo("422 policy_invalid");
    }

    @Test
    void departmentPolicy_isNotFound_forAnotherTenant() {
        var policyTenant = home("mine");
        var other = home("theirs");

        for (var operation : List.of("getDepartmentPolicy", "putDepartmentPolicy")) {
            var call = tenantCalls.call(policyTenant.tenant(), operation).path("department_id", other.departmentId());
            assertThat(statusAndCode((operation.startsWith("put") ? call.body(Json.object()) : call).send()))
                    .isEqualTo("404 not_found");
        }
        var preview = tenantCalls
                .call(policyTenant.tenant(), "previewPolicy")
                .body(Json.object().put("project_id", other.projectId()));
        assertThat(statusAndCode(preview.send())).isEqualTo("404 not_found");
    }

    @Test
    @Proves({"1.80", "1.82"})
    void planAndGlobalPolicy_applyToAllTenants() {
        var policyTenant = home("planned");
        var plan = policies.plan("tiny");
        plan.replace("{'max_instances_per_project': 3}", "{'allowed_apps': ['echo']}");
        tenantCalls.setPlan(policyTenant.tenant(), "tiny");

        eventually(() -> assertThat(policyTenant
                        .effective("")
                        .body()
                        .at("/values/max_instances_per_project")
                        .asInt())
                .isEqualTo(3));
        assertThat(statusAndCode(policyTenant.entitle("{}").send())).isEqualTo("403 app_denied");
        assertThat(widenings(policyTenant
                        .levelOf("organization")
                        .tryReplace("{'max_instances_per_project': 4}", "{}")
                        .expect(409)))
                .containsExactly("max_instances_per_project plan 1");

        var global = policies.global();
        global.replace("{'max_instances_per_project': 2, 'features.entitlement_mutations': false}", "{}");
        try {
            assertThat(policyTenant
                            .effective("")
                            .body()
                            .at("/values/max_instances_per_project")
                            .asInt())
                    .isEqualTo(2);
            assertThat(statusAndCode(policyTenant.entitle("{'enabled': false}").send()))
                    .isEqualTo("403 feature_disabled");
            policyTenant.call("listAppEntitlements").send().expect(200);
        } finally {
            global.replace("{}", "{}");
        }
        policyTenant.entitle("{'enabled': false}").send().expect(200);
    }

    @Test
    void putPolicy_acceptsRegisteredKey_andDeprecatedKeyStaysEffective() {
        var policyTenant = home("registered");
        var level = policyTenant.levelOf("organization");
        assertThat(level.tryReplace("{'queue.max_jobs': 5}", "{}").status()).isEqualTo(422);
        platform.database().execute("""
                INSERT INTO catalog.registry_entries (kind, id, version, state, body, created_at, updated_at)
                VALUES ('policy', 'queue.max_jobs', 1, 'active', '{"type": "integer", "default": 9}', now(), now())
                """);

        level.replace("{'queue.max_jobs': 5}", "{}");

        assertThat(widenings(policyTenant.levelOf("project").tryReplace("{'queue.max_jobs': 6}", "{}")))
                .containsExactly("queue.max_jobs organization 1");
        platform.database()
                .execute("UPDATE catalog.registry_entries SET state = 'deprecated' WHERE id = 'queue.max_jobs'");
        assertThat(policyTenant
                        .effective("")
                        .body()
                        .path("values")
                        .path("queue.max_jobs")
                        .asInt())
                .isEqualTo(5);
        assertThat(policyTenant
                        .levelOf("project")
                        .tryReplace("{'queue.max_jobs': 1}", "{}")
                        .status())
                .isEqualTo(422);
    }

    @Test
    void previewPolicy_listsNewViolations_andStoresNothing() {
        var policyTenant = home("preview");
        policyTenant
                .entitle("{'policy_overrides': {'allowed_regions': ['eu', 'us']}}")
                .send()
                .expect(200);
        var body = Json.object();
        body.set("values", json("{'allowed_regions': ['eu'], 'max_instances_per_project': 0}"));

        var preview = tenantCalls
                .call(policyTenant.tenant(), "previewPolicy")
                .body(body)
                .send()
                .expect(200)
                .body();

        assertThat(preview.path("widenings")).isEmpty();
        assertThat(preview.path("items")).hasSize(1);
        var item = preview.at("/items/0");
        assertThat(item.path("project_id").asText()).isEqualTo(policyTenant.projectId());
        assertThat(item.path("outside").findValuesAsText("key")).containsExactly("allowed_regions");
        assertThat(policyTenant.levelOf("organization").read().text("version")).isEqualTo("0");
        body.set("values", json("{'allowed_regions': ['eu', 'us', 'ap']}"));
        assertThat(tenantCalls
                        .call(policyTenant.tenant(), "previewPolicy")
                        .body(body)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .isEmpty();
        var refused = Json.object()
                .put("department_id", policyTenant.departmentId())
                .put("project_id", policyTenant.projectId());
        assertThat(statusAndCode(tenantCalls
                        .call(policyTenant.tenant(), "previewPolicy")
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
                .contains(policyTenant.projectId(), DemoData.PROJECT.toString(), DemoData.OTHER_PROJECT.toString());
    }

    private static JsonNode explained(ApiResponse effective, String key) {
        return StreamSupport.stream(effective.body().path("explanation").spliterator(), false)
                .filter(each -> each.path("key").asText().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static PolicyTenant home(String slug) {
        return policies.createTenant(slug);
    }
}
