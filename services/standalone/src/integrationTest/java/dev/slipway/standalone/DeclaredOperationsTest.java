package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests declared operations, stale policy and usage, with an adapter on the real broker. */
class DeclaredOperationsTest extends MemberTestBase {
    @Test
    @Proves("1.61")
    void memberOperation_isAnInstanceOperation_oneAtATime() {
        var id = calls.running("busy");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var workers = calls.ready(id, "worker");
        adapter.hold();
        var key = UUID.randomUUID().toString();
        var first = calls.call(id, calls.on("drain", workers.get(0)))
                .header("Idempotency-Key", key)
                .send()
                .expect(202);
        assertThat(first.header("Location")).endsWith("/member-operations/" + first.text("id"));
        assertThat(calls.call(id, calls.on("drain", workers.get(0)))
                        .header("Idempotency-Key", key)
                        .send()
                        .expect(202)
                        .text("id"))
                .isEqualTo(first.text("id"));

        var second = calls.operate(id, calls.on("drain", workers.get(1))).expect(409);
        assertThat(second.text("code")).isEqualTo("operation_in_progress");
        assertThat(second.body().at("/details/operation_id").asText()).isEqualTo(first.text("id"));
        adapter.release();

        assertThat(calls.ended(first).text("status")).isEqualTo("succeeded");
        var found = platform.instance("getMemberOperation", "project_viewer", id)
                .path("operation_id", first.text("id"))
                .send()
                .expect(200);
        var same = platform.instance("getInstanceOperation", "project_viewer", id)
                .path("operation_id", first.text("id"))
                .send()
                .expect(200);
        assertThat(found.body()).isEqualTo(same.body());
        var create = calls.timeline(id).get(1).at("/payload/operation_id").asText();
        assertThat(statusAndCode(platform.instance("getMemberOperation", "project_viewer", id)
                        .path("operation_id", create)
                        .send()))
                .isEqualTo("404 operation_not_found");
        assertThat(statusAndCode(calls.call("project_viewer", id, calls.on("drain", workers.get(1)))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
    }

    @Test
    void declaredOperation_isRefused_byActionInputAndStatus() {
        var id = calls.running("declared");
        var size = Json.object();
        size.putObject("input").put("size", 1);
        var submit = size.put("operation", "queue.submit");

        var denied = calls.run("project_viewer", id, submit).expect(403);
        assertThat(denied.text("message")).contains("scheduler.queue.submit");
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals("scheduler.queue.submit")
                                && observedRecord
                                        .payload()
                                        .path("result")
                                        .asText()
                                        .equals("denied")
                                && observedRecord
                                        .payload()
                                        .at("/metadata/app_instance_id")
                                        .asText()
                                        .equals(id)))
                .hasSize(1));
        assertThat(statusAndCode(calls.run("project_owner", id, Json.object().put("operation", "no.such"))))
                .isEqualTo("422 operation_unknown");
        var wrong = Json.object().put("operation", "queue.submit");
        wrong.putObject("input").put("size", 0).put("colour", "red");
        var invalid = calls.run("project_owner", id, wrong).expect(422);
        assertThat(invalid.text("code")).isEqualTo("operation_input_invalid");
        assertThat(invalid.body().at("/details/fields").findValuesAsText("field"))
                .containsExactlyInAnyOrder("/input/size", "/input/colour");
        adapter.hold();
        var young = calls.launch("young");
        assertThat(statusAndCode(calls.run("project_owner", young, submit))).isEqualTo("409 instance_state_conflict");
    }

    @Test
    @Proves("2.47")
    void declaredOperation_returnsItsOutput_whenItMatchesTheSchema() {
        var id = calls.running("scheduler");
        var submit = Json.object().put("operation", "queue.submit");
        submit.putObject("input").put("size", 3);
        adapter.replyWith((operation, input) ->
                Json.object().put("ticket", "t-" + input.path("size").asInt()));

        var done = calls.ended(calls.run("project_member", id, submit).expect(202));

        assertThat(done.text("status")).isEqualTo("succeeded");
        assertThat(done.text("kind")).isEqualTo("declared");
        assertThat(done.text("action")).isEqualTo("scheduler.queue.submit");
        assertThat(done.body().at("/output/ticket").asText()).isEqualTo("t-3");
        assertThat(adapter.instanceFiles().requests(UUID.fromString(id))).contains("operated queue.submit");

        adapter.replyWith((operation, input) -> Json.object().put("ticket", 7));
        var misfit = calls.ended(calls.run("project_member", id, submit).expect(202));
        assertThat(misfit.text("status")).isEqualTo("failed");
        assertThat(misfit.text("reason")).contains("/output/ticket");
        eventually(() -> assertThat(calls.rejections(id, "validation_error")).hasSize(1));

        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("instances.events")
                                && observedRecord.key().equals(id)))
                .anyMatch(observedRecord ->
                        observedRecord.payload().path("operation").asText().equals("queue.submit"))
                .allSatisfy(observedRecord -> {
                    if (observedRecord.payload().path("operation_id").asText().equals(done.text("id"))) {
                        assertThat(observedRecord.event().path("correlation_id").asText())
                                .isEqualTo(done.text("correlation_id"));
                    }
                    assertThat(observedRecord.payload().path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
                    assertThat(observedRecord.payload().path("project_id").asText())
                            .isEqualTo(DemoData.PROJECT.toString());
                    assertThat(observedRecord.payload().path("app_slug").asText())
                            .isEqualTo(DemoData.APP);
                    assertThat(observedRecord.payload().path("app_instance_id").asText())
                            .isEqualTo(id);
                }));
        var ping = calls.ended(calls.run("project_viewer", id, Json.object().put("operation", "ping"))
                .expect(202));
        assertThat(ping.text("status")).isEqualTo("succeeded");
    }

    @Test
    void change_isRefused_whenPolicyIsStale_exceptRemoval() {
        var id = calls.running("on old policy");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var database = platform.database();
        database.execute("UPDATE instances.catalog_freshness SET known_until = now() - interval '4 minutes'");
        assertThat(calls.launch("on policy that is old enough")).isNotEmpty();

        database.execute("""
                UPDATE instances.catalog_freshness SET known_until = now() - interval '6 minutes';
                CREATE FUNCTION instances.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER nothing_is_confirmed BEFORE UPDATE ON instances.catalog_freshness
                FOR EACH ROW EXECUTE FUNCTION instances.nothing()
                """);
        try {
            var launch = PlatformUnderTest.launchBody("on no policy").put("version", VERSION);
            assertThat(statusAndCode(calls.launch(launch))).isEqualTo("503 policy_stale");
            assertThat(statusAndCode(platform.instance("upgradeAppInstance", "project_owner", id)
                            .body(Json.object().put("version", DemoData.VERSION))
                            .send()))
                    .isEqualTo("503 policy_stale");
            assertThat(statusAndCode(calls.operate(
                            id, Json.object().put("operation", "add").put("component", "worker"))))
                    .isEqualTo("503 policy_stale");
            assertThat(statusAndCode(
                            calls.run("project_owner", id, Json.object().put("operation", "ping"))))
                    .isEqualTo("503 policy_stale");
            assertThat(calls.ready(id, "worker")).hasSize(2);
            assertThat(platform.getManagement("/metrics"))
                    .containsPattern("slipway_policy_age_seconds\\{service=\"instances\"} 3[6-9]\\d")
                    .containsPattern("slipway_policy_decision_seconds_count\\{service=\"instances\"} [1-9]")
                    .contains("slipway_policy_refusals_total{reason=\"policy_stale\",service=\"instances\"} 4.0");
            platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
        } finally {
            database.execute("DROP TRIGGER nothing_is_confirmed ON instances.catalog_freshness");
        }
        eventually(() -> assertThat(platform.getManagement("/metrics"))
                .containsPattern("slipway_policy_age_seconds\\{service=\"instances\"} [12]?\\d\\."));
    }

    @Test
    @Proves("1.89")
    void usage_becomesALedgerEntry_ofTheProject() {
        var demo = new TenantCalls.Tenant(DemoData.ORG.toString(), "tenant_owner");
        new SpendingCalls(platform).setPrice(demo, "token", "0.25");
        var instance = UUID.fromString(calls.running("billed"));

        adapter.reportUsage(
                instance, UUID.randomUUID(), "token", "7001", Instant.now().minusSeconds(60), Instant.now());

        // Tokens of other tests of this class are billed too, in any order.
        var spending = new SpendingCalls(platform);
        eventually(() -> assertThat(spending.debited(demo, DemoData.PROJECT, "token"))
                .isGreaterThanOrEqualTo(new BigDecimal("1750.25"))
                .isEqualByComparingTo(platform.database()
                        .query(
                                "SELECT sum(quantity) * 0.25 FROM metering.usage_facts WHERE project_id = '%s' AND unit = 'token'"
                                        .formatted(DemoData.PROJECT))));
    }

    @Test
    @Proves("2.20")
    void usage_isCountedOnce_inTheManifestsUnits() {
        var id = calls.running("metered");
        var instance = UUID.fromString(id);
        var from = Instant.now().minusSeconds(60);
        var to = Instant.now();
        var first = UUID.randomUUID();

        adapter.reportUsage(instance, first, "token", "1", from, to);
        adapter.reportUsage(instance, first, "token", "1", from, to);
        adapter.reportUsage(instance, UUID.randomUUID(), "token", "2.0", from.minusSeconds(60), from);
        adapter.reportUsage(instance, UUID.randomUUID(), "app_runtime_hour", "123456789.000001", from, to);
        adapter.reportUsage(instance, UUID.randomUUID(), "gpu_hour", "1", from, to);
        adapter.reportUsage(instance, UUID.randomUUID(), "token", "1", to, from);
        adapter.reportUsage(instance, UUID.randomUUID(), "token", "1", from, to.plusSeconds(86_400));

        adapter.reportUsage(instance, UUID.randomUUID(), "token", "1", from.plusSeconds(1), to);
        adapter.reportUsage(instance, UUID.randomUUID(), "app_runtime_hour", "0.0000001", from.minusSeconds(60), from);

        eventually(() -> assertThat(calls.rejections(id, "validation_error")).hasSize(5));
        eventually(() -> assertThat(calls.used(id).path("reported").toString())
                .isEqualTo("[{\"unit\":\"app_runtime_hour\",\"quantity\":\"123456789.000001\"},"
                        + "{\"unit\":\"token\",\"quantity\":\"3\"}]"));
        assertThat(calls.used(id).path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
        assertThat(calls.used(id).path("project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.topic().equals("usage.events")
                                && observedRecord
                                        .payload()
                                        .path("usage_id")
                                        .asText()
                                        .equals(first.toString())))
                .as("told twice, counted once")
                .hasSize(2);
    }
}
