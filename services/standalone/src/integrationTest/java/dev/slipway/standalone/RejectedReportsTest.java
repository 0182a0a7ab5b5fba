package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap.ObservedRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Rejected reports are visible to their adapter, to the project and to the platform, and explain a failed operation. */
class RejectedReportsTest {
    private static PlatformUnderTest platform;
    private static RawReports reports;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        reports = new RawReports(platform);
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).allMatch(violation -> violation.startsWith("runtime.reports "));
        platform.close();
    }

    @Test
    void rejection_isListed_forTheAdapterTheProjectAndThePlatform() {
        var command = launch();
        var report = reports.send(
                "runtime.report.running", RawReports.reportFor(command).put("unknown_field", 1));
        var rejection = reports.rejection(report).payload();
        assertThat(rejection.path("adapter_id").asText()).isEqualTo(DemoData.ADAPTER.toString());
        assertThat(rejection.path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
        assertThat(rejection.path("project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
        var unsigned = reports.send("runtime.report.running", RawReports.reportFor(command), null);
        assertThat(reports.rejection(unsigned).payload().path("adapter_id").isNull())
                .isTrue();

        var listed = platform.as("project_viewer")
                .call("listProjectRejectedReports")
                .path("project_id", DemoData.PROJECT)
                .query("app_instance_id=" + command.key())
                .send()
                .expect(200);
        assertThat(reportIds(listed.body())).containsExactly(unsigned, report);
        assertThat(listed.body().at("/items/0/code").asText()).isEqualTo("token_missing");
        assertThat(listed.body().at("/items/1/command_id").asText())
                .isEqualTo(command.event().path("event_id").asText());
        platform.as("other_tenant_owner")
                .call("listProjectRejectedReports")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(404);
        assertThat(reportIds(platform.asAdapter()
                        .call("listOwnRejectedReports")
                        .send()
                        .expect(200)
                        .body()))
                .contains(report, unsigned);
        assertThat(reportIds(platform.as("platform_ops")
                        .call("listRejectedReports")
                        .query("correlation_id=forged-report")
                        .send()
                        .expect(200)
                        .body()))
                .contains(report, unsigned);
        assertThat(reportIds(platform.as("platform_ops")
                        .call("listRejectedReports")
                        .query("correlation_id=another-one")
                        .send()
                        .expect(200)
                        .body()))
                .isEmpty();
    }

    @Test
    void failureReason_namesTheRejection_whenAllReportsWereRejected() {
        var command = launch();
        reports.rejection(reports.send(
                "runtime.report.running", RawReports.reportFor(command).put("unknown_field", 1)));
        platform.database()
                .execute("UPDATE instances.app_instance_operations SET due_at = now() WHERE app_instance_id = '"
                        + command.key() + "'");

        eventually(() -> assertThat(instance(command.key()).text("status")).isEqualTo("failed"));
        assertThat(instance(command.key()).text("failure_reason"))
                .contains("rejected 1 report", "validation_error")
                .doesNotContain("No bare_metal adapter");
    }

    private static ApiResponse instance(String id) {
        return platform.instance("getAppInstance", "project_owner", id).send().expect(200);
    }

    private static ObservedRecord launch() {
        var id = platform.launch("project_owner", "rejected").send().expect(202).text("id");
        platform.awaitReplication(); // IAM issues tokens for instances that it knows
        return reports.command("deploy", id);
    }

    private static List<UUID> reportIds(JsonNode page) {
        var ids = new ArrayList<UUID>();
        page.path("items")
                .forEach(item ->
                        ids.add(UUID.fromString(item.path("report_event_id").asText())));
        return ids;
    }
}
