package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Reports usage by API and topic on a whole platform, and runs the commands of docs/usage.md. */
class UsageTest {
    private static PlatformUnderTest platform;
    private static ApiResponse credential;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        credential = credential(DemoData.PROJECT);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    private static ApiResponse credential(UUID projectId) {
        var account = CredentialCalls.createAccount(platform, projectId, "usage.report", "usage.read");
        var created = CredentialCalls.createCredential(platform, projectId, account);
        platform.awaitReplication();
        return created;
    }

    private static String token(ApiResponse of, @Nullable String audience) {
        var body = CredentialCalls.client(of.text("credential_id"), of.text("secret"));
        if (audience != null) {
            body.put("audience", audience);
        }
        return platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(body)
                .send()
                .expect(200)
                .text("access_token");
    }

    @Test
    void guide_reportsReadsAndExports_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        Files.writeString(tokens.resolve("project_owner"), platform.token("project_owner"));
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
                        "# FOCUS 1.4, as_of ");
    }

    @Test
    void topic_countsFactsOnce_andRecordsWhatItDoesNotCount() {
        var token = token(credential, "reports");
        var facts = List.of(fact("t-1", "5"), fact("t-2", "7"), fact("t-3", "1.5"));
        send("by-topic", facts, token);
        send("by-topic", facts, token);
        send("by-topic", List.of(fact("t-1", "6")), token);

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
        send("forged", List.of(fact("f-1", "5")), null);
        send("forged", List.of(fact("f-1", "5")), token(credential, null));
        send("forged", List.of(fact("f-1", "5")), platform.token("project_owner"));

        eventually(() -> assertThat(deadLetters() - before).isEqualTo(3));
        assertThat(lines("source=" + DemoData.PROJECT + "/forged")).isEmpty();
    }

    @Test
    void reportToken_isRefused_atTheApi() {
        assertThat(report(token(credential, "reports"), DemoData.PROJECT, fact("r-1", "1"))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void usage_isIsolated_betweenTenantsAndProjects() {
        var foreign = token(credential(DemoData.OTHER_PROJECT), null);
        var own = token(credential, null);

        report(foreign, DemoData.PROJECT, fact("i-1", "1")).expect(404);
        report(own, DemoData.OTHER_PROJECT, fact("i-1", "1")).expect(404);
        var named = report(own, null, fact("i-1", "1").put("project_id", DemoData.OTHER_PROJECT.toString()))
                .expect(200);
        assertThat(named.body().at("/items/0/field").asText()).isEqualTo("project_id");
        report(platform.token("project_owner"), DemoData.PROJECT, fact("i-1", "1"))
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
        report(token(credential, null), null, fact("c-" + UUID.randomUUID(), "3"))
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

    @Test
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
    void newProduct_isMeteredRatedAndBilled_byRegistryEntriesOnly() {
        var token = token(credential, null);
        var job = fact("job-1", "12.5")
                .put("unit", "render_minute")
                .put("resource_type", "render_job")
                .put("resource_id", "scene-7");
        assertThat(report(token, null, job)
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

        assertThat(report(token, null, job.put("id", "job-2"))
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
        eventually(() -> {
            var slo = StatusCalls.find(
                    platform.as("platform_ops")
                            .call("listSlos")
                            .send()
                            .expect(200)
                            .body()
                            .path("items"),
                    "service",
                    "metering");
            assertThat(slo.path("windows").path(0).path("total").asLong()).isPositive();
        });
    }

    private static ObjectNode fact(String id, String quantity) {
        var end = Instant.now().truncatedTo(ChronoUnit.HOURS);
        return Json.object()
                .put("id", id)
                .put("unit", "token")
                .put("quantity", quantity)
                .put("window_start", end.minusSeconds(60).toString())
                .put("window_end", end.toString())
                .put("resource_type", "model")
                .put("resource_id", "llama");
    }

    private static ObjectNode batch(String source, List<ObjectNode> facts) {
        var body = Json.object().put("source", source);
        facts.forEach(body.putArray("facts")::add);
        return body;
    }

    private static ApiResponse report(String token, @Nullable UUID projectId, ObjectNode fact) {
        var call = platform.anonymous().as(token).call("reportUsageFacts").body(batch("api", List.of(fact)));
        return (projectId == null ? call : call.header("X-Project-ID", projectId.toString())).send();
    }

    private static void send(String source, List<ObjectNode> facts, @Nullable String token) {
        var event = new Envelope(
                Ids.next(), "usage.facts.reported", Instant.now(), 1, "usage-" + source, batch(source, facts));
        var sent = new ProducerRecord<>(platform.topicPrefix() + "usage.facts", source, event.toBytes());
        if (token != null) {
            sent.headers().add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        }
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", platform.kafkaBootstrap()),
                new StringSerializer(),
                new ByteArraySerializer())) {
            var unused = producer.send(sent);
        }
    }

    private static JsonNode lines(String query) {
        return platform.as("project_owner")
                .call("listProjectUsageLines")
                .path("project_id", DemoData.PROJECT)
                .query(query + "&bucket=total&from=" + since() + "&to=" + since().plus(365, ChronoUnit.DAYS))
                .send()
                .expect(200)
                .body()
                .path("items");
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
        return platform.getManagement("/metrics")
                .lines()
                .filter(line -> line.startsWith("slipway_dead_letters_total") && line.contains("metering.usage-facts"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
