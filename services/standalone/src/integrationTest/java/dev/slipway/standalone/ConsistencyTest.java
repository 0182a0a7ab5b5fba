package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the consistency checks of a running platform: they find nothing after normal use, and every planted difference. */
class ConsistencyTest {
    private static final List<String> CHECKS = List.of(
            "audit.audited_operations",
            "audit.audited_postings",
            "audit.instance_events",
            "audit.log_leaves",
            "audit.logged_records",
            "audit.shared_runtime_events",
            "catalog.quota_counters",
            "instances.instance_history",
            "instances.shared_runtime_history",
            "metering.charged_lines",
            "metering.ledger_totals",
            "metering.ledger_transactions",
            "metering.running_instances",
            "metering.running_intervals",
            "metering.statement_totals");

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_CONSISTENCY_INTERVAL", "PT1S"));
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void report_isForbidden_withoutPlatformRole() {
        platform.as("tenant_owner").call("getConsistency").send().expect(403);
    }

    @Test
    @Proves("C.21")
    void differences_areListedWithExamples_andThereAreNoneBefore() {
        var instance = platform.launch("project_owner", "consistent")
                .send()
                .expect(202)
                .text("id");
        platform.database()
                .execute("UPDATE instances.app_instances SET updated_at = now() - interval '1 minute';"
                        + "UPDATE instances.app_instance_operations SET created_at = now() - interval '1 minute'");
        eventually(() -> {
            var report = report();
            assertThat(checks(report)).containsAll(CHECKS);
            assertThat(report.path("consistent").asBoolean()).as("%s", report).isTrue();
            assertThat(report.path("age_seconds").asLong()).isNotNegative();
            assertThat(check(report, "audit.instance_events").path("checked").asLong())
                    .isPositive();
            assertThat(check(report, "audit.audited_operations").path("checked").asLong())
                    .isPositive();
            assertThat(check(report, "catalog.quota_counters").path("checked").asLong())
                    .isPositive();
            assertThat(check(report, "metering.running_instances")
                            .path("checked")
                            .asLong())
                    .isPositive();
        });

        platform.database()
                .execute("DELETE FROM audit.events WHERE aggregate_id = '" + instance + "' AND sequence = 1;"
                        + "DELETE FROM instances.instance_events WHERE app_instance_id = '" + instance
                        + "' AND sequence = 1;"
                        + "UPDATE audit.audit_records SET payload = payload #- '{metadata,operation_id}';"
                        + "DELETE FROM catalog.launched_instances WHERE id = '" + instance + "';"
                        + "DELETE FROM metering.metered_instances WHERE app_instance_id = '" + instance + "'");

        var found = eventuallyGet(() -> {
            var report = report();
            assertThat(report.path("consistent").asBoolean()).isFalse();
            for (var name : List.of(
                    "audit.instance_events",
                    "audit.audited_operations",
                    "instances.instance_history",
                    "catalog.quota_counters",
                    "metering.running_instances")) {
                assertThat(check(report, name).path("differences").asLong())
                        .as(name)
                        .isPositive();
            }
            return report;
        });
        var example = check(found, "catalog.quota_counters").at("/examples/0");
        assertThat(example.path("key").asText()).isEqualTo(instance);
        assertThat(example.path("difference").asText()).contains("is not counted");
        assertThat(platform.database()
                        .query(
                                "SELECT string_agg((differences > 0)::text, ',' ORDER BY completed_at) FROM audit.consistency_history"
                                        + " WHERE service = 'catalog' AND name = 'quota_counters'"))
                .as("the result without differences is superseded, not deleted")
                .startsWith("false,true");
        assertThat(platform.events().violations()).isEmpty();
    }

    private static JsonNode report() {
        return platform.as("platform_superadmin")
                .call("getConsistency")
                .send()
                .expect(200)
                .body();
    }

    private static List<String> checks(JsonNode report) {
        return StreamSupport.stream(report.path("checks").spliterator(), false)
                .map(ConsistencyTest::name)
                .toList();
    }

    private static JsonNode check(JsonNode report, String name) {
        return StreamSupport.stream(report.path("checks").spliterator(), false)
                .filter(check -> name(check).equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " has no result"));
    }

    private static String name(JsonNode check) {
        return check.path("service").asText() + "." + check.path("check").asText();
    }
}
