package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import static dev.slipway.standalone.SchedulerFixture.instanceCall;
import static dev.slipway.standalone.SchedulerFixture.run;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests a third-party scheduler besides the bundled app: both are treated alike. */
class SchedulerAppTest extends SchedulerTestBase {
    private static final Set<String> READS = Set.of("catalog.list", "cluster.show", "queue.list", "node.list");
    private static final Set<String> WORK = Set.of("cluster.add", "queue.submit", "queue.cancel");

    @Test
    @Proves({"2.05", "2.36", "2.37", "2.38", "2.46"})
    void launch_dependsOnPublicationAndEntitlement() {
        var policyTenant = new PolicyCalls(platform).createTenant("grid");
        assertThat(statusAndCode(launch(policyTenant, VERSION))).isEqualTo("403 app_not_entitled");
        schedulerFixture.draft(SchedulerFixture.manifest("0.9.0", "slurm")).expect(201);
        var overlay = "'policy_overrides': {'max_instances_per_project': 1}";
        var entitled = policyTenant
                .entitle(SchedulerFixture.APP, "{'enabled': true, " + overlay + "}")
                .send()
                .expect(200);
        platform.awaitReplication();
        assertThat(statusAndCode(launch(policyTenant, "0.9.0"))).isEqualTo("404 app_version_not_found");

        schedulerFixture.publish("0.9.0").expect(200);
        platform.awaitReplication();
        var created = launch(policyTenant, "0.9.0").expect(202);

        var id = created.text("id");
        eventually(() -> assertThat(status(policyTenant, id)).isEqualTo("running"));
        assertThat(created.text("app_slug") + " on " + created.text("runtime_backend"))
                .isEqualTo("acme-grid on slurm");
        assertThat(statusAndCode(launch(policyTenant, VERSION))).isEqualTo("409 instance_limit_reached");
        policyTenant
                .entitle(SchedulerFixture.APP, "{'enabled': false, " + overlay + "}")
                .header("If-Match", entitled.header("ETag"))
                .send()
                .expect(200);
        platform.awaitReplication();
        assertThat(statusAndCode(launch(policyTenant, VERSION))).isEqualTo("403 app_not_entitled");
        assertThat(status(policyTenant, id)).isEqualTo("running");

        schedulerAdapter.reportFailure(UUID.fromString(id), "the controller is gone");
        eventually(() -> assertThat(status(policyTenant, id)).isEqualTo("failed"));
        policyTenant
                .call("deleteAppInstance")
                .path("app_instance_id", id)
                .send()
                .expect(202);
        eventually(() -> assertThat(status(policyTenant, id)).isEqualTo("deleted"));
        eventually(() -> assertThat(schedulerFixture.runLifecycle(id))
                .containsExactly("requested", "deploying", "running", "failed", "deleting", "deleted"));
    }

    private static ApiResponse launch(PolicyCalls.PolicyTenant policyTenant, String version) {
        return schedulerFixture
                .launch(
                        new TenantCalls(platform).person(policyTenant.tenant().owner()),
                        UUID.fromString(policyTenant.projectId()),
                        SchedulerFixture.APP,
                        version)
                .send();
    }

    private static String status(PolicyCalls.PolicyTenant policyTenant, String id) {
        return policyTenant
                .call("getAppInstance")
                .path("app_instance_id", id)
                .send()
                .expect(200)
                .text("status");
    }

