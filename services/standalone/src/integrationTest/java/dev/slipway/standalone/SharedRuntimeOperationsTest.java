package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.DemoData.PROJECT;
import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Operations on shared runtimes: workers, cancellation, deadlines, forced removal, failures and the desired state. */
class SharedRuntimeOperationsTest extends SharedRuntimeTestBase {
    @AfterEach
    void resetAdapter() {
        adapter.fail(false);
    }

    @Test
    @Proves("0.55")
    void workers_areAddedDrainedReplacedAndRemoved() {
        var runtime = calls.runningWith("worker-operations");
        var added = calls.owner("operateWorker", runtime)
                .body(calls.add("worker").put("region", "north"))
                .send()
                .expect(202);
        assertThat(calls.ended(runtime, added).text("status")).isEqualTo("succeeded");
        for (var operation : List.of("drain", "replace")) {
            var accepted = calls.owner("operateWorker", runtime)
                    .body(calls.on(operation, added.text("member_id")))
                    .send()
                    .expect(202);
            assertThat(calls.ended(runtime, accepted).text("status")).isEqualTo("succeeded");
        }
        var replacement = calls.items(calls.owner("listWorkers", runtime)).stream()
                .filter(worker -> worker.path("region").asText().equals("north")
                        && worker.path("observed_state").asText().equals("ready"))
                .findFirst()
                .orElseThrow()
                .path("id")
                .asText();
        var removed = calls.owner("operateWorker", runtime)
                .body(calls.on("remove", replacement))
                .send()
                .expect(202);
        assertThat(calls.ended(runtime, removed).text("status")).isEqualTo("succeeded");
        assertThat(calls.items(calls.owner("listWorkerOperations", runtime)))
                .extracting(operation -> operation.path("operation").asText())
                .containsExactly("remove", "replace", "drain", "add");
        calls.owner("getWorkerOperation", runtime)
                .path("operation_id", removed.text("id"))
                .send()
                .expect(200);
    }

