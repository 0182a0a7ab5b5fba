package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests operations on instances from start to end, with an adapter on the real broker. */
class OperationsTest extends OperationTestBase {
    /** Records the transaction of every change of a status, and of every event in the outbox. */
    private static final String RECORD_TRANSACTIONS = """
            CREATE TABLE instances.test_changes (transaction bigint, instance text, name text);
            CREATE FUNCTION instances.test_record_status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN INSERT INTO instances.test_changes VALUES (txid_current(), NEW.id::text, NEW.status); RETURN NULL; END $$;
            CREATE FUNCTION instances.test_record_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN INSERT INTO instances.test_changes VALUES (txid_current(), NEW.key, NEW.event_type); RETURN NULL; END $$;
            CREATE TRIGGER test_insert AFTER INSERT ON instances.app_instances
                FOR EACH ROW EXECUTE FUNCTION instances.test_record_status();
            CREATE TRIGGER test_update AFTER UPDATE ON instances.app_instances FOR EACH ROW
                WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION instances.test_record_status();
            CREATE TRIGGER test_publish AFTER INSERT ON instances.outbox
                FOR EACH ROW EXECUTE FUNCTION instances.test_record_event()
            """;

    private static final String STOP_RECORDING = """
            DROP FUNCTION instances.test_record_status() CASCADE;
            DROP FUNCTION instances.test_record_event() CASCADE;
            DROP TABLE instances.test_changes
            """;

    @Test
    void launchAndDelete_createOperationsThatSucceed() {
        var created = instanceFixture.launch("1.0.0").send().expect(202);
        var id = created.text("id");
        var launch = created.text("operation_id");
        instanceFixture.awaitStatus(id, "running");
        instanceFixture.awaitOperation(id, launch, "succeeded");
        assertThat(instanceFixture.instance(id).body().has("operation_id")).isFalse();

        var deletion =
                instanceFixture.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        instanceFixture.awaitStatus(id, "deleted");
        instanceFixture.awaitOperation(id, deletion, "succeeded");

        assertThat(instanceFixture.operations(id))
                .extracting(operation -> operation.path("id").asText() + " "
                        + operation.path("kind").asText())
                .containsExactly(deletion + " delete", launch + " create");
        assertThat(instanceFixture.operations(id)).allSatisfy(operation -> {
            assertThat(operation.path("requested_by_principal_id").asText()).isNotBlank();
            assertThat(operation.path("started_at").asText()).isNotBlank();
            assertThat(operation.path("ended_at").asText()).isNotBlank();
            assertThat(operation.path("blockers")).isEmpty();
        });
        eventually(() -> assertThat(instanceFixture.eventTypes(id))
                .contains("requested", "operation.accepted", "operation.succeeded", "running", "deleting", "deleted"));
        var only = platform.as("project_owner")
                .call("listInstanceOperations")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", id)
                .query("limit=1&status=succeeded")
                .send()
                .expect(200);
        assertThat(only.body().path("items")).hasSize(1);
        assertThat(only.text("next_cursor")).isNotBlank();
    }

    @Test
    @Proves("1.14")
    void statusChange_publishesItsEvent_inTheSameTransaction() {
        platform.database().execute(RECORD_TRANSACTIONS);
        try {
            var succeeding = instanceFixture.launchRunning("1.0.0");
            adapter.fail(true);
            var failing = instanceFixture.launch("1.0.0").send().expect(202).text("id");
            instanceFixture.awaitStatus(failing, "failed");
            adapter.fail(false);
            for (var id : List.of(succeeding, failing)) {
                instanceFixture.call("deleteAppInstance", id).send().expect(202);
                instanceFixture.awaitStatus(id, "deleted");
            }

            assertThat(platform.database().query("""
                    SELECT string_agg(DISTINCT c.name || ' ' || coalesce(e.name, 'without event'), ', ')
                    FROM instances.test_changes c LEFT JOIN instances.test_changes e ON e.transaction = c.transaction
                        AND e.instance = c.instance AND e.name = 'apps.instance.' || c.name
                    WHERE c.name NOT LIKE '%.%'
                    """))
                    .isEqualTo("deleted apps.instance.deleted, deleting apps.instance.deleting,"
                            + " deploying apps.instance.deploying, failed apps.instance.failed,"
                            + " requested apps.instance.requested, running apps.instance.running");
            eventually(() -> assertThat(instanceFixture.eventTypes(succeeding))
                    .containsSubsequence("requested", "deploying", "running", "deleting", "deleted"));
            eventually(() -> assertThat(instanceFixture.eventTypes(failing))
                    .containsSubsequence("requested", "failed", "deleting", "deleted"));
        } finally {
            platform.database().execute(STOP_RECORDING);
        }
    }