    @Test
    @Proves("2.24")
    void runOperation_requiresDeclaredAction() {
        var id = schedulerFixture.launchRunning(DemoData.PROJECT, SchedulerFixture.APP, VERSION);
        var expected = new ArrayList<String>();
        var actual = new ArrayList<String>();
        for (var role : List.of("project_viewer", "project_member", "project_admin", "project_owner")) {
            SchedulerFixture.OPERATIONS.forEach((operation, action) -> {
                var may = READS.contains(operation)
                        || (WORK.contains(operation) && !role.equals("project_viewer"))
                        || role.equals("project_admin")
                        || role.equals("project_owner");
                expected.add(role + " " + operation + (may ? " 202 " : " " + REFUSED));
                actual.add(role + " " + operation + " "
                        + statusAndCode(run(platform.as(role), DemoData.PROJECT, id, operation)));
            });
        }
        assertThat(actual).containsExactlyElementsOf(expected);
        assertThat(statusAndCode(run(platform.as("other_tenant_owner"), DemoData.PROJECT, id, "queue.list")))
                .isEqualTo("404 not_found");

        var refusals = expected.stream().filter(line -> line.endsWith(REFUSED)).count();
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .startsWith("scheduler.")
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
                .hasSize((int) refusals));
        assertThat(TenantCalls.texts(
                        platform.as("project_viewer")
                                .call("listScopes")
                                .query("product_id=scheduler")
                                .send()
                                .expect(200),
                        "scope_id"))
                .containsExactlyInAnyOrderElementsOf(Set.copyOf(SchedulerFixture.OPERATIONS.values()));
    }

    /** An adapter outside the platform reports itself with heartbeats. */
    @Test
    void adapter_isAComponent_withItsVersionAndCommit() {
        var status = new StatusCalls(platform);
        var component = status.component("adapter-slurm");
        assertThat(component.path("rollout_status").asText()).isEqualTo("ready");
        assertThat(component.path("public").asBoolean()).isFalse();
        assertThat(component.at("/processes/0/version").asText()).isEqualTo(SimulatedAdapter.VERSION);
        assertThat(component.at("/processes/0/source_commit").asText()).isEqualTo(SimulatedAdapter.SOURCE_COMMIT);
        assertThat(status.publicStatus().toString()).doesNotContain("adapter-slurm");
    }

    /** The steps of a scheduler pilot, from the publication to the deletion. */
    @Test
    @Proves("2.60")
    void everyStep_hasAnAuditRecord_withTheCorrelationIdOfItsRequest() {
        var admin = platform.as("platform_superadmin");
        var owner = platform.as("tenant_owner");
        var manifest = Json.object();
        manifest.set("manifest", SchedulerFixture.manifest("1.2.0", "slurm"));
        audited(
                admin.call("registerAppVersion")
                        .path("app_slug", SchedulerFixture.APP)
                        .body(manifest),
                "apps.version.register");
        audited(
                admin.call("publishAppVersion")
                        .path("app_slug", SchedulerFixture.APP)
                        .path("version", "1.2.0"),
                "apps.version.publish");
        var entitlement = schedulerFixture
                .entitlement(DemoData.PROJECT, "getAppEntitlement")
                .send()
                .expect(200);
        audited(
                schedulerFixture
                        .entitlement(DemoData.PROJECT, "putAppEntitlement")
                        .body(Json.object().put("enabled", true))
                        .header("If-Match", entitlement.header("ETag")),
                "apps.entitlement.write");
        platform.awaitReplication();
        var id = audited(
                        schedulerFixture.launch(owner, DemoData.PROJECT, SchedulerFixture.APP, VERSION),
                        "apps.instance.create")
                .text("id");
        schedulerFixture.awaitStatus(DemoData.PROJECT, id, "running");
        for (var operation : List.of("queue.submit", "queue.cancel", "node.drain")) {
            schedulerFixture.awaitEnd(audited(
                    instanceCall(owner, "runInstanceOperation", DemoData.PROJECT, id)
                            .body(Json.object().put("operation", operation)),
                    requireNonNull(SchedulerFixture.OPERATIONS.get(operation))));
        }
        schedulerFixture.awaitEnd(audited(
                instanceCall(owner, "upgradeAppInstance", DemoData.PROJECT, id)
                        .body(Json.object().put("version", "1.2.0")),
                "apps.instance.upgrade"));
        schedulerFixture.awaitEnd(audited(
                instanceCall(owner, "rollbackAppInstance", DemoData.PROJECT, id).body(Json.object()),
                "apps.instance.rollback"));
        audited(instanceCall(owner, "deleteAppInstance", DemoData.PROJECT, id), "apps.instance.delete");
    }

    /** Sends the request with a correlation id of its own, and waits for the audit record. */
    @CanIgnoreReturnValue
    private static ApiResponse audited(Call call, String action) {
        var correlationId = "pilot-" + UUID.randomUUID();
        var response = call.header("X-Correlation-ID", correlationId).send();
        assertThat(response.status()).as("%s: %s", action, response.body()).isBetween(200, 202);
        // The adapter works under the same correlation id; its records may have arrived already.
        eventually(() -> assertThat(platform.events()
                        .find(record -> record.type().equals("audit.recorded")
                                && record.event()
                                        .path("correlation_id")
                                        .asText()
                                        .equals(correlationId)))
                .as("the audit record of %s", action)
                .extracting(record -> record.payload().path("action").asText() + " "
                        + record.payload().path("result").asText())
                .containsOnlyOnce(action + " success"));
        return response;
    }

    @Test
    @Proves("2.25")
    void runOperation_requiresNodeOperate_whenNodeIsChanged() {
        var id = schedulerFixture.launchRunning(DemoData.PROJECT, SchedulerFixture.APP, VERSION);
        var hand = schedulerFixture.createWorkerAccount("hand", "apps.instance.read", "scheduler.node.operate");
        var watcher = schedulerFixture.createWorkerAccount("watcher", "apps.instance.read", "scheduler.node.read");
        var covered = List.of("node.drain", "node.cordon", "node.uncordon", "node.label");

        for (var operation : covered) {
            assertThat(statusAndCode(run(watcher, DemoData.PROJECT, id, operation)))
                    .isEqualTo(REFUSED);
            assertThat(schedulerFixture
                            .awaitEnd(run(hand, DemoData.PROJECT, id, operation))
                            .path("status")
                            .asText())
                    .isEqualTo("succeeded");
        }

        assertThat(statusAndCode(run(hand, DemoData.PROJECT, id, "node.list"))).isEqualTo(REFUSED);
        run(watcher, DemoData.PROJECT, id, "node.list").expect(202);
        eventually(() -> assertThat(schedulerAdapter.instanceFiles().requests(UUID.fromString(id)))
                .containsExactlyInAnyOrder(
                        "deployed",
                        "operated node.drain",
                        "operated node.cordon",
                        "operated node.uncordon",
                        "operated node.label",
                        "operated node.list"));
    }

    @Test
    @Proves({"1.02", "1.18", "2.17"})
    void lifecycle_isSameForThirdPartyAndBundledApp() {
        var lives = new ArrayList<List<String>>();
        for (var app : List.of(DemoData.APP, SchedulerFixture.APP)) {
            var adapter = app.equals(DemoData.APP) ? bundledAdapter : schedulerAdapter;
            var component = app.equals(DemoData.APP) ? "server" : "worker";
            adapter.hold();
            var created = schedulerFixture
                    .launch(platform.as("project_owner"), DemoData.PROJECT, app, VERSION)
                    .send()
                    .expect(202);
            var id = created.text("id");
            schedulerFixture.awaitStatus(DemoData.PROJECT, id, "deploying");
            adapter.release();
            schedulerFixture.awaitStatus(DemoData.PROJECT, id, "running");
            runAsOwner("upgradeAppInstance", id, Json.object().put("version", NEXT_VERSION));
            runAsOwner(
                    "runInstanceOperation",
                    id,
                    app.equals(DemoData.APP)
                            ? PolicyCalls.json("{'operation': 'echo.ping', 'input': {'message': 'hello'}}")
                            : PolicyCalls.json("{'operation': 'queue.submit', 'input': {'message': 'hello'}}"));
            runAsOwner(
                    "operateInstanceMember",
                    id,
                    Json.object().put("operation", "add").put("component", component));
            runAsOwner("rollbackAppInstance", id, Json.object());
            var instance = UUID.fromString(id);
            adapter.reportUsage(
                    instance,
                    UUID.randomUUID(),
                    "app_runtime_hour",
                    "0.5",
                    Instant.now().minusSeconds(60),
                    Instant.now());
            adapter.reportFailure(instance, "it fell over");
            schedulerFixture.awaitStatus(DemoData.PROJECT, id, "failed");
            instanceCall(platform.as("project_owner"), "deleteAppInstance", DemoData.PROJECT, id)
                    .send()
                    .expect(202);
            schedulerFixture.awaitStatus(DemoData.PROJECT, id, "deleted");

            // What was to be done is the platform's to say and to keep in order; each time it was the adapter that did
            // it.
            assertThat(adapter.instanceFiles().requests(instance).stream()
                            .map(line -> line.replaceFirst(" [-0-9a-f]{36}$", "")))
                    .containsExactly(
                            "deployed",
                            "upgraded " + NEXT_VERSION,
                            "operated " + (app.equals(DemoData.APP) ? "echo.ping" : "queue.submit"),
                            "member add",
                            "rolled back " + VERSION,
                            "deleted");
            assertThat(reports.command("upgrade", id)
                            .payload()
                            .at("/manifest/lifecycle/upgrade/strategy")
                            .asText())
                    .isEqualTo("replace");
            eventually(() -> assertThat(schedulerFixture.runLifecycle(id)).endsWith("deleted"));
            eventually(() -> assertThat(platform.events()
                            .find(observedRecord -> observedRecord.topic().equals("usage.events")
                                    && observedRecord
                                            .payload()
                                            .path("app_instance_id")
                                            .asText()
                                            .equals(id)))
                    .hasSize(1));
            lives.add(schedulerFixture.runLifecycle(id));
        }
        assertThat(lives.get(1)).isEqualTo(lives.get(0)).hasSize(8);
        assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("runtime.report.rejected")
                                && observedRecord
                                        .payload()
                                        .path("reason")
                                        .asText()
                                        .contains("fell over")))
                .isEmpty();
    }

    private static void runAsOwner(String operation, String id, ObjectNode body) {
        var ended =
                schedulerFixture.awaitEnd(instanceCall(platform.as("project_owner"), operation, DemoData.PROJECT, id)
                        .body(body)
                        .send());
        assertThat(ended.path("status").asText()).as("%s", ended).isEqualTo("succeeded");
    }

    @Test
    void operations_returnSameFields_whenBackendDiffers() {
        var seen = new ArrayList<List<String>>();
        try (var other = schedulerFixture.start(schedulerFixture.register("ray"), directory)) {
            for (var version : List.of(VERSION, OTHER_BACKEND_VERSION)) {
                var answers = new ArrayList<String>();
                var id = schedulerFixture.launchRunning(DemoData.PROJECT, SchedulerFixture.APP, version);
                for (var operation : SchedulerFixture.OPERATIONS.keySet()) {
                    var done = schedulerFixture.awaitEnd(
                            run(platform.as("project_owner"), DemoData.PROJECT, id, operation));
                    answers.add(operation + " " + done.path("status").asText() + fields(done));
                }
                schedulerFixture.members(id).stream()
                        .map(member -> member.path("component").asText() + fields(member))
                        .sorted()
                        .forEach(answers::add);
                answers.add("not declared: "
                        + statusAndCode(run(platform.as("project_owner"), DemoData.PROJECT, id, "vendor.magic")));
                var last = instanceCall(platform.as("project_owner"), "deleteAppInstance", DemoData.PROJECT, id)
                        .send()
                        .expect(202);
                answers.add(fields(last.body()));
                schedulerFixture.awaitStatus(DemoData.PROJECT, id, "deleted");
                eventually(() -> assertThat(schedulerFixture.runLifecycle(id)).endsWith("deleted"));
                answers.addAll(schedulerFixture.runLifecycle(id));
                seen.add(answers);
            }
            assertThat(other.instanceFiles()).isNotNull();
        }
        assertThat(seen.get(1)).isEqualTo(seen.get(0)).hasSizeGreaterThan(15);
    }

    private static String fields(JsonNode answer) {
        var names = new ArrayList<String>();
        answer.fieldNames().forEachRemaining(names::add);
        return names.toString();
    }
}
