package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.SimulatedAdapter;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Instances from plan to deletion: operations, members, history, usage and correlation. */
final class InstanceTour {
    private static final String OWNER = "project_owner";
    private static final String VIEWER = "project_viewer";
    private static final String OPERATIONS = "getInstanceOperation";

    private final TourRecorder tour;
    private final SimulatedAdapter adapter;
    private final Instant begin = Instant.now();
    private Instant running = begin;

    InstanceTour(TourRecorder tour, SimulatedAdapter adapter) {
        this.tour = tour;
        this.adapter = adapter;
    }

    void run() {
        tour.set("org_id", DemoData.ORG);
        tour.set("project_id", DemoData.PROJECT);
        tour.chapter("12-launch");
        launch();
        tour.chapter("13-upgrade-and-rollback");
        upgrade();
        tour.chapter("14-members");
        members();
        tour.chapter("15-declared-operations");
        declaredOperations();
        tour.chapter("16-cancel-and-failure");
        cancel();
        fail();
        tour.chapter("17-history-and-usage");
        usage();
        history();
        tour.chapter("18-deletion");
        delete();
    }

    private void launch() {
        var body = "{'app_slug': 'echo', 'version': '1.0.0', 'display_name': 'Tour'}";
        tour.call(OWNER, "planAppInstance", body);
        tour.call(OWNER, "planAppInstance", body.replace("1.0.0", "9.9.9"));
        tour.step(OWNER, "createAppInstance").query("dry_run=true").body(body).send();
        tour.call(VIEWER, "createAppInstance", body);
        tour.call("other_tenant_owner", "createAppInstance", body);
        tour.call("anonymous", "createAppInstance", body);
        tour.call(OWNER, "createAppInstance", "{'app_slug': 'echo'}");
        tour.call(OWNER, "createAppInstance", body.replace("echo", "nothing"));
        tour.call(OWNER, "createAppInstance", body.replace("1.0.0", "9.9.9"));
        tour.call(OWNER, "createAppInstance", body.replace("echo", "tour"));

        adapter.hold();
        var accepted = tour.step(OWNER, "createAppInstance")
                .header("Idempotency-Key", "tour-launch")
                .body(body)
                .sendAndSet("app_instance_id");
        tour.set("operation_id", accepted.text("operation_id"));
        tour.step(OWNER, "createAppInstance")
                .header("Idempotency-Key", "tour-launch")
                .body(body)
                .send();
        tour.step(OWNER, "createAppInstance")
                .header("Idempotency-Key", "tour-launch")
                .body(body.replace("Tour", "Other"))
                .send();
        tour.await(OWNER, OPERATIONS, "/blockers/0/code", "held");
        tour.call(VIEWER, OPERATIONS);
        tour.call(OWNER, "upgradeAppInstance", "{'version': '1.1.0'}");
        tour.call(OWNER, "cancelInstanceOperation");
        tour.step(VIEWER, "watchAppInstance").stream("apps.instance_operation.succeeded", adapter::release);
        tour.await(OWNER, OPERATIONS, "/status", "succeeded");
        tour.call(VIEWER, OPERATIONS);
        tour.call(VIEWER, "getAppInstance");
        running = Instant.now();
        tour.call(VIEWER, "listAppInstances");
        tour.step(VIEWER, "listAppInstances").query("status=failed").send();
        tour.call("other_tenant_owner", "getAppInstance");
        try (var watch = tour.filled(tour.client("project_member").call("watchAppInstance")).stream()) {
            assertThat(watch.next().path("event").asText()).isEqualTo("snapshot");
            tour.call("project_member", "watchAppInstance");
        }
    }

    private void upgrade() {
        tour.call(OWNER, "rollbackAppInstance", "{}");
        tour.call(OWNER, "upgradeAppInstance", "{'version': '9.9.9'}");
        tour.call(VIEWER, "upgradeAppInstance", "{'version': '1.1.0'}");
        change("upgradeAppInstance", "{'version': '1.1.0'}");
        tour.call(VIEWER, "getAppInstance");
        change("rollbackAppInstance", "{'reason': 'it was too new'}");
        tour.call(VIEWER, "getAppInstance");
        change("upgradeAppInstance", "{'version': '1.1.0'}");
        tour.call(VIEWER, "listInstanceOperations");
        tour.step(VIEWER, "listInstanceOperations")
                .query("limit=1&status=succeeded")
                .send();
    }

    private void members() {
        tour.call(VIEWER, "listInstanceMembers");
        change("operateInstanceMember", "{'operation': 'add', 'component': 'server'}");
        tour.call(VIEWER, "getMemberOperation");
        tour.call(VIEWER, "listInstanceMembers");
        var members = tour.filled(tour.client(VIEWER).call("listInstanceMembers"))
                .send()
                .body()
                .path("items");
        tour.set("member_id", members.get(0).path("id").asText());
        tour.call(VIEWER, "getInstanceMember");
        change("operateInstanceMember", "{'operation': 'drain', 'member_id': '$member_id$'}");
        change("operateInstanceMember", "{'operation': 'remove', 'member_id': '$member_id$'}");
        tour.call(VIEWER, "getInstanceMember");
        tour.call(OWNER, "operateInstanceMember", "{'operation': 'remove', 'member_id': '$member_id$'}");
        tour.call(OWNER, "operateInstanceMember", "{'operation': 'add', 'component': 'ghost'}");
        tour.call(OWNER, "operateInstanceMember", "{'operation': 'label', 'component': 'server'}");
        tour.call(VIEWER, "operateInstanceMember", "{'operation': 'add', 'component': 'server'}");
    }

