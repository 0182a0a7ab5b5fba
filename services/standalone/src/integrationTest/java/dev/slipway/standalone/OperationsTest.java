package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;

import static dev.slipway.standalone.Harbor.code;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What is asked of instances, from its beginning to its end, with an adapter on the real broker. */
class OperationsTest {
    @TempDir
    private static Path directory;

    private static PlatformUnderTest platform;
    private static SimulatedAdapter adapter;
    private static Harbor harbor;
    private static RawReports reports;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_DEADLINES_EVERY", "PT0.2S"));
        harbor = new Harbor(platform);
        harbor.build();
        reports = new RawReports(platform);
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
    }

    @AfterEach
    void letGo() {
        adapter.release();
        adapter.fail(false);
        adapter.failDeletes(false);
    }

    @AfterAll
    static void stop() {
        adapter.close();
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    void launchAndDeletion_areOperations_fromAcceptedToSucceeded() {
        var created = harbor.launch("1.0.0").send().expect(202);
        var id = created.text("id");
        var launch = created.text("operation_id");
        harbor.becomes(id, "running");
        harbor.ends(id, launch, "succeeded");
        assertThat(harbor.instance(id).body().has("operation_id")).isFalse();

        var deletion = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        harbor.becomes(id, "deleted");
        harbor.ends(id, deletion, "succeeded");

        assertThat(harbor.operations(id))
                .extracting(operation -> operation.path("id").asText() + " "
                        + operation.path("kind").asText())
                .containsExactly(deletion + " delete", launch + " create");
        assertThat(harbor.operations(id)).allSatisfy(operation -> {
            assertThat(operation.path("requested_by_principal_id").asText()).isNotBlank();
            assertThat(operation.path("started_at").asText()).isNotBlank();
            assertThat(operation.path("ended_at").asText()).isNotBlank();
            assertThat(operation.path("blockers")).isEmpty();
        });
        eventually(() -> assertThat(harbor.told(id))
                .contains("requested", "operation.accepted", "operation.succeeded", "running", "deleting", "deleted"));
        var only = platform.as("project_owner")
                .call("listInstanceOperations")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", id)
                .query("limit=1&status=succeeded")
                .send()
                .expect(200);
        assertThat(only.body().path("items")).hasSize(1);
        assertThat(only.text("next_cursor")).isNotBlank();
    }

    @Test
    void secondChange_isRefusedWithTheFirst_andADeletionSupersedesIt() {
        adapter.hold();
        var created = harbor.launch("1.0.0").send().expect(202);
        var id = created.text("id");
        var launch = created.text("operation_id");

        var refused = harbor.upgrade(id, "1.1.0").send();

        assertThat(code(refused)).isEqualTo("409 operation_in_progress");
        assertThat(refused.body().at("/details/operation_id").asText()).isEqualTo(launch);
        eventually(() -> assertThat(harbor.operation(id, launch).body().path("blockers"))
                .anySatisfy(blocker -> assertThat(blocker.path("code").asText()).isEqualTo("held")));
        assertThat(code(harbor.operation("cancelInstanceOperation", id, launch).send()))
                .isEqualTo("409 operation_not_cancelable");

        var deletion = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        harbor.ends(id, launch, "canceled");
        assertThat(harbor.operation(id, launch).text("reason")).contains("deleted");
        assertThat(code(harbor.upgrade(id, "1.1.0").send())).startsWith("409");
        harbor.ends(id, deletion, "succeeded");
        harbor.becomes(id, "deleted");
    }

    @Test
    void upgrade_keepsItRunning_andRollbackBringsItBack() {
        var id = harbor.running("1.0.0");
        assertThat(harbor.productVersion(id)).isEqualTo(1);

        var accepted = harbor.upgrade(id, "1.1.0").send().expect(202);
        var upgrade = accepted.text("id");
        assertThat(accepted.header("Location")).endsWith("/" + id + "/operations/" + upgrade);
        harbor.ends(id, upgrade, "succeeded");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.1.0");
        assertThat(harbor.productVersion(id)).isEqualTo(2);
        assertThat(harbor.instance(id).text("status")).isEqualTo("running");
        assertThat(harbor.operation(id, upgrade).text("from_version")).isEqualTo("1.0.0");
        assertThat(harbor.operation(id, upgrade).text("to_version")).isEqualTo("1.1.0");

        var rollback = harbor.rollback(id).send().expect(202).text("id");
        harbor.ends(id, rollback, "succeeded");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(harbor.productVersion(id)).isEqualTo(1);
        assertThat(code(harbor.rollback(id).send())).isEqualTo("409 rollback_not_possible");

        assertThat(adapter.world().asked(UUID.fromString(id)))
                .containsExactly("deployed", "upgraded 1.1.0", "rolled back 1.0.0");
        eventually(() ->
                assertThat(harbor.told(id).stream().filter("upgraded"::equals)).hasSize(2));
        assertThat(platform.events()
                        .where(seen -> seen.type().equals("apps.instance.upgraded")
                                && seen.key().equals(id)))
                .extracting(seen -> seen.payload().path("from_version").asText() + " to "
                        + seen.payload().path("app_version").asText())
                .containsExactly("1.0.0 to 1.1.0", "1.1.0 to 1.0.0");
        assertNumberedWithoutGap(id);
    }

    @Test
    @Proves({"1.23", "1.68"})
    void everyChangeOfStatus_isTold_asItHappens() {
        var id = harbor.running("1.0.0");
        harbor.ends(id, harbor.upgrade(id, "1.1.0").send().expect(202).text("id"), "succeeded");
        adapter.failed(UUID.fromString(id), "it fell over");
        harbor.becomes(id, "failed");
        harbor.call("deleteAppInstance", id).send().expect(202);
        harbor.becomes(id, "deleted");

        eventually(() -> assertThat(harbor.told(id).stream().filter(what -> !what.contains(".")))
                .containsExactly("requested", "deploying", "running", "upgraded", "failed", "deleting", "deleted"));
        assertNumberedWithoutGap(id);
    }

    @Test
    void upgrade_isRefused_whereNoWayLeads() {
        var id = harbor.running("1.0.0");

        assertThat(code(harbor.upgrade(id, "1.0.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(code(harbor.upgrade(id, "1.2.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(code(harbor.upgrade(id, "1.3.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(code(harbor.upgrade(id, "1.4.0").send())).isEqualTo("409 app_version_deprecated");
        assertThat(code(harbor.upgrade(id, "disabled").send())).isEqualTo("409 app_version_not_launchable");
        assertThat(code(harbor.upgrade(id, "9.9.9").send())).isEqualTo("404 app_version_not_found");
        assertThat(code(harbor.rollback(id).send())).isEqualTo("409 rollback_not_possible");
        var missing = harbor.upgrade(id, "2.0.0").send();
        assertThat(code(missing)).isEqualTo("422 launch_parameters_invalid");
        assertThat(missing.body().at("/details/fields/0/field").asText()).isEqualTo("/config/berths");
        assertThat(code(platform.instance("upgradeAppInstance", "project_viewer", id)
                        .body(Json.object().put("version", "1.1.0"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(harbor.operations(id)).hasSize(1);

        var given = Json.object().put("version", "2.0.0");
        given.putObject("config").put("berths", 2);
        var upgrade = harbor.call("upgradeAppInstance", id)
                .body(given)
                .send()
                .expect(202)
                .text("id");
        harbor.ends(id, upgrade, "succeeded");
        assertThat(harbor.instance(id).body().at("/config/name").asText()).isEqualTo("pier");
    }

    @Test
    void upgrade_leavesWhatRan_whenItFails_orIsNotDoneInTime() {
        var id = harbor.running("1.0.0");
        adapter.fail(true);
        var failed = harbor.upgrade(id, "1.1.0").send().expect(202).text("id");
        harbor.ends(id, failed, "failed");
        assertThat(harbor.operation(id, failed).text("reason")).isEqualTo("told to fail");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(harbor.instance(id).text("status")).isEqualTo("running");
        adapter.fail(false);

        adapter.hold();
        var late = harbor.upgrade(id, "1.5.0").send().expect(202).text("id");
        harbor.ends(id, late, "failed");
        assertThat(harbor.operation(id, late).text("reason")).contains("deadline");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(harbor.instance(id).text("status")).isEqualTo("running");

        // It was done all the same, only too late: the truth is what runs.
        var command = reports.command("upgrade", id, late);
        var report = RawReports.about(command).put("status", "succeeded");
        report.putArray("endpoints");
        reports.send("runtime.report.operation", report);
        eventually(() -> assertThat(harbor.instance(id).text("version")).isEqualTo("1.5.0"));
        assertThat(harbor.operation(id, late).text("status")).isEqualTo("failed");
        assertNumberedWithoutGap(id);
    }

    @Test
    void cancel_endsWhenTheAdapterSaysSo_andOnlyForWhoMayStartIt() {
        var id = harbor.running("1.0.0");
        adapter.hold();
        var upgrade = harbor.upgrade(id, "1.1.0").send().expect(202).text("id");
        harbor.ends(id, upgrade, "running");

        var viewer = platform.instance("cancelInstanceOperation", "project_viewer", id)
                .path("operation_id", upgrade)
                .send();
        assertThat(code(viewer)).isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("action").asText().equals("apps.instance.cancel")
                                && seen.payload().path("result").asText().equals("denied")))
                .isNotEmpty());
        var canceled =
                harbor.operation("cancelInstanceOperation", id, upgrade).send().expect(202);
        assertThat(canceled.body().path("cancel_requested").asBoolean()).isTrue();

        harbor.ends(id, upgrade, "canceled");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(harbor.instance(id).text("status")).isEqualTo("running");
        assertThat(code(harbor.operation("cancelInstanceOperation", id, upgrade).send()))
                .isEqualTo("409 operation_not_cancelable");
        assertThat(code(harbor.operation(
                                "cancelInstanceOperation", id, UUID.randomUUID().toString())
                        .send()))
                .isEqualTo("404 operation_not_found");
        assertAudited("apps.instance.cancel", id);
    }

    @Test
    void cancel_endsAtOnce_whenNoAdapterHasTakenItUp() {
        var id = harbor.running("1.0.0");
        adapter.close();
        var upgrade = harbor.upgrade(id, "1.1.0").send().expect(202).text("id");
        assertThat(harbor.operation(id, upgrade).body().at("/blockers/0/turn").asText())
                .isEqualTo("adapter");

        var canceled =
                harbor.operation("cancelInstanceOperation", id, upgrade).send().expect(202);

        assertThat(canceled.text("status")).isEqualTo("canceled");
        adapter = SimulatedAdapter.start(platform.adapterIn(directory));
        var again = harbor.upgrade(id, "1.1.0").send().expect(202).text("id");
        harbor.ends(id, again, "succeeded");
        assertThat(harbor.instance(id).text("version")).isEqualTo("1.1.0");
    }

    @Test
    void launch_failsWithTheReason_whenItsTimeIsOver_andGoesOrStaysAsItsManifestSays() {
        var kept = harbor.launch("brief").send().expect(202);
        var reaped = harbor.launch("reaped").send().expect(202);

        harbor.becomes(kept.text("id"), "failed");
        harbor.ends(kept.text("id"), kept.text("operation_id"), "failed");
        assertThat(harbor.instance(kept.text("id")).text("failure_reason"))
                .startsWith("deadline_exceeded")
                .contains("k8s");
        assertAudited("apps.instance.expire", kept.text("id"));
        eventually(() -> assertThat(harbor.told(kept.text("id"))).contains("failed", "operation.failed"));

        harbor.becomes(reaped.text("id"), "deleting");
        harbor.ends(reaped.text("id"), reaped.text("operation_id"), "failed");
        assertThat(harbor.operations(reaped.text("id")).get(0).path("kind").asText())
                .isEqualTo("delete");

        adapter.fail(true);
        var gone = harbor.launch("reaping").send().expect(202);
        harbor.becomes(gone.text("id"), "deleted");
        assertThat(harbor.operation(gone.text("id"), gone.text("operation_id")).text("reason"))
                .isEqualTo("told to fail");
    }

    @Test
    void deletion_staysVisibleBeyondItsDeadline_andCanBeForced_byThePlatformAlone() {
        var id = harbor.launch("brief").send().expect(202).text("id");
        assertThat(code(forced("platform_superadmin", id))).isEqualTo("409 instance_state_conflict");
        var deletion = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        eventually(() -> assertThat(harbor.operation(id, deletion).body().path("blockers"))
                .anySatisfy(blocker -> {
                    assertThat(blocker.path("code").asText()).isEqualTo("adapter_unavailable");
                    assertThat(blocker.path("turn").asText()).isEqualTo("adapter");
                }));
        assertAudited("apps.instance.expire", id);
        assertThat(harbor.instance(id).text("status")).isEqualTo("deleting");
        assertThat(harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id"))
                .isEqualTo(deletion);
        assertThat(code(harbor.operation("cancelInstanceOperation", id, deletion)
                        .send()))
                .isEqualTo("409 operation_not_cancelable");

        assertThat(code(harbor.call("forceDeleteAppInstance", id)
                        .body(Json.object().put("reason", "mine"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        var gone = forced("platform_superadmin", id).expect(200);

        assertThat(gone.text("status")).isEqualTo("deleted");
        harbor.ends(id, deletion, "canceled");
        eventually(() -> assertThat(harbor.told(id)).contains("force_deleted", "deleted"));
        assertAudited("apps.instance.force_delete", id);
        assertNumberedWithoutGap(id);
    }

    private static dev.slipway.testkit.ApiClient.Answer forced(String user, String id) {
        return platform.instance("adminForceDeleteAppInstance", user, id)
                .header("X-Break-Glass-Reason", "its cluster is gone for good")
                .body(Json.object().put("reason", "its cluster is gone"))
                .send();
    }

    @Test
    void deletion_needsNeitherManifestNorVersion_andIsRepeatedWhenItFails() {
        var id = harbor.running("1.0.0");
        adapter.failDeletes(true);
        platform.database().execute("""
                UPDATE instances.app_versions SET manifest = '{"deadlines": "none"}', status = 'retired', revision = revision + 1
                WHERE version = '1.0.0' AND app_id = (SELECT id FROM instances.app_catalog WHERE slug = 'harbor')
                """);
        try {
            var first = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
            harbor.ends(id, first, "failed");
            harbor.becomes(id, "failed");
            adapter.failDeletes(false);

            var second = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
            assertThat(second).isNotEqualTo(first);
            harbor.ends(id, second, "succeeded");
            harbor.becomes(id, "deleted");
        } finally {
            platform.database().execute("""
                    UPDATE instances.app_versions SET manifest = '{}', status = 'active', revision = revision + 1
                    WHERE version = '1.0.0' AND app_id = (SELECT id FROM instances.app_catalog WHERE slug = 'harbor')
                    """);
        }
    }

    @Test
    void report_isRefused_whenItsOperationIsNotOfItsCommand() {
        var id = harbor.running("1.0.0");
        var command = reports.command(
                "deploy", id, harbor.operations(id).get(0).path("id").asText());
        var report = RawReports.about(command)
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
        assertThat(harbor.instance(id).text("status")).isEqualTo("running");
    }

    @Test
    void report_countsNoMore_whenTheInstanceWasGivenUp() {
        var id = harbor.running("1.0.0");
        adapter.failDeletes(true);
        var deletion = harbor.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        harbor.becomes(id, "failed");
        forced("platform_superadmin", id).expect(200);

        var report = RawReports.about(reports.command("delete", id, deletion));
        report.putArray("endpoints");
        var refused = reports.rejection(reports.send("runtime.report.running", report));

        assertThat(refused.payload().path("code").asText()).isEqualTo("instance_state_conflict");
        assertThat(harbor.instance(id).text("status")).isEqualTo("deleted");
        assertThat(code(harbor.upgrade(id, "1.1.0").send())).isEqualTo("409 instance_state_conflict");
    }

    private static void assertAudited(String action, String instance) {
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("action").asText().equals(action)
                                && seen.payload().path("target_id").asText().equals(instance)
                                && seen.payload().path("result").asText().equals("success")))
                .isNotEmpty());
    }

    private static void assertNumberedWithoutGap(String id) {
        eventually(() -> {
            var numbers =
                    platform
                            .events()
                            .where(seen -> seen.topic().equals("instances.events")
                                    && seen.key().equals(id))
                            .stream()
                            .map(seen -> seen.payload().path("sequence").asLong())
                            .toList();
            assertThat(numbers)
                    .isEqualTo(LongStream.rangeClosed(1, numbers.size()).boxed().toList());
            assertThat(platform.database()
                            .query("SELECT sequence FROM instances.app_instances WHERE id = '" + id + "'"))
                    .isEqualTo(String.valueOf(numbers.size()));
        });
    }
}