    @Test
    void change_isRefused_whileAnotherIsOpen_unlessItIsADeletion() {
        adapter.hold();
        var created = instanceFixture.launch("1.0.0").send().expect(202);
        var id = created.text("id");
        var launch = created.text("operation_id");

        var refused = instanceFixture.upgrade(id, "1.1.0").send();

        assertThat(statusAndCode(refused)).isEqualTo("409 operation_in_progress");
        assertThat(refused.body().at("/details/operation_id").asText()).isEqualTo(launch);
        eventually(() -> assertThat(instanceFixture.operation(id, launch).body().path("blockers"))
                .anySatisfy(blocker -> assertThat(blocker.path("code").asText()).isEqualTo("held")));
        assertThat(statusAndCode(instanceFixture
                        .operation("cancelInstanceOperation", id, launch)
                        .send()))
                .isEqualTo("409 operation_not_cancelable");

        var deletion =
                instanceFixture.call("deleteAppInstance", id).send().expect(202).text("operation_id");
        instanceFixture.awaitOperation(id, launch, "canceled");
        assertThat(instanceFixture.operation(id, launch).text("reason")).contains("deleted");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.1.0").send())).startsWith("409");
        instanceFixture.awaitOperation(id, deletion, "succeeded");
        instanceFixture.awaitStatus(id, "deleted");
    }