    private void declaredOperations() {
        change("runInstanceOperation", "{'operation': 'echo.ping', 'input': {'message': 'hello'}}");
        tour.call(OWNER, "runInstanceOperation", "{'operation': 'echo.ping', 'input': {'word': 'hello'}}");
        tour.call(OWNER, "runInstanceOperation", "{'operation': 'echo.nothing'}");
        tour.call(VIEWER, "runInstanceOperation", "{'operation': 'echo.wait', 'input': {'seconds': 1}}");
    }

    private void cancel() {
        adapter.hold();
        tour.step(OWNER, "runInstanceOperation")
                .body("{'operation': 'echo.ping', 'input': {'message': 'never'}}")
                .sendAndSet("operation_id");
        tour.await(OWNER, OPERATIONS, "/blockers/0/code", "held");
        tour.call(OWNER, "cancelInstanceOperation");
        tour.await(OWNER, OPERATIONS, "/status", "canceled");
        tour.call(VIEWER, OPERATIONS);
        tour.call(OWNER, "cancelInstanceOperation");
        adapter.release();
    }

    private void fail() {
        adapter.fail(true);
        tour.step(OWNER, "runInstanceOperation")
                .body("{'operation': 'echo.ping', 'input': {'message': 'fails'}}")
                .sendAndSet("operation_id");
        tour.await(OWNER, OPERATIONS, "/status", "failed");
        tour.call(VIEWER, OPERATIONS);
        adapter.fail(false);
    }

    private void usage() {
        adapter.reportUsage(
                UUID.fromString(tour.get("app_instance_id")),
                UUID.fromString("01900000-0000-7000-8000-00000000d001"),
                "app_runtime_hour",
                "1.5",
                running,
                Instant.now());
        tour.await(OWNER, "getProjectUsage", "/items/0/reported/0/quantity", "1.5");
        tour.call(OWNER, "getProjectUsage");
        tour.call("tour stranger", "getProjectUsage");
    }

    private void history() {
        tour.call(VIEWER, "getInstanceTimeline");
        tour.step(VIEWER, "getInstanceTimeline").query("limit=2").send();
        tour.step(VIEWER, "getAppInstance").query("at=2001-01-01T00:00:00Z").send();
        tour.step(VIEWER, "getAppInstance").query("at=yesterday").send();
        tour.call("platform_ops", "listRuntimeAdapters");
        tour.call(VIEWER, "listRuntimeAdapters");
        var check = "{'from': '" + begin + "', 'to': '9999-01-01T00:00:00Z'}";
        tour.call("platform_ops", "checkInstanceConsistency", check);
        tour.call(OWNER, "checkInstanceConsistency", check);
        tour.set("correlation_id", "tour-upgradeAppInstance-3");
        tour.call("other_tenant_owner", "getCorrelation");
        correlation("tour-upgradeAppInstance-5", 12);
    }

    /** The entries of a correlation in the order of their titles, once all are there: calls, audit records and events come in any order. */
    private void correlation(String correlationId, int entries) {
        tour.set("correlation_id", correlationId);
        eventually(() -> assertThat(tour.filled(tour.client(OWNER).call("getCorrelation"))
                        .send()
                        .body()
                        .path("items"))
                .hasSizeGreaterThanOrEqualTo(entries));
        var items = new ArrayList<JsonNode>();
        tour.filled(tour.client(OWNER).call("getCorrelation"))
                .send()
                .body()
                .path("items")
                .forEach(items::add);
        items.sort(Comparator.comparing(
                item -> item.path("kind").asText() + item.path("title").asText()));
        tour.record("getCorrelation " + correlationId, Json.array().addAll(items));
    }

    private void delete() {
        tour.call(VIEWER, "deleteAppInstance");
        var deletion = tour.call(OWNER, "deleteAppInstance");
        tour.set("operation_id", deletion.text("operation_id"));
        tour.await(OWNER, OPERATIONS, "/status", "succeeded");
        tour.call(VIEWER, "getAppInstance");
        tour.call(OWNER, "deleteAppInstance");
        tour.call(OWNER, "upgradeAppInstance", "{'version': '1.1.0'}");
        tour.call(VIEWER, "listInstanceMembers");
        tour.call(VIEWER, "getInstanceTimeline");

        adapter.holdDeletes();
        var launched = tour.step(OWNER, "createAppInstance")
                .body(
                        "{'app_slug': 'echo', 'version': '1.1.0', 'display_name': 'Stuck', 'config': {'message': 'hi'}, 'components': {'server': 1}}")
                .sendAndSet("app_instance_id");
        tour.set("operation_id", launched.text("operation_id"));
        tour.await(OWNER, OPERATIONS, "/status", "succeeded");
        tour.set("operation_id", tour.call(OWNER, "deleteAppInstance").text("operation_id"));
        tour.await(OWNER, OPERATIONS, "/blockers/0/code", "held");
        tour.call(OWNER, "forceDeleteAppInstance", "{'reason': 'The host is gone for good'}");
        tour.step("platform_superadmin", "adminForceDeleteAppInstance")
                .header("X-Break-Glass-Reason", "The tenant asked for help")
                .body("{'reason': 'The host is gone for good'}")
                .send();
        tour.call(VIEWER, "getAppInstance");
        tour.call(VIEWER, "listInstanceOperations");
        adapter.release();
    }

    /** Sends a change that must succeed, waits for the end of its operation, and records it. */
    private void change(String operationId, String body) {
        tour.step(OWNER, operationId).body(body).sendAndSet("operation_id");
        tour.await(OWNER, OPERATIONS, "/status", "succeeded");
        tour.call(VIEWER, OPERATIONS);
    }
}
