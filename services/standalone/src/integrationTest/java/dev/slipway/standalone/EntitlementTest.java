package dev.slipway.standalone;

import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static dev.slipway.standalone.PolicyCalls.widenings;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Entitlements of projects to apps, through the API. */
class EntitlementTest {
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
    @Proves({"1.83", "1.84"})
    void putAppEntitlement_refuses_whenAppIsUnpublishedOrOverridesAreInvalidOrWiden() {
        var policyTenant = home("refusals");
        policyTenant
                .levelOf("organization")
                .replace("{'allowed_regions': ['eu'], 'max_instances_per_project': 5}", "{}");

        assertThat(statusAndCode(policyTenant.entitle("nothing-such", "{}").send()))
                .isEqualTo("404 app_not_found");
        var catalog = new CatalogCalls(platform);
        platform.as("platform_superadmin")
                .call("createApp")
                .body(CatalogCalls.app("unpublished", "apps"))
                .send()
                .expect(201);
        catalog.register("unpublished", CatalogCalls.manifest("unpublished", "1.0.0"))
                .expect(201);
        assertThat(statusAndCode(policyTenant.entitle("unpublished", "{}").send()))
                .isEqualTo("404 app_not_found");
        CatalogCalls.version(platform.as("platform_superadmin"), "publishAppVersion", "unpublished", "1.0.0")
                .send()
                .expect(200);
        policyTenant.entitle("unpublished", "{}").send().expect(200);
        var unknown = policyTenant
                .entitle("{'policy_overrides': {'allowed_moons': ['io'], 'max_gpus_per_instance': 'many'}}")
                .send()
                .expect(422);
        var widening = policyTenant
                .entitle("{'policy_overrides': {'allowed_regions': ['eu', 'us'], 'max_instances_per_project': 6}}")
                .send()
                .expect(409);
        var modes = policyTenant
                .entitle("{'policy_overrides': {'allowed_operating_modes': ['platform_managed']}}")
                .send()
                .expect(409);

        assertThat(unknown.text("code")).isEqualTo("policy_invalid");
        assertThat(unknown.body().at("/details/fields").findValuesAsText("field"))
                .containsExactlyInAnyOrder(
                        "/policy_overrides/allowed_moons", "/policy_overrides/max_gpus_per_instance");
        assertThat(widenings(widening))
                .containsExactly("allowed_regions organization 1", "max_instances_per_project organization 1");
        assertThat(widenings(modes)).containsExactly("allowed_operating_modes global 0");
        assertThat(statusAndCode(policyTenant
                        .call("getAppEntitlement")
                        .path("app_slug", DemoData.APP)
                        .send()))
                .isEqualTo("404 entitlement_not_found");
    }

