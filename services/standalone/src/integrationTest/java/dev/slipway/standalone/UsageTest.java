package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Reports usage by API and topic on a whole platform, and runs the commands of docs/usage.md. */
class UsageTest {
    private static PlatformUnderTest platform;
    private static UsageCalls calls;
    private static ApiResponse credential;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        calls = new UsageCalls(platform);
        credential = calls.createCredential(DemoData.PROJECT);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void guide_reportsReadsAndExports_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        for (var user : List.of("project_owner", "platform_ops")) {
            Files.writeString(tokens.resolve(user), platform.token(user));
        }
        var guide = Files.readString(Path.of("../../docs/usage.md"));

        var output =
                GuideScript.run(directory, GuideScript.of(guide).replace("http://127.0.0.1:8080", platform.baseUrl()));

        assertThat(output)
                .contains(
                        "\"accepted\":2,\"duplicate\":0,\"conflict\":0,\"rejected\":1",
                        "\"accepted\":0,\"duplicate\":2,\"conflict\":0,\"rejected\":1",
                        "\"accepted\":0,\"duplicate\":1,\"conflict\":1,\"rejected\":1",
                        "\"stored_hash\":",
                        "\"quantity\":\"1000\"",
                        "\"audit_entry_id\":",
                        "X-Focus-Version: 1.4",
                        "BilledCost,BillingAccountId,",
                        "\"reconciled\":true");
    }

    @Test
    void topic_countsFactsOnce_andRecordsWhatItDoesNotCount() {
        var token = calls.token(credential, "reports");
        var facts = List.of(UsageCalls.fact("t-1", "5"), UsageCalls.fact("t-2", "7"), UsageCalls.fact("t-3", "1.5"));
        calls.send("by-topic", facts, token);
        calls.send("by-topic", facts, token);
        calls.send("by-topic", List.of(UsageCalls.fact("t-1", "6")), token);

        var source = DemoData.PROJECT + "/by-topic";
        eventually(() -> {
            assertThat(refusals().findValuesAsText("fact_id")).contains("t-1", "t-3");
            assertThat(lines("source=" + source).findValuesAsText("quantity")).containsExactly("12");
        });
        assertThat(refusals().findValuesAsText("outcome")).contains("conflict", "rejected");
    }

    @Test
    void topic_sendsRecordsToTheDeadLetterTopic_withoutAValidReportToken() {
        var before = deadLetters();
        calls.send("forged", List.of(UsageCalls.fact("f-1", "5")), null);
        calls.send("forged", List.of(UsageCalls.fact("f-1", "5")), calls.token(credential, null));
        calls.send("forged", List.of(UsageCalls.fact("f-1", "5")), platform.token("project_owner"));

        eventually(() -> assertThat(deadLetters() - before).isEqualTo(3));
        assertThat(lines("source=" + DemoData.PROJECT + "/forged")).isEmpty();
    }

    @Test
    void reportToken_isRefused_atTheApi() {
        assertThat(calls.report(calls.token(credential, "reports"), DemoData.PROJECT, UsageCalls.fact("r-1", "1"))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void usage_isIsolated_betweenTenantsAndProjects() {
        var foreign = calls.token(calls.createCredential(DemoData.OTHER_PROJECT), null);
        var own = calls.token(credential, null);

        calls.report(foreign, DemoData.PROJECT, UsageCalls.fact("i-1", "1")).expect(404);
        calls.report(own, DemoData.OTHER_PROJECT, UsageCalls.fact("i-1", "1")).expect(404);
        var named = calls.report(
                        own, null, UsageCalls.fact("i-1", "1").put("project_id", DemoData.OTHER_PROJECT.toString()))
                .expect(200);
        assertThat(named.body().at("/items/0/field").asText()).isEqualTo("project_id");
        calls.report(platform.token("project_owner"), DemoData.PROJECT, UsageCalls.fact("i-1", "1"))
                .expect(403);
        for (var operation : List.of(
                "listProjectUsageLines", "listProjectUsageFacts", "listProjectUsageRefusals", "exportProjectUsage")) {
            platform.as("other_tenant_owner")
                    .call(operation)
                    .path("project_id", DemoData.PROJECT)
                    .send()
                    .expect(404);
            platform.anonymous()
                    .as(foreign)
                    .call(operation)
                    .path("project_id", DemoData.PROJECT)
                    .send()
                    .expect(404);
        }
        for (var operation : List.of(
                "listOrganizationUsageLines",
                "listOrganizationUsageFacts",
                "listOrganizationUsageRefusals",
                "exportOrganizationUsage")) {
            platform.as("other_tenant_owner")
                    .call(operation)
                    .path("org_id", DemoData.ORG)
                    .send()
                    .expect(404);
        }
    }

    @Test
    void operators_compareSums_withFacts() {
        calls.report(calls.token(credential, null), null, UsageCalls.fact("c-" + UUID.randomUUID(), "3"))
                .expect(200);
        var check = Json.object().put("period", Instant.now().toString().substring(0, 10));

        var result = platform.as("platform_ops")
                .call("checkUsageConsistency")
                .body(check)
                .send()
                .expect(200);

        assertThat(result.body().path("consistent").asBoolean()).isTrue();
        assertThat(result.body().path("facts").asLong()).isPositive();
        platform.as("tenant_owner")
                .call("checkUsageConsistency")
                .body(check)
                .send()
                .expect(403);
        assertThat(platform.getManagement("/metrics")).contains("slipway_usage_facts_total");
    }

    /** The cost of all tenants is for operators of the platform only. */
    @Test
    @Proves("1.40")
    void reconciliation_isForbidden_toTenants_andAuditedForOperators() {
        var month = Instant.now().toString().substring(0, 7);
        for (var tenant : List.of("tenant_owner", "tenant_admin", "project_owner", "other_tenant_owner")) {
            assertThat(reconcile(platform.as(tenant), month).status())
                    .as(tenant)
                    .isEqualTo(403);
        }
        assertThat(reconcile(platform.anonymous().as(calls.token(credential, null)), month)
                        .status())
                .isEqualTo(403);
        assertThat(reconcile(platform.anonymous(), month).status()).isEqualTo(401);
        assertThat(reconcile(platform.as("platform_ops"), "2026-13").status()).isEqualTo(400);

        var result = reconcile(platform.as("platform_ops"), month).expect(200);

        assertThat(result.body().path("reconciled").asBoolean()).isTrue();
        eventually(() -> assertThat(platform.database().query("""
                        SELECT string_agg(DISTINCT payload ->> 'result', ' ' ORDER BY payload ->> 'result') FROM audit.audit_records
                        WHERE payload ->> 'action' = 'usage.reconciliation.read'
                        """)).isEqualTo("denied success"));
    }

    private static ApiResponse reconcile(ApiClient client, String month) {
        return client.call("getUsageReconciliation")
                .query("app_slug=echo&period=" + month)
                .send();
    }

    /** Ingestion stands still while its table is locked. Its topic keeps the records, the exposed lag grows, and all of them are counted once. */
    @Test
    @Proves("3.83")
    void usageWaitsInItsTopic_andTheLagIsShown_whileIngestionStandsStill() {
        var token = calls.token(credential, "reports");
        var source = "delayed-" + UUID.randomUUID();
        var counted = platform.metric("slipway_indicator_seconds_count", "usage_ingest");
        var deadLetters = deadLetters();
        try (var ignored = platform.database().lock("metering.usage_fact_ids")) {
            for (var i = 0; i < 20; i++) {
                calls.send(source, List.of(UsageCalls.fact("w-" + i, "1"), UsageCalls.fact("v-" + i, "2")), token);
            }
            eventually(() -> assertThat(platform.metric("slipway_usage_rollup_age_seconds", ""))
                    .isPositive());
            var age = platform.metric("slipway_usage_rollup_age_seconds", "");
            var behind = platform.metric("slipway_consumer_behind_seconds", "metering.usage-facts");
            eventually(() -> {
                assertThat(platform.metric("slipway_usage_rollup_age_seconds", ""))
                        .isGreaterThan(age);
                assertThat(platform.metric("slipway_consumer_behind_seconds", "metering.usage-facts"))
                        .isGreaterThan(behind);
                assertThat(page("source=" + DemoData.PROJECT + "/" + source)
                                .path("lag_seconds")
                                .asDouble())
                        .isGreaterThan(age);
            });
            assertThat(lines("source=" + DemoData.PROJECT + "/" + source)).isEmpty();
        }
        eventually(() -> {
            var line = lines("source=" + DemoData.PROJECT + "/" + source).path(0);
            assertThat(line.path("quantity").asText()).isEqualTo("60");
            assertThat(line.path("facts").asInt()).isEqualTo(40);
        });
        assertThat(deadLetters()).isEqualTo(deadLetters);
        // Each record is in the histogram that the objective of 30 seconds at p99 is computed from.
        eventually(() -> assertThat(platform.metric("slipway_indicator_seconds_count", "usage_ingest"))
                .isGreaterThanOrEqualTo(counted + 20));
        assertThat(platform.getManagement("/metrics"))
                .contains("slipway_indicator_seconds_bucket{indicator=\"usage_ingest\",le=\"30.0\"}");
    }

    @Test
    @Proves("3.83")
    void metrics_showLagUnratedUsageLedgerHealthAndTheAgeOfSums() {
        assertThat(platform.getManagement("/metrics"))
                .contains(
                        "slipway_consumer_behind_seconds{consumer=\"metering.usage-facts\"",
                        "slipway_usage_unrated ",
                        "slipway_rating_lag_seconds ",
                        "slipway_ledger_blocked_seconds ",
                        "slipway_usage_rollup_age_seconds ");
    }

    /** A product that no service knows: its unit is registered, and its usage is reported, priced and billed as any other. */
    @Test
    @Proves({"3.13", "3.104"})
    void newProduct_isMeteredRatedAndBilled_byRegistryEntriesOnly() {
        var token = calls.token(credential, null);
        var job = UsageCalls.fact("job-1", "12.5")
                .put("unit", "render_minute")
                .put("resource_type", "render_job")
                .put("resource_id", "scene-7");
        assertThat(calls.report(token, null, job)
                        .expect(200)
                        .body()
                        .at("/items/0/field")
                        .asText())
                .isEqualTo("unit");
        var registry = new CatalogCalls(platform);
        registry.put(
                        "product",
                        "render-farm",
                        Json.object().put("display_name", "Render farm").put("owner", "rendering"))
                .expect(200);
        registry.move("product", "render-farm", "active").expect(200);
        registry.put("usage_unit", "render_minute", Json.parseStoredObject("""
                        {"product_id": "render-farm", "owner": "rendering", "display_name": "Render minutes", "unit": "min",
                         "precision": 1, "rating_category": "rendering"}
                        """)).expect(200);
        registry.move("usage_unit", "render_minute", "active").expect(200);
        eventually(() -> assertThat(platform.database()
                        .query("SELECT lifecycle FROM metering.usage_units WHERE id = 'render_minute'"))
                .isEqualTo("active"));
        var demo = new TenantCalls.Tenant(DemoData.ORG.toString(), "tenant_owner");
        new SpendingCalls(platform).setPrice(demo, "render_minute", "0.40");

        assertThat(calls.report(token, null, job.put("id", "job-2"))
                        .expect(200)
                        .body()
                        .at("/counts/accepted")
                        .asInt())
                .isEqualTo(1);

        var month = job.path("window_start").asText().substring(0, 7);
        eventually(() -> assertThat(platform.as("tenant_owner")
                        .call("getProjectStatement")
                        .path("project_id", DemoData.PROJECT)
                        .path("period", month)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .anySatisfy(line -> {
                    assertThat(line.path("unit").asText()).isEqualTo("render_minute");
                    assertThat(line.path("resource_type").asText()).isEqualTo("render_job");
                    assertThat(line.path("amount").asText()).isEqualTo("5.00");
                }));
        var byTopic = job.deepCopy().put("id", "job-3").put("quantity", "2.5");
        calls.send("render-farm", List.of(byTopic), calls.token(credential, "reports"));
        eventually(() -> assertThat(new SpendingCalls(platform).debited(demo, DemoData.PROJECT, "render_minute"))
                .isEqualByComparingTo("6.00"));
        eventually(() -> {
            var slo = new StatusCalls(platform).slo("service", "metering");
            assertThat(slo.path("windows").path(0).path("total").asLong()).isPositive();
            assertThat(slo.path("threshold_ms").asLong()).isEqualTo(30_000);
            assertThat(slo.path("objective").asDouble()).isEqualTo(0.99);
        });
        eventually(() -> assertThat(platform.as("platform_ops")
                        .call("listStatusComponents")
                        .send()
                        .expect(200)
                        .body()
                        .path("items")
                        .findValuesAsText("component_id"))
                .contains("metering"));
    }

    private static JsonNode lines(String query) {
        return page(query).path("items");
    }

    private static JsonNode page(String query) {
        return platform.as("project_owner")
                .call("listProjectUsageLines")
                .path("project_id", DemoData.PROJECT)
                .query(query + "&bucket=total&from=" + since() + "&to=" + since().plus(365, ChronoUnit.DAYS))
                .send()
                .expect(200)
                .body();
    }

    private static Instant since() {
        return Instant.now().truncatedTo(ChronoUnit.DAYS).minus(31, ChronoUnit.DAYS);
    }

    private static JsonNode refusals() {
        return platform.as("project_owner")
                .call("listProjectUsageRefusals")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(200)
                .body()
                .path("items");
    }

    /** Returns the number of records of usage facts that were sent to the dead-letter topic. */
    private static double deadLetters() {
        return platform.metric("slipway_dead_letters_total", "metering.usage-facts");
    }
}
