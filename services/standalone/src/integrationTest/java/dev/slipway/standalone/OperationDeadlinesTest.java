package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.Test;

import java.util.UUID;

import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests cancellation, deadlines, deletion and late reports of operations, with an adapter on the real broker. */
class OperationDeadlinesTest extends OperationTestBase {
    @Test
    void cancel_endsWithTheAdaptersReport_andRequiresTheStartAction() {
        var id = instanceFixture.launchRunning("1.0.0");
        adapter.hold();
        var upgrade = instanceFixture.upgrade(id, "1.1.0").send().expect(202).text("id");
        instanceFixture.awaitOperation(id, upgrade, "running");

        var viewer = platform.instance("cancelInstanceOperation", "project_viewer", id)
                .path("operation_id", upgrade)
                .send();
        assertThat(statusAndCode(viewer)).isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals("apps.instance.cancel")
                                && observedRecord
                                        .payload()
                                        .path("result")
                                        .asText()
                                        .equals("denied")))
                .isNotEmpty());
        var canceled = instanceFixture
                .operation("cancelInstanceOperation", id, upgrade)
                .send()
                .expect(202);
        assertThat(canceled.body().path("cancel_requested").asBoolean()).isTrue();

        instanceFixture.awaitOperation(id, upgrade, "canceled");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("running");
        assertThat(statusAndCode(instanceFixture
                        .operation("cancelInstanceOperation", id, upgrade)
                        .send()))
                .isEqualTo("409 operation_not_cancelable");
        assertThat(statusAndCode(instanceFixture
                        .operation(
                                "cancelInstanceOperation", id, UUID.randomUUID().toString())
                        .send()))
                .isEqualTo("404 operation_not_found");
        instanceFixture.assertAudited("apps.instance.cancel", id);
    }

    @Test
    void cancel_endsAtOnce_whenNoAdapterHasAccepted() {
        var id = instanceFixture.launchRunning("1.0.0");
        adapter.close();
        var upgrade = instanceFixture.upgrade(id, "1.1.0").send().expect(202).text("id");
        assertThat(instanceFixture
                        .operation(id, upgrade)
                        .body()
                        .at("/blockers/0/turn")
                        .asText())
                .isEqualTo("adapter");

        var canceled = instanceFixture
                .operation("cancelInstanceOperation", id, upgrade)
                .send()
                .expect(202);

        assertThat(canceled.text("status")).isEqualTo("canceled");
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
        var again = instanceFixture.upgrade(id, "1.1.0").send().expect(202).text("id");
        instanceFixture.awaitOperation(id, again, "succeeded");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.1.0");
    }

    @Test
    void launch_failsAtItsDeadline_andIsReapedOrRetained() {
        var kept = instanceFixture.launch("brief").send().expect(202);
        var reaped = instanceFixture.launch("reaped").send().expect(202);

        instanceFixture.awaitStatus(kept.text("id"), "failed");
        instanceFixture.awaitOperation(kept.text("id"), kept.text("operation_id"), "failed");
        assertThat(instanceFixture.instance(kept.text("id")).text("failure_reason"))
                .startsWith("deadline_exceeded")
                .contains("k8s");
        instanceFixture.assertAudited("apps.instance.expire", kept.text("id"));
        eventually(
                () -> assertThat(instanceFixture.eventTypes(kept.text("id"))).contains("failed", "operation.failed"));

        instanceFixture.awaitStatus(reaped.text("id"), "deleting");
        instanceFixture.awaitOperation(reaped.text("id"), reaped.text("operation_id"), "failed");
        assertThat(instanceFixture
                        .operations(reaped.text("id"))
                        .get(0)
                        .path("kind")
                        .asText())
                .isEqualTo("delete");

        adapter.fail(true);
        var gone = instanceFixture.launch("reaping").send().expect(202);
        instanceFixture.awaitStatus(gone.text("id"), "deleted");
        assertThat(instanceFixture
                        .operation(gone.text("id"), gone.text("operation_id"))
                        .text("reason"))
                .isEqualTo("failure requested");
    }

    @Test
    void delete_staysOpenBeyondItsDeadline_andCanBeForcedByAnAdministrator() {
        var id = instanceFixture.launch("brief").send().expect(202).text("id");
        assertThat(statusAndCode(instanceFixture.forceDelete("platform_superadmin", id)))
                .isEqualTo("409 instance_state_conflict");
        var deletion =
                instanceFixture.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        eventually(
                () -> assertThat(instanceFixture.operation(id, deletion).body().path("blockers"))
                        .anySatisfy(blocker -> {
                            assertThat(blocker.path("code").asText()).isEqualTo("adapter_unavailable");
                            assertThat(blocker.path("turn").asText()).isEqualTo("adapter");
                        }));
        instanceFixture.assertAudited("apps.instance.expire", id);
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("deleting");
        assertThat(instanceFixture
                        .call("deleteAppInstance", id)
                        .send()
                        .expect(202)
                        .text("operation_id"))
                .isEqualTo(deletion);
        assertThat(statusAndCode(instanceFixture
                        .operation("cancelInstanceOperation", id, deletion)
                        .send()))
                .isEqualTo("409 operation_not_cancelable");

        assertThat(statusAndCode(instanceFixture
                        .call("forceDeleteAppInstance", id)
                        .body(Json.object().put("reason", "mine"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        var gone = instanceFixture.forceDelete("platform_superadmin", id).expect(200);

        assertThat(gone.text("status")).isEqualTo("deleted");
        instanceFixture.awaitOperation(id, deletion, "canceled");
        eventually(() -> assertThat(instanceFixture.eventTypes(id)).contains("force_deleted", "deleted"));
        instanceFixture.assertAudited("apps.instance.force_delete", id);
        instanceFixture.assertNumberedWithoutGap(id);
    }

    @Test
    void delete_needsNoManifest_andCanBeRepeatedAfterAFailure() {
        var id = instanceFixture.launchRunning("1.0.0");
        adapter.failDeletes(true);
        platform.database().execute("""
                UPDATE instances.app_versions SET manifest = '{"deadlines": "none"}', status = 'retired', revision = revision + 1
                WHERE version = '1.0.0' AND app_id = (SELECT id FROM instances.app_catalog WHERE slug = 'harbor')
                """);
        try {
            var first = instanceFixture
                    .call("deleteAppInstance", id)
                    .send()
                    .expect(202)
                    .text("operation_id");
            instanceFixture.awaitOperation(id, first, "failed");
            instanceFixture.awaitStatus(id, "failed");
            adapter.failDeletes(false);

            var second = instanceFixture
                    .call("deleteAppInstance", id)
                    .send()
                    .expect(202)
                    .text("operation_id");
            assertThat(second).isNotEqualTo(first);
            instanceFixture.awaitOperation(id, second, "succeeded");
            instanceFixture.awaitStatus(id, "deleted");
        } finally {
            platform.database().execute("""
                    UPDATE instances.app_versions SET manifest = '{}', status = 'active', revision = revision + 1
                    WHERE version = '1.0.0' AND app_id = (SELECT id FROM instances.app_catalog WHERE slug = 'harbor')
                    """);
        }
    }

    @Test
    void report_isRejected_whenItNamesAnotherOperation() {
        var id = instanceFixture.launchRunning("1.0.0");
        var command = reports.command(
                "deploy", id, instanceFixture.operations(id).get(0).path("id").asText());
        var report = RawReports.reportFor(command)
                .put("reason", "forged")
                .put("operation_id", UUID.randomUUID().toString());

        var refused = reports.rejection(reports.send("runtime.report.failed", report));
        assertThat(refused.payload().path("reason").asText()).contains("operation_id");
        report.remove("reason");
        report.put("operation_id", command.payload().path("operation_id").asText())
                .put("status", "canceled");
        assertThat(reports.rejection(reports.send("runtime.report.operation", report))
                        .payload()
                        .path("reason")
                        .asText())
                .contains("launch");
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("running");
    }

    @Test
    void report_isRejected_afterAForcedDeletion() {
        var id = instanceFixture.launchRunning("1.0.0");
        adapter.failDeletes(true);
        var deletion =
                instanceFixture.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        instanceFixture.awaitStatus(id, "failed");
        instanceFixture.forceDelete("platform_superadmin", id).expect(200);

        var report = RawReports.reportFor(reports.command("delete", id, deletion));
        report.putArray("endpoints");
        var refused = reports.rejection(reports.send("runtime.report.running", report));

        assertThat(refused.payload().path("code").asText()).isEqualTo("instance_state_conflict");
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("deleted");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.1.0").send())).isEqualTo("409 instance_state_conflict");
    }
}
