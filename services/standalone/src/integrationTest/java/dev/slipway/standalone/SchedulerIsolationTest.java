package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.TokenSigner;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.SchedulerFixture.instanceCall;
import static dev.slipway.standalone.SchedulerFixture.run;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a third-party scheduler and the bundled app have the same permissions and limits. */
class SchedulerIsolationTest extends SchedulerTestBase {
    /** Asserts that the bundled app gets the same error codes as a third-party app. */
    @ParameterizedTest
    @ValueSource(strings = {DemoData.APP, SchedulerFixture.APP})
    @Proves({"1.04", "1.13", "2.19", "2.66", "2.68", "2.73"})
    void report_isRejected_whenTokenIsOfOtherTask(String app) {
        var id = schedulerFixture.launchRunning(DemoData.PROJECT, app, VERSION);
        var sibling = schedulerFixture.launchRunning(DemoData.SIBLING_PROJECT, app, VERSION);
        var foreign = schedulerFixture.launchRunning(DemoData.OTHER_PROJECT, app, VERSION);
        var command = reports.command("deploy", id);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.key().equals(id)))
                .as("everything that followed from the launch is known by its id")
                .hasSizeGreaterThan(5)
                .extracting(observedRecord ->
                        observedRecord.event().path("correlation_id").asText())
                .containsOnly(command.event().path("correlation_id").asText()));
        for (var caller : Map.of(
                        "project_viewer", REFUSED,
                        "platform_superadmin", "403 break_glass_required",
                        "other_tenant_owner", "404 not_found")
                .entrySet()) {
            assertThat(statusAndCode(schedulerFixture
                            .launch(platform.as(caller.getKey()), DemoData.PROJECT, app, VERSION)
                            .send()))
                    .isEqualTo(caller.getValue());
        }

        var own = taskToken(app, command);
        var failed = RawReports.reportFor(command).put("reason", "forged");
        for (var other : List.of(sibling, foreign)) {
            var theirs = reports.command("deploy", other);
            var elsewhere = failed.deepCopy()
                    .put("org_id", theirs.payload().path("org_id").asText())
                    .put("project_id", theirs.payload().path("project_id").asText());
            assertRefused(failed, taskToken(app, theirs), "insufficient_permissions");
            assertRefused(RawReports.reportFor(theirs).put("reason", "forged"), own, "insufficient_permissions");
            assertThat(refusal(elsewhere, own)).isIn("not_found", "insufficient_permissions");
            schedulerFixture.awaitStatus(
                    UUID.fromString(theirs.payload().path("project_id").asText()), other, "running");
        }
        assertRefused(failed, null, "token_missing");
        assertRefused(failed, "x" + own, "token_invalid");
        assertRefused(failed, platform.token("project_owner"), "token_invalid");
        var withoutContext = failed.deepCopy();
        withoutContext.remove("project_id");
        assertRefused(withoutContext, own, "validation_error");
        var adapter = platform.anonymous().as(own);
        assertThat(statusAndCode(instanceCall(adapter, "deleteAppInstance", DemoData.PROJECT, id)
                        .send()))
                .isEqualTo("401 token_invalid");
        schedulerFixture.awaitStatus(DemoData.PROJECT, id, "running");

        reports.send("runtime.report.failed", failed, own);
        schedulerFixture.awaitStatus(DemoData.PROJECT, id, "failed");
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(id)))
                .extracting(observedRecord ->
                        observedRecord.payload().path("action").asText() + " "
                                + observedRecord.payload().path("result").asText())
                .contains(
                        "apps.instance.create success", "apps.instance.report denied", "apps.instance.report success"));
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(id)
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals("apps.instance.report")
                                && observedRecord
                                        .payload()
                                        .path("result")
                                        .asText()
                                        .equals("success")))
                .as("an app's operator works by its project's service account, and in no other way")
                .extracting(observedRecord -> observedRecord
                        .payload()
                        .path("actor")
                        .path("actor_type")
                        .asText())
                .containsOnly("service_account");
    }

    private static void assertRefused(ObjectNode report, String token, String code) {
        assertThat(refusal(report, token)).isEqualTo(code);
    }

    private static String refusal(ObjectNode report, String token) {
        return reports.rejection(reports.send("runtime.report.failed", report, token))
                .payload()
                .path("code")
                .asText();
    }

    @Test
    @Proves({"2.05", "2.14"})
    void runOperation_isAuthorizedByPlatform_andPassedToAppUnchanged() {
        var id = schedulerFixture.launchRunning(DemoData.PROJECT, SchedulerFixture.APP, VERSION);
        var acmesOwn = platform.anonymous()
                .as(TokenSigner.withNewKey("https://acme.example")
                        .sign("acme admin", Instant.now(), Instant.now().plusSeconds(600), Map.of()));
        assertThat(statusAndCode(run(acmesOwn, DemoData.PROJECT, id, "queue.submit")))
                .isEqualTo("401 token_invalid");
        for (var invented : List.of("users", "roles", "service_accounts")) {
            var manifest = SchedulerFixture.manifest("3.0.0", "slurm");
            manifest.putArray(invented).add("acme admin");
            assertThat(schedulerFixture
                            .draft(manifest)
                            .expect(400)
                            .body()
                            .at("/details/fields/0/field")
                            .asText())
                    .isEqualTo("/manifest/" + invented);
        }
        var unknown = SchedulerFixture.manifest("3.0.0", "slurm");
        unknown.withArray("required_actions").add("acme.secret.read");
        schedulerFixture.draft(unknown).expect(201);
        assertThat(schedulerFixture
                        .publish("3.0.0")
                        .expect(409)
                        .body()
                        .at("/details/fields")
                        .findValuesAsText("field"))
                .containsExactly("/manifest/required_actions/2");

        var job = PolicyCalls.json("{'#!': '/bin/sh', 'nodes': [1, {'deep': null}], 'gröẞe': 1000}");
        var answer = PolicyCalls.json("{'ticket': {'of': ['acme', 7]}}");
        var handedOn = new ArrayList<JsonNode>();
        schedulerAdapter.replyWith((operation, input) -> {
            handedOn.add(input);
            return answer;
        });
        var account = schedulerFixture.account("apps.instance.read", "scheduler.queue.submit");
        for (var caller : List.of(platform.as("project_member"), account)) {
            var body = Json.object().put("operation", "queue.submit");
            body.set("input", job);
            var done = schedulerFixture.awaitEnd(instanceCall(caller, "runInstanceOperation", DemoData.PROJECT, id)
                    .body(body)
                    .send());
            assertThat(done.path("output")).isEqualTo(answer);
            var who = caller.call("getMe").send().text("principal_id");
            assertThat(done.path("requested_by_principal_id").asText()).isEqualTo(who);
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
                                            .equals("success")
                                    && observedRecord
                                            .payload()
                                            .at("/metadata/operation_id")
                                            .asText()
                                            .equals(done.path("id").asText())))
                    .singleElement()
                    .satisfies(observedRecord -> assertThat(observedRecord
                                    .payload()
                                    .at("/actor/principal_id")
                                    .asText())
                            .isEqualTo(who)));
            assertThat(statusAndCode(run(caller, DemoData.SIBLING_PROJECT, id, "queue.submit")))
                    .isEqualTo("404 not_found");
        }
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("apps.instance_operation.succeeded")
                                && observedRecord.key().equals(id)
                                && observedRecord
                                        .payload()
                                        .path("operation")
                                        .asText()
                                        .equals("queue.submit")))
                .hasSize(2));
        assertThat(handedOn).hasSize(2).allSatisfy(input -> assertThat(input).isEqualTo(job));

        // The token of a command is for reports only.
        var adapter = platform.anonymous().as(taskToken(SchedulerFixture.APP, reports.command("deploy", id)));
        for (var action : List.of("queue.submit", "node.drain")) {
            assertThat(statusAndCode(run(adapter, DemoData.PROJECT, id, action)))
                    .isEqualTo("401 token_invalid");
        }
        for (var operation : List.of("getAppInstance", "deleteAppInstance", "listInstanceMembers")) {
            assertThat(statusAndCode(instanceCall(adapter, operation, DemoData.PROJECT, id)
                            .send()))
                    .isEqualTo("401 token_invalid");
        }
        assertThat(statusAndCode(run(account, DemoData.PROJECT, id, "queue.cancel")))
                .isEqualTo(REFUSED);
    }
}