    @Test
    void submittedOperation_canBeCanceled_byItsProject() {
        var runtime = calls.runningWith("canceled", PROJECT);
        adapter.hold();
        var work = calls.submit(PROJECT, runtime, "work.submit").send().expect(202);
        eventually(() -> assertThat(calls.project("getSubmittedOperation", "project_viewer", PROJECT, runtime)
                        .path("operation_id", work.text("id"))
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("running"));
        assertThat(statusAndCode(calls.project("cancelSubmittedOperation", "project_viewer", PROJECT, runtime)
                        .path("operation_id", work.text("id"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");

        calls.project("cancelSubmittedOperation", "project_owner", PROJECT, runtime)
                .path("operation_id", work.text("id"))
                .send()
                .expect(202);

        assertThat(calls.ended(runtime, work).text("status")).isEqualTo("canceled");
    }

    @Test
    void forceDetach_needsItsOwnPermission_andCancelsTheWork() {
        var runtime = calls.runningWith("forced", PROJECT);
        calls.contribute(PROJECT, runtime);
        adapter.hold();
        var work = calls.submit(PROJECT, runtime, "work.submit").send().expect(202);
        var attachment = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        assertThat(statusAndCode(calls.owner("deleteAttachment", "tenant_admin", runtime)
                        .path("attachment_id", attachment)
                        .query("mode=force")
                        .send()))
                .isEqualTo("403 insufficient_permissions");

        var detached = calls.attachment("deleteAttachment", runtime, attachment)
                .query("mode=force")
                .send()
                .expect(202);

        assertThat(detached.text("status")).isEqualTo("detached");
        assertThat(calls.ended(runtime, work).text("status")).isEqualTo("canceled");
        calls.assertAudited("apps.shared_runtime.attachment.force_detach", runtime);
        assertThat(calls.project("getAttachedRuntime", PROJECT, runtime).send().status())
                .isEqualTo(404);
        adapter.release();
        eventually(() -> assertThat(calls.items(calls.owner("listWorkers", runtime)).stream()
                        .filter(worker -> worker.path("source").asText().equals("project"))
                        .map(worker -> worker.path("observed_state").asText()))
                .containsExactly("removed"));
    }

    @Test
    @Proves({"0.46", "0.47"})
    void drainAndCreation_fail_withAnEvent() {
        var body = SharedRuntimeCalls.createBody("hasty").put("app_version", SharedRuntimeCalls.HASTY_VERSION);
        body.putObject("contribution_policy").put("allowed", true);
        body.putArray("attached_project_ids").add(PROJECT.toString());
        var runtime = calls.running(body);
        calls.contribute(PROJECT, runtime);
        adapter.hold();
        var attachment = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        calls.attachment("deleteAttachment", runtime, attachment)
                .query("mode=drain")
                .send()
                .expect(202);
        calls.awaitAttachment(runtime, attachment, "failed");
        adapter.release();
        calls.attachment("deleteAttachment", runtime, attachment)
                .query("mode=force")
                .send()
                .expect(202);
        calls.owner("deleteSharedRuntime", runtime).query("mode=force").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
        eventually(() -> assertThat(calls.eventTypes(runtime))
                .contains(
                        "apps.shared_runtime.requested",
                        "apps.shared_runtime.running",
                        "apps.shared_runtime.deleting",
                        "apps.shared_runtime.deleted",
                        "apps.shared_runtime.attachment.requested",
                        "apps.shared_runtime.attachment.attached",
                        "apps.shared_runtime.attachment.failed",
                        "apps.shared_runtime.attachment.detached"));

        adapter.fail(true);
        var failed = calls.create(SharedRuntimeCalls.createBody("failing"))
                .send()
                .expect(202)
                .text("id");
        calls.awaitStatus(failed, "failed");
        eventually(() -> assertThat(calls.eventTypes(failed)).contains("apps.shared_runtime.failed"));
        assertThat(calls.owner("getSharedRuntime", failed).send().text("failure_reason"))
                .isEqualTo("failure requested");
        calls.owner("deleteSharedRuntime", failed).query("mode=force").send().expect(202);
        calls.awaitStatus(failed, "deleted");
    }

    @Test
    @Proves({"0.34", "0.35"})
    void operator_isTheRegisteredOne_whenTheRequestNamesIt() {
        var runtimeId = Ids.next().toString();
        var body = Json.object()
                .put("shared_runtime_id", runtimeId)
                .put("runtime_backend", "bare_metal")
                .put("display_name", "My operator");
        body.putArray("allowed_actions").add("apps.shared_runtime.report").add("apps.shared_runtime.read");
        var operator = platform.as("tenant_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", DemoData.ORG)
                .body(body)
                .send()
                .expect(201)
                .text("id");
        platform.awaitReplication();

        var runtime = calls.running(SharedRuntimeCalls.createBody("operated").put("operator_identity_ref", operator));

        assertThat(runtime).isEqualTo(runtimeId);
        assertThat(calls.owner("getSharedRuntime", runtime).send().text("operator_id"))
                .isEqualTo(operator);
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.type().equals("audit.recorded")
                                && observed.payload().path("action").asText().equals("apps.shared_runtime.report")
                                && observed.payload().path("target_id").asText().equals(runtime)
                                && observed.payload().toString().contains(operator)))
                .isNotEmpty());
        assertThat(statusAndCode(calls.create(
                                SharedRuntimeCalls.createBody("operated-again").put("operator_identity_ref", operator))
                        .send()))
                .isEqualTo("409 operator_identity_invalid");
    }

    @Test
    @Proves("0.31")
    void desiredState_listsWorkersAndAttachments() {
        var runtime = calls.runningWith("desired");
        var request = Json.object().put("project_id", PROJECT.toString());
        request.putObject("contribution_policy").put("allowed", true);
        request.putObject("app_policy").put("share", 7);
        calls.owner("createAttachment", runtime).body(request).send().expect(202);
        var worker = calls.contribute(PROJECT, runtime);

        var desired = StreamSupport.stream(
                        platform.asAdapter()
                                .call("listDesiredSharedRuntimes")
                                .query("limit=500")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .filter(item -> item.path("shared_runtime_id").asText().equals(runtime))
                .findFirst()
                .orElseThrow();

        assertThat(desired.path("desired").asText()).isEqualTo("running");
        assertThat(desired.at("/attachments/0/app_policy/share").asInt()).isEqualTo(7);
        assertThat(desired.path("members").findValuesAsText("member_id")).contains(worker);
        assertThat(calls.command("member", runtime)
                        .payload()
                        .at("/attachments/0/app_policy/share")
                        .asInt())
                .isEqualTo(7);
    }
}