    @Test
    void upgrade_keepsTheInstanceRunning_andRollbackRestoresTheVersion() {
        var id = instanceFixture.launchRunning("1.0.0");
        assertThat(instanceFixture.productVersion(id)).isEqualTo(1);

        var accepted = instanceFixture.upgrade(id, "1.1.0").send().expect(202);
        var upgrade = accepted.text("id");
        assertThat(accepted.header("Location")).endsWith("/" + id + "/operations/" + upgrade);
        instanceFixture.awaitOperation(id, upgrade, "succeeded");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.1.0");
        assertThat(instanceFixture.productVersion(id)).isEqualTo(2);
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("running");
        assertThat(instanceFixture.operation(id, upgrade).text("from_version")).isEqualTo("1.0.0");
        assertThat(instanceFixture.operation(id, upgrade).text("to_version")).isEqualTo("1.1.0");

        var rollback = instanceFixture.rollback(id).send().expect(202).text("id");
        instanceFixture.awaitOperation(id, rollback, "succeeded");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(instanceFixture.productVersion(id)).isEqualTo(1);
        assertThat(statusAndCode(instanceFixture.rollback(id).send())).isEqualTo("409 rollback_not_possible");

        assertThat(adapter.instanceFiles().requests(UUID.fromString(id)))
                .containsExactly("deployed", "upgraded 1.1.0", "rolled back 1.0.0");
        eventually(() -> assertThat(instanceFixture.eventTypes(id).stream().filter("upgraded"::equals))
                .hasSize(2));
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("apps.instance.upgraded")
                                && observedRecord.key().equals(id)))
                .extracting(observedRecord ->
                        observedRecord.payload().path("from_version").asText() + " to "
                                + observedRecord.payload().path("app_version").asText())
                .containsExactly("1.0.0 to 1.1.0", "1.1.0 to 1.0.0");
        instanceFixture.assertNumberedWithoutGap(id);
    }

    @Test
    @Proves({"1.23", "1.68"})
    void statusChange_publishesAnEvent() {
        var id = instanceFixture.launchRunning("1.0.0");
        instanceFixture.awaitOperation(
                id, instanceFixture.upgrade(id, "1.1.0").send().expect(202).text("id"), "succeeded");
        adapter.reportFailure(UUID.fromString(id), "it fell over");
        instanceFixture.awaitStatus(id, "failed");
        instanceFixture.call("deleteAppInstance", id).send().expect(202);
        instanceFixture.awaitStatus(id, "deleted");

        eventually(() -> assertThat(instanceFixture.eventTypes(id).stream().filter(what -> !what.contains(".")))
                .containsExactly("requested", "deploying", "running", "upgraded", "failed", "deleting", "deleted"));
        instanceFixture.assertNumberedWithoutGap(id);
    }

    @Test
    void upgrade_isRefused_whenTheManifestDoesNotAllowIt() {
        var id = instanceFixture.launchRunning("1.0.0");

        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.0.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.2.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.3.0").send())).isEqualTo("409 upgrade_not_possible");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "1.4.0").send())).isEqualTo("409 app_version_deprecated");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "disabled").send()))
                .isEqualTo("409 app_version_not_launchable");
        assertThat(statusAndCode(instanceFixture.upgrade(id, "9.9.9").send())).isEqualTo("404 app_version_not_found");
        assertThat(statusAndCode(instanceFixture.rollback(id).send())).isEqualTo("409 rollback_not_possible");
        var missing = instanceFixture.upgrade(id, "2.0.0").send();
        assertThat(statusAndCode(missing)).isEqualTo("422 launch_parameters_invalid");
        assertThat(missing.body().at("/details/fields/0/field").asText()).isEqualTo("/config/berths");
        assertThat(statusAndCode(platform.instance("upgradeAppInstance", "project_viewer", id)
                        .body(Json.object().put("version", "1.1.0"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(instanceFixture.operations(id)).hasSize(1);

        var given = Json.object().put("version", "2.0.0");
        given.putObject("config").put("berths", 2);
        var upgrade = instanceFixture
                .call("upgradeAppInstance", id)
                .body(given)
                .send()
                .expect(202)
                .text("id");
        instanceFixture.awaitOperation(id, upgrade, "succeeded");
        assertThat(instanceFixture.instance(id).body().at("/config/name").asText())
                .isEqualTo("pier");
    }

    @Test
    void upgrade_keepsTheVersion_whenItFailsOrExpires() {
        var id = instanceFixture.launchRunning("1.0.0");
        adapter.fail(true);
        var failed = instanceFixture.upgrade(id, "1.1.0").send().expect(202).text("id");
        instanceFixture.awaitOperation(id, failed, "failed");
        assertThat(instanceFixture.operation(id, failed).text("reason")).isEqualTo("failure requested");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("running");
        adapter.fail(false);

        adapter.hold();
        var late = instanceFixture.upgrade(id, "1.5.0").send().expect(202).text("id");
        instanceFixture.awaitOperation(id, late, "failed");
        assertThat(instanceFixture.operation(id, late).text("reason")).contains("deadline");
        assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.0.0");
        assertThat(instanceFixture.instance(id).text("status")).isEqualTo("running");

        // It was done all the same, only too late: the truth is what runs.
        var command = reports.command("upgrade", id, late);
        var report = RawReports.reportFor(command).put("status", "succeeded");
        report.putArray("endpoints");
        reports.send("runtime.report.operation", report);
        eventually(
                () -> assertThat(instanceFixture.instance(id).text("version")).isEqualTo("1.5.0"));
        assertThat(instanceFixture.operation(id, late).text("status")).isEqualTo("failed");
        instanceFixture.assertNumberedWithoutGap(id);
    }
}