    @Test
    @Proves({"1.21", "1.45", "1.46", "1.63", "1.67"})
    void putAppEntitlement_storesAuditsAndPublishes() {
        var policyTenant = home("set");

        var first = policyTenant
                .entitle("{}")
                .header("Idempotency-Key", "first")
                .send()
                .expect(200);
        var again = policyTenant
                .entitle("{}")
                .header("Idempotency-Key", "first")
                .send()
                .expect(200);
        var second = policyTenant
                .entitle("{'enabled': false, 'policy_overrides': {'allowed_regions': ['eu']}}")
                .header("If-Match", first.header("ETag"))
                .send()
                .expect(200);

        assertThat(first.body().path("enabled").asBoolean()).isTrue();
        assertThat(first.body().path("policy_overrides")).isEmpty();
        assertThat(first.header("ETag")).isEqualTo("\"1\"");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("ETag")).isEqualTo("\"1\"");
        assertThat(second.header("ETag")).isEqualTo("\"2\"");
        var read = policyTenant
                .call("getAppEntitlement")
                .path("app_slug", DemoData.APP)
                .send()
                .expect(200);
        assertThat(read.body()).isEqualTo(second.body());
        assertThat(read.header("ETag")).isEqualTo("\"2\"");
        var list = policyTenant.call("listAppEntitlements").send().expect(200);
        assertThat(TenantCalls.texts(list, "app_slug")).containsExactly(DemoData.APP);
        var id = second.text("id");
        eventually(() ->
                assertThat(tenantCalls.audits("apps.entitlement.write", id)).hasSize(2));
        var audit = tenantCalls.audits("apps.entitlement.write", id).get(1);
        assertThat(audit.at("/metadata/before")).isEqualTo(first.body());
        assertThat(audit.at("/metadata/after")).isEqualTo(second.body());
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("apps.entitlement.updated")
                                && observedRecord.key().equals(policyTenant.projectId())))
                .extracting(observedRecord ->
                        observedRecord.payload().path("enabled").asBoolean())
                .containsExactly(true, false));
        tenantCalls.awaitLatest("catalog.state", "entitlement:" + id, entitlement -> assertThat(
                        entitlement.path("revision").asInt())
                .isEqualTo(2));
    }

    @Test
    void putAppEntitlement_acceptsOne_whenTwoWriteTheSameVersion() {
        var policyTenant = home("writers");
        var etag = policyTenant.entitle("{}").send().expect(200).header("ETag");

        assertThat(statusAndCode(policyTenant.entitle("{}").send())).isEqualTo("428 precondition_required");
        var answers = List.of("['eu']", "['us']").stream()
                .map(regions -> CompletableFuture.supplyAsync(() -> policyTenant
                        .entitle("{'policy_overrides': {'allowed_regions': " + regions + "}}")
                        .header("If-Match", etag)
                        .send()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).extracting(ApiResponse::status).containsExactlyInAnyOrder(200, 412);
        var lost = answers.stream().filter(a -> a.status() == 412).findFirst().orElseThrow();
        assertThat(lost.header("ETag")).isEqualTo("\"2\"");
        assertThat(lost.body().at("/details/etag").asText()).isEqualTo("\"2\"");
        for (var other : List.of("\"1\"", "\"3\"", "W/\"2\"", "\"1\", \"3\"")) {
            assertThat(statusAndCode(
                            policyTenant.entitle("{}").header("If-Match", other).send()))
                    .as(other)
                    .isEqualTo("412 precondition_failed");
        }
        policyTenant.entitle("{}").header("If-Match", "\"1\", \"2\"").send().expect(200);
        policyTenant.entitle("{}").header("If-Match", "*").send().expect(200);
    }

    @Test
    @Proves({"1.82", "1.85"})
    void putAppEntitlement_refuses_whenALevelDeniesTheApp() {
        var policyTenant = home("denied");
        var enabled = policyTenant.entitle("{}").send().expect(200);
        policyTenant.levelOf("organization").replace("{}", "{'allowed_apps': ['echo']}");

        assertThat(statusAndCode(
                        policyTenant.entitle("{}").header("If-Match", "*").send()))
                .isEqualTo("403 app_denied");
        assertThat(widenings(policyTenant
                        .levelOf("project")
                        .tryReplace("{'allowed_apps': ['echo']}", "{}")
                        .expect(409)))
                .containsExactly("allowed_apps organization 1");
        policyTenant
                .entitle("{'enabled': false}")
                .header("If-Match", enabled.header("ETag"))
                .send()
                .expect(200);
        var effective = policyTenant.effective("");
        assertThat(effective.body().at("/hard_denies/allowed_apps/0").asText()).isEqualTo("echo");
    }

    @Test
    @Proves("1.105")
    void catalog_isReadable_whenMutationsAreDisabled() {
        var policyTenant = home("frozen");
        policyTenant.entitle("{'enabled': true}").send().expect(200);
        var level = policyTenant.levelOf("organization");
        level.replace("{'features.entitlement_mutations': false, 'features.instance_mutations': false}", "{}");
        try {
            assertThat(statusAndCode(policyTenant
                            .entitle("{'enabled': false}")
                            .header("If-Match", "*")
                            .send()))
                    .isEqualTo("403 feature_disabled");
            platform.awaitReplication();
            assertThat(statusAndCode(policyTenant.launch("{}").send())).isEqualTo("403 feature_disabled");

            for (var operation : List.of("listApps", "getApp", "listAppVersions")) {
                policyTenant
                        .call(operation)
                        .path("app_slug", DemoData.APP)
                        .send()
                        .expect(200);
            }
        } finally {
            level.replace("{}", "{}");
        }
    }

    @Test
    @Proves("1.101")
    void database_rejectsEntitlement_whenProjectBelongsToAnotherOrganization() {
        var sql =
                "INSERT INTO catalog.project_app_entitlements (id, org_id, project_id, app_id) VALUES (gen_random_uuid(), '"
                        + DemoData.OTHER_ORG + "', '" + home("foreign").projectId() + "', '" + DemoData.ECHO + "')";
        assertThatThrownBy(() -> platform.database().execute(sql))
                .hasCauseInstanceOf(SQLException.class)
                .satisfies(e ->
                        assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("23503"));
    }

    private static PolicyTenant home(String slug) {
        return policies.createTenant(slug);
    }
}
