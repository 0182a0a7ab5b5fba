package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap.ObservedRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** An adapter with a valid credential requests tokens for, and reports on, what it has no command for. */
class ReportForgeryTest {
    private static PlatformUnderTest platform;
    private static RawReports reports;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        reports = new RawReports(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    void exchange_isRefusedAndAudited_forAnUnknownCommandAndForThatOfAnotherInstance() {
        var instance = launch(DemoData.PROJECT, "project_owner");
        var other = launch(DemoData.OTHER_PROJECT, "other_tenant_owner");
        reports.token(instance, commandOf(instance));
        var foreign = commandOf(other);
        reports.token(other, foreign);

        assertThat(statusAndCode(exchange(instance, Ids.next().toString()))).isEqualTo("409 task_unknown");
        assertThat(statusAndCode(exchange(instance, foreign))).isEqualTo("409 task_unknown");
        assertThat(statusAndCode(exchange(other, commandOf(instance)))).isEqualTo("409 task_unknown");

        eventually(() -> assertThat(
                        CredentialCalls.findAudits(platform, "iam.operator_token.exchange", instance, "denied"))
                .filteredOn(audit -> audit.path("project_id").asText().equals(DemoData.PROJECT.toString()))
                .hasSize(2)
                .allSatisfy(audit -> assertThat(audit.path("reason").asText()).isEqualTo("task_unknown")));
    }

    @Test
    void exchange_isRefused_whenTheCommandEndedLongAgo() {
        var instance = launch(DemoData.PROJECT, "project_owner");
        var deploy = commandOf(instance);
        reports.send("runtime.report.accepted", RawReports.reportFor(reports.command("deploy", instance)));
        platform.instance("deleteAppInstance", "project_owner", instance).send().expect(202);
        var delete = reports.command("delete", instance);
        reports.token(instance, RawReports.id(delete));
        reports.token(instance, deploy);

        assertThat(hasEnded(deploy)).isEqualTo("t");
        assertThat(hasEnded(RawReports.id(delete))).isEqualTo("f");
        reports.send("runtime.report.deleted", RawReports.reportFor(delete));
        eventually(() -> assertThat(hasEnded(RawReports.id(delete))).isEqualTo("t"));
        platform.database()
                .execute("UPDATE iam.runtime_tasks SET ended_at = ended_at - interval '25 hours' WHERE subject_id = '"
                        + instance + "'");

        for (var command : List.of(deploy, RawReports.id(delete))) {
            assertThat(statusAndCode(exchange(instance, command))).isEqualTo("403 task_ended");
        }
    }

    @Test
    void report_isRejected_whenItNamesAnotherTenantsResources() {
        var instance = launch(DemoData.PROJECT, "project_owner");
        var other = launch(DemoData.OTHER_PROJECT, "other_tenant_owner");
        var command = reports.command("deploy", instance);
        var theirs = reports.command("deploy", other);
        var token = reports.token(instance, RawReports.id(command));

        assertRejected(command, token, "org_id", DemoData.OTHER_ORG.toString());
        assertRejected(command, token, "project_id", DemoData.OTHER_PROJECT.toString());
        assertRejected(command, token, "project_id", DemoData.SIBLING_PROJECT.toString());
        assertRejected(command, token, "app_instance_id", other);
        assertRejected(command, token, "command_id", RawReports.id(theirs));
        assertRejected(command, token, "command_id", Ids.next().toString());
        assertRejected(
                command,
                token,
                "operation_id",
                theirs.payload().path("operation_id").asText());

        assertThat(platform.events()
                        .find(observed -> observed.topic().equals("instances.events")
                                && (observed.payload()
                                                .path("failure_reason")
                                                .asText()
                                                .equals("forged")
                                        || observed.payload()
                                                .path("reason")
                                                .asText()
                                                .equals("forged"))))
                .isEmpty();
    }

    private static void assertRejected(ObservedRecord command, String token, String field, String value) {
        ObjectNode report =
                RawReports.reportFor(command).put("reason", "forged").put(field, value);
        var rejection = reports.rejection(reports.send("runtime.report.failed", report, token));
        assertThat(rejection.payload().path("code").asText())
                .as(field)
                .isIn("insufficient_permissions", "validation_error");
    }

    private static String launch(UUID project, String user) {
        return platform.launchIn(project, user, "to be forged")
                .send()
                .expect(202)
                .text("id");
    }

    private static String commandOf(String instance) {
        return RawReports.id(reports.command("deploy", instance));
    }

    private static ApiResponse exchange(String instance, String command) {
        return reports.exchange(DemoData.ADAPTER, PlatformUnderTest.ADAPTER_SECRET, instance, command);
    }

    private static String hasEnded(String command) {
        return platform.database()
                .query("SELECT ended_at IS NOT NULL FROM iam.runtime_tasks WHERE command_id = '" + command + "'");
    }
}
