package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Changes fail when their audit record or evidence cannot be written, and the figures of these writes are exposed. */
class AuditWriteTest {
    private static final String FAILURES = "slipway_audit_write_failures_total";
    private static final String WRITES = "slipway_indicator_seconds";

    private static FaultyLink kafka;
    private static PlatformUnderTest platform;
    private static AuditCalls audit;
    private static StatusCalls status;

    @BeforeAll
    static void start() {
        kafka = FaultyLink.toKafka(TestInfrastructure.shared().kafkaBootstrap());
        platform = new PlatformUnderTest(Map.of("SLIPWAY_STATUS_INTERVAL", "PT1S"), kafka::through);
        audit = new AuditCalls(platform);
        status = new StatusCalls(platform);
    }

    @AfterAll
    static void stop() {
        platform.close();
        kafka.close();
    }

    /** The database refuses first the audit record and then the evidence. Then both are written, and the objective is computed. */
    @Test
    @Proves("3.85")
    void privilegedChange_failsClosed_withoutAuditRecordOrEvidence_andTheWritesAreMeasured() {
        refuseAuditRecords();
        refuseEvidence();
        showQueryLag();
        showBundleLag();
        evaluateObjective();
    }

    private static void refuseAuditRecords() {
        var failures = platform.metric(FAILURES, "service=\"iam\"");
        var name = "role-" + UUID.randomUUID().toString().substring(0, 8);
        var role = Json.object().put("display_name", name).put("level", "project");
        role.putArray("actions").add("apps.instance.read");
        refuseInserts("iam.outbox", "NEW.event_type = 'audit.recorded'");

        audit.organization("createRole", "tenant_owner", DemoData.ORG)
                .body(role)
                .send()
                .expect(500);

        acceptInserts("iam.outbox");
        assertThat(platform.database().query("SELECT count(*) FROM iam.roles WHERE label = '" + name + "'"))
                .isEqualTo("0");
        assertThat(platform.metric(FAILURES, "service=\"iam\"")).isEqualTo(failures + 1);
        assertRefusedWrites();
    }

    /** Neither the gate nor the promotion that depends on it passes. */
    private static void refuseEvidence() {
        var admin = platform.as("platform_superadmin");
        admin.call("createApp").body(app("recorded", "apps")).send().expect(201);
        new CatalogCalls(platform)
                .register("recorded", manifest("recorded", "1.0.0"))
                .expect(201);
        new PolicyCalls(platform).global().replace("{'ungated_products': ['" + DemoData.APP + "']}", "{}");
        var release = platform.as("platform_ops")
                .call("createRelease")
                .body(EvidenceTest.candidate("recorded", "1.0.0"))
                .send()
                .expect(201)
                .body();
        var id = release.path("id").asText();
        var failures = platform.metric(FAILURES, "service=\"audit\"");
        refuseInserts("audit.evidence_items", "true");

        platform.as("platform_ops")
                .call("addEvidence")
                .path("release_id", id)
                .body(EvidenceTest.item("contract_drift", "sdk", "current", Map.of("reference", "v1.3.0")))
                .send()
                .expect(500);
        admin.call("approveReleaseForPlatform")
                .path("release_id", id)
                .body(Json.object().put("decision", "approved"))
                .send()
                .expect(500);

        acceptInserts("audit.evidence_items");
        assertThat(admin.call("getRelease")
                        .path("release_id", id)
                        .send()
                        .expect(200)
                        .body())
                .isEqualTo(release);
        assertThat(platform.metric(FAILURES, "service=\"audit\"")).isEqualTo(failures + 2);
        assertThat(version(admin, "publishAppVersion", "recorded", "1.0.0")
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("release_blocked");
        assertRefusedWrites();
    }

    /** The log cannot be appended to: its records cannot be queried, and their age is shown until they can. */
    private static void showQueryLag() {
        var correlation = "waiting-" + UUID.randomUUID();
        try (var ignored = platform.database().begin("LOCK TABLE audit.log_heads IN ACCESS EXCLUSIVE MODE")) {
            platform.launch("project_owner", "waiting")
                    .header("X-Correlation-ID", correlation)
                    .send()
                    .expect(202);
            eventually(() -> assertThat(platform.metric("slipway_audit_query_lag_seconds", ""))
                    .isPositive());
            eventually(
                    () -> assertThat(readModel("audit").path("age_ms").asLong()).isPositive());
        }
        assertThat(audit.find(correlation).path("action").asText()).isEqualTo("apps.instance.create");
        eventually(() -> {
            assertThat(platform.metric("slipway_audit_query_lag_seconds", "")).isZero();
            assertThat(readModel("audit").path("fresh").asBoolean()).isTrue();
        });
    }

    /** The verdict of a release cannot be published: its age is shown until it is. */
    private static void showBundleLag() {
        kafka.cut();
        platform.as("platform_ops")
                .call("createRelease")
                .body(EvidenceTest.candidate("unpublished", "1.0.0"))
                .send()
                .expect(201);
        eventually(() -> assertThat(platform.metric("slipway_evidence_bundle_lag_seconds", ""))
                .isPositive());
        kafka.heal();
        eventually(() -> {
            assertThat(platform.metric("slipway_evidence_bundle_lag_seconds", ""))
                    .isZero();
            assertThat(readModel("evidence").path("age_ms").isNumber()).isTrue();
            assertThat(readModel("evidence").path("fresh").asBoolean()).isTrue();
        });
    }

    /** The objective has the events of the histogram: its share of changes within 50 ms decides, not a measurement of this test. */
    private static void evaluateObjective() {
        eventually(() -> {
            var total = platform.metric(WRITES + "_count", "indicator=\"audit_write\"");
            var good = platform.metric(WRITES + "_bucket", "indicator=\"audit_write\",le=\"0.05\"");
            var slo = status.slo("slo_id", "audit-write");
            assertThat(slo.path("threshold_ms").asLong()).isEqualTo(50);
            assertThat(slo.path("objective").asDouble()).isEqualTo(0.99);
            var month = slo.path("windows").path(slo.path("windows").size() - 1);
            assertThat(month.path("total").asDouble()).isPositive().isEqualTo(total);
            assertThat(month.path("good").asDouble()).isEqualTo(good);
            assertThat(slo.path("status").asText().equals("violated")).isEqualTo(good / total < 0.99);
        });
    }

    private static void assertRefusedWrites() {
        eventually(() -> {
            var refused = StatusCalls.find(
                    StatusCalls.find(status.posture(), "service", "audit").path("refused_writes"),
                    "reason",
                    "audit_write_failed");
            assertThat(refused.path("total").asDouble()).isEqualTo(platform.metric(FAILURES, ""));
            assertThat(refused.path("current").asBoolean()).isTrue();
        });
    }

    private static JsonNode readModel(String name) {
        return StatusCalls.find(
                StatusCalls.find(status.posture(), "service", "audit").path("read_models"), "name", name);
    }

    private static void refuseInserts(String table, String condition) {
        platform.database().execute("""
                CREATE OR REPLACE FUNCTION public.refuse_insert() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no space'; END $$;
                CREATE TRIGGER refuse_insert BEFORE INSERT ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION public.refuse_insert()
                """.formatted(table, condition));
    }

    private static void acceptInserts(String table) {
        platform.database().execute("DROP TRIGGER refuse_insert ON " + table);
    }
}
