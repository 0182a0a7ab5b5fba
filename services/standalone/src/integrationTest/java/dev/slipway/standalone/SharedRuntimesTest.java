package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;

import static dev.slipway.standalone.DemoData.PROJECT;
import static dev.slipway.standalone.DemoData.SIBLING_PROJECT;
import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The journey of a shared runtime: creation, attachments, contributed workers, submitted work, detachment and deletion. */
class SharedRuntimesTest extends SharedRuntimeTestBase {
    @Test
    @Proves({"0.11", "C.07"})
    void create_isRefused_whenTheAppOrTheOperatorDoesNotFit() {
        var unsupported = SharedRuntimeCalls.createBody("refused").put("app_version", DemoData.VERSION);
        assertThat(statusAndCode(calls.create(unsupported).send())).isEqualTo("409 shared_runtime_unsupported");
        for (var operator : List.of(DemoData.SERVICE_ACCOUNT, DemoData.OTHER_OPERATOR)) {
            var body = SharedRuntimeCalls.createBody("refused").put("operator_identity_ref", operator.toString());
            assertThat(statusAndCode(calls.create(body).send())).isEqualTo("409 operator_identity_invalid");
        }
        var foreign = SharedRuntimeCalls.createBody("refused");
        foreign.putArray("attached_project_ids").add(DemoData.OTHER_PROJECT.toString());
        assertThat(statusAndCode(calls.create(foreign).send())).isEqualTo("404 not_found");
        var runtime = calls.runningWith("own-tenant", PROJECT);
        assertThat(statusAndCode(calls.owner("createAttachment", runtime)
                        .body(Json.object().put("project_id", DemoData.OTHER_PROJECT.toString()))
                        .send()))
                .isEqualTo("404 not_found");
        for (var operation : List.of("operateContributedWorker", "submitOperation")) {
            assertThat(statusAndCode(calls.project(operation, "other_tenant_owner", DemoData.OTHER_PROJECT, runtime)
                            .body(
                                    operation.equals("submitOperation")
                                            ? Json.object().put("operation", "work.submit")
                                            : calls.add("worker"))
                            .send()))
                    .isEqualTo("404 shared_runtime_not_found");
        }
        var unknown = SharedRuntimeCalls.createBody("refused");
        unknown.putObject("submission_policy")
                .put("allowed", true)
                .putArray("operations")
                .add("work.purge");
        assertThat(statusAndCode(calls.create(unknown).send())).isEqualTo("400 validation_error");
        assertThat(platform.database()
                        .query("SELECT count(*) FROM instances.shared_runtimes WHERE environment = 'refused'"))
                .isEqualTo("0");
    }

    @Test
    void plan_showsTheDecision_andCreatesNothing() {
        var plan = calls.create(SharedRuntimeCalls.createBody("planned"))
                .query("dry_run=true")
                .send()
                .expect(200)
                .body();
        assertThat(plan.at("/decision/result").asText()).isEqualTo("allowed");
        assertThat(plan.path("runtime_backend").asText()).isEqualTo("bare_metal");
        var refused = calls.create(SharedRuntimeCalls.createBody("planned").put("app_version", DemoData.VERSION))
                .query("dry_run=true")
                .send()
                .expect(200)
                .body();
        assertThat(refused.at("/decision/code").asText()).isEqualTo("shared_runtime_unsupported");
        assertThat(statusAndCode(calls.create(SharedRuntimeCalls.createBody("planned")
                                .put("display_name", "Another name")
                                .put("plan_id", plan.path("plan_id").asText()))
                        .send()))
                .isEqualTo("409 plan_outdated");
        assertThat(statusAndCode(calls.create(SharedRuntimeCalls.createBody("planned")
                                .put("plan_id", Ids.next().toString()))
                        .send()))
                .isEqualTo("404 plan_not_found");
        assertThat(platform.database()
                        .query("SELECT count(*) FROM instances.shared_runtimes WHERE environment = 'planned'"))
                .isEqualTo("0");
    }

    @Test
    void runtimeAndAttachment_haveThePlannedOutcome_whenRequestedByPlan() {
        var body = SharedRuntimeCalls.createBody("by-plan");
        var plan = calls.create(body).query("dry_run=true").send().expect(200).text("plan_id");
        var runtime = calls.running(body.put("plan_id", plan));
        assertThat(statusAndCode(calls.create(body).send())).isEqualTo("404 plan_not_found");
        var attach = Json.object().put("project_id", PROJECT.toString());
        var foreign = calls.owner("planAttachment", runtime)
                .body(Json.object().put("project_id", DemoData.OTHER_PROJECT.toString()))
                .send()
                .expect(200)
                .body();
        assertThat(foreign.at("/decision/code").asText()).isEqualTo("not_found");
        assertThat(foreign.path("policy").isNull()).isTrue();

        var planned = calls.owner("createAttachment", runtime)
                .query("dry_run=true")
                .body(attach)
                .send()
                .expect(200)
                .body();

        assertThat(planned.at("/decision/result").asText()).isEqualTo("allowed");
        assertThat(planned.at("/policy/values").size()).isPositive();
        assertThat(calls.attachments(runtime)).isEmpty();
        calls.owner("createAttachment", runtime)
                .body(attach.deepCopy().put("plan_id", planned.path("plan_id").asText()))
                .send()
                .expect(202);
        assertThat(calls.attachments(runtime)).hasSize(1);
    }

    @Test
    @Proves({"0.13", "0.14", "0.17", "0.19", "0.23", "0.24", "0.29", "0.38", "0.40"})
    void journey_fromCreationToDeletion() {
        var runtime = calls.runningWith("journey", PROJECT);
        assertThat(calls.items(
                        platform.as("tenant_admin").call("listSharedRuntimes").path("org_id", DemoData.ORG)))
                .extracting(item -> item.path("id").asText())
                .contains(runtime);
        assertThat(calls.eventTypes(runtime))
                .startsWith("apps.shared_runtime.requested", "apps.shared_runtime.attachment.requested");
        var second = calls.create(SharedRuntimeCalls.createBody("journey")).send();
        assertThat(statusAndCode(second)).isEqualTo("409 shared_runtime_exists");
        assertThat(second.body().at("/details/shared_runtime_id").asText()).isEqualTo(runtime);

        var first = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        calls.awaitAttachment(runtime, first, "attached");
        var attached = calls.owner("createAttachment", runtime)
                .body(Json.object().put("project_id", SIBLING_PROJECT.toString()))
                .send()
                .expect(202);
        assertThat(attached.text("status")).isEqualTo("attached");

        var worker = calls.contribute(PROJECT, runtime);
        var seen = calls.owner("getWorker", runtime)
                .path("worker_id", worker)
                .send()
                .expect(200);
        assertThat(seen.text("source")).isEqualTo("project");
        assertThat(seen.text("source_project_id")).isEqualTo(PROJECT.toString());
        assertThat(seen.text("allocation_ref")).isEqualTo("rack-7");
        assertThat(seen.text("observed_state")).isEqualTo("ready");

        for (var project : List.of(PROJECT, SIBLING_PROJECT)) {
            var accepted = calls.submit(project, runtime, "work.submit").send().expect(202);
            assertThat(accepted.text("project_id")).isEqualTo(project.toString());
            assertThat(calls.ended(runtime, accepted).text("status")).isEqualTo("succeeded");
        }
        assertThat(calls.command("operate", runtime)
                        .payload()
                        .at("/submitted_by/principal_type")
                        .asText())
                .isEqualTo("user");
        assertThat(calls.command("operate", runtime)
                        .payload()
                        .path("project_id")
                        .isMissingNode())
                .isTrue();

        var blocked = calls.attachment("deleteAttachment", runtime, first).send();
        assertThat(statusAndCode(blocked)).isEqualTo("409 attachment_in_use");
        assertThat(blocked.body().at("/details/blockers/0/code").asText()).isEqualTo("worker");
        calls.attachment("deleteAttachment", runtime, first)
                .query("mode=drain")
                .send()
                .expect(202);
        calls.awaitAttachment(runtime, first, "detached");
        eventually(() -> assertThat(calls.owner("getWorker", runtime)
                        .path("worker_id", worker)
                        .send()
                        .text("observed_state"))
                .isEqualTo("removed"));

        var inUse = calls.owner("deleteSharedRuntime", runtime).send();
        assertThat(statusAndCode(inUse)).isEqualTo("409 shared_runtime_in_use");
        calls.owner("deleteSharedRuntime", runtime).query("mode=drain").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
        assertThat(calls.attachments(runtime))
                .extracting(attachment -> attachment.path("status").asText())
                .containsOnly("detached");
        calls.assertNumberedWithoutGap(runtime);
        assertThat(calls.eventTypes(runtime))
                .contains(
                        "apps.shared_runtime.requested",
                        "apps.shared_runtime.running",
                        "apps.shared_runtime.deleting",
                        "apps.shared_runtime.deleted",
                        "apps.shared_runtime.attachment.requested",
                        "apps.shared_runtime.attachment.attached",
                        "apps.shared_runtime.attachment.detaching",
                        "apps.shared_runtime.attachment.detached",
                        "apps.shared_runtime.worker.changed",
                        "apps.shared_runtime.operation.succeeded");
        for (var action : List.of(
                "apps.shared_runtime.create",
                "apps.shared_runtime.attachment.create",
                "apps.shared_runtime.attachment.delete",
                "apps.shared_runtime.worker.operate",
                "apps.shared_runtime.report",
                "apps.shared_runtime.delete")) {
            calls.assertAudited(action, runtime);
        }
    }

    @Test
    @Proves({"0.16", "0.18", "0.20", "0.28", "0.30", "0.36", "0.37", "C.28"})
    void runtimeAndAttachment_showWhatWasRequested_andWhereItRuns() {
        var body = SharedRuntimeCalls.createBody("fields");
        body.putObject("placement_intent").put("region", "north");
        body.putObject("config").put("log_level", "info");
        var runtime = calls.running(body);

        var shown = calls.owner("getSharedRuntime", runtime).send().expect(200).body();

        assertThat(shown.path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
        assertThat(shown.has("project_id")).isFalse();
        assertThat(shown.path("resource_name").asText())
                .isEqualTo("slipway:local:" + DemoData.ORG + ":-:shared_runtime:" + runtime);
        for (var field : List.of("app_slug", "app_version", "display_name")) {
            assertThat(shown.path(field)).as(field).isEqualTo(body.path(field));
        }
        assertThat(shown.path("operating_mode").asText()).isEqualTo("tenant_dedicated");
        assertThat(shown.path("control_plane_scope").asText()).isEqualTo("tenant");
        assertThat(shown.path("runtime_backend").asText()).isEqualTo("bare_metal");
        assertThat(shown.path("status").asText()).isEqualTo("running");
        assertThat(shown.path("operator_id").asText()).isNotEmpty();
        assertThat(shown.at("/placement_intent/region").asText()).isEqualTo("north");
        assertThat(shown.at("/config/log_level").asText()).isEqualTo("info");
        assertThat(shown.path("updated_at").asText())
                .isGreaterThan(shown.path("created_at").asText());
        assertThat(calls.command("deploy", runtime)
                        .payload()
                        .at("/placement_intent/region")
                        .asText())
                .isEqualTo("north");

        var request = Json.object().put("project_id", PROJECT.toString()).put("billing_policy_ref", "split-by-use");
        request.putObject("contribution_policy").put("allowed", true).put("max_workers", 1);
        request.putObject("submission_policy").put("allowed", true).put("max_concurrent", 3);
        var attachment = calls.owner("createAttachment", runtime)
                .body(request)
                .send()
                .expect(202)
                .body();
        assertThat(attachment.path("id").asText()).isNotEmpty();
        assertThat(attachment.path("shared_runtime_id").asText()).isEqualTo(runtime);
        assertThat(attachment.path("org_id").asText()).isEqualTo(DemoData.ORG.toString());
        assertThat(attachment.path("status").asText()).isEqualTo("attached");
        for (var field : List.of("project_id", "billing_policy_ref")) {
            assertThat(attachment.path(field)).as(field).isEqualTo(request.path(field));
        }
        assertThat(attachment.at("/contribution_policy/max_workers").asInt()).isEqualTo(1);
        assertThat(attachment.at("/submission_policy/max_concurrent").asInt()).isEqualTo(3);
        assertThat(attachment.path("updated_at").asText())
                .isGreaterThanOrEqualTo(attachment.path("created_at").asText());

        var accepted = calls.project("operateContributedWorker", PROJECT, runtime)
                .body(calls.add("worker").put("region", "south"))
                .send()
                .expect(202);
        assertThat(calls.ended(runtime, accepted).text("status")).isEqualTo("succeeded");
        assertThat(calls.owner("getWorker", runtime)
                        .path("worker_id", accepted.text("member_id"))
                        .send()
                        .expect(200)
                        .text("region"))
                .isEqualTo("south");
        assertThat(calls.owner("getSharedRuntime", runtime)
                        .send()
                        .body()
                        .at("/placement_intent/region")
                        .asText())
                .isEqualTo("north");
    }

    @Test
    @Proves("0.22")
    void consumerView_showsOnlyTheOwnProject() {
        var runtime = calls.runningWith("views", PROJECT, SIBLING_PROJECT);
        var own = calls.contribute(PROJECT, runtime);
        var theirs = calls.contribute(SIBLING_PROJECT, runtime);

        var view = calls.project("getAttachedRuntime", "project_viewer", PROJECT, runtime)
                .send()
                .expect(200)
                .body();

        assertThat(view.path("workers").findValuesAsText("id")).containsExactly(own);
        assertThat(view.toString()).doesNotContain(SIBLING_PROJECT.toString()).doesNotContain(theirs);
        assertThat(view.at("/endpoints/0/name").asText()).isEqualTo("http");
        assertThat(policy(view, "contribution_policy.max_workers")).isEqualTo("2 shared_runtime");
        assertThat(policy(view, "submission_policy.operations")).isEqualTo("[\"work.submit\"] manifest");
        assertThat(policy(view, "allowed_control_plane_scopes")).isEqualTo("[\"project\",\"tenant\"] global");
        assertThat(policy(view, "allowed_regions")).isEqualTo("null registry");
        assertThat(calls.items(platform.as("project_viewer")
                        .call("listAttachedRuntimes")
                        .path("project_id", PROJECT)))
                .extracting(item -> item.path("id").asText())
                .contains(runtime);
        calls.owner("deleteSharedRuntime", runtime).query("mode=force").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
    }

    private static String policy(JsonNode view, String key) {
        for (var value : view.path("policies")) {
            if (value.path("key").asText().equals(key)) {
                return value.path("value") + " " + value.path("set_by").asText();
            }
        }
        return "";
    }

    @Test
    @Proves({"0.33", "0.39"})
    void updateAttachment_returnsWhatExceedsThePolicy_andLimitsNewRequests() {
        var runtime = calls.runningWith("policies", PROJECT);
        var worker = calls.contribute(PROJECT, runtime);
        adapter.hold();
        var work = calls.submit(PROJECT, runtime, "work.submit").send().expect(202);
        var attachment = calls.attachmentOf(runtime, PROJECT);
        var change = Json.object();
        change.putObject("contribution_policy").put("allowed", false);
        change.putObject("submission_policy").put("allowed", true).put("max_concurrent", 0);
        change.putObject("app_policy").put("share", 3);
        var update = calls.attachment(
                "updateAttachment", runtime, attachment.path("id").asText());
        assertThat(statusAndCode(update.body(change).send())).isEqualTo("428 precondition_required");

        var updated = update.body(change)
                .header("If-Match", "\"" + attachment.path("revision").asInt() + "\"")
                .send()
                .expect(200)
                .body();

        assertThat(updated.at("/exceeding/worker_ids/0").asText()).isEqualTo(worker);
        assertThat(updated.at("/exceeding/operation_ids/0").asText()).isEqualTo(work.text("id"));
        assertThat(updated.at("/app_policy/share").asInt()).isEqualTo(3);
        assertThat(statusAndCode(calls.submit(PROJECT, runtime, "work.submit").send()))
                .isEqualTo("409 submission_limit_reached");
        assertThat(statusAndCode(calls.project("operateContributedWorker", PROJECT, runtime)
                        .body(calls.add("worker"))
                        .send()))
                .isEqualTo("403 contribution_not_allowed");
        assertThat(statusAndCode(calls.submit(PROJECT, runtime, "work.purge").send()))
                .isEqualTo("403 submission_not_allowed");
        calls.project("getAttachedRuntime", "project_viewer", PROJECT, runtime)
                .send()
                .expect(200);
        assertThat(statusAndCode(calls.project("operateContributedWorker", "project_viewer", PROJECT, runtime)
                        .body(calls.add("worker"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        assertThat(statusAndCode(calls.project("submitOperation", "project_viewer", PROJECT, runtime)
                        .body(Json.object().put("operation", "work.submit"))
                        .send()))
                .isEqualTo("403 insufficient_permissions");
        var invalid = Json.object();
        invalid.putObject("app_policy").put("share", 0);
        assertThat(statusAndCode(update.body(invalid)
                        .header("If-Match", "\"" + updated.path("revision").asInt() + "\"")
                        .send()))
                .isEqualTo("400 validation_error");
        adapter.release();
        assertThat(calls.ended(runtime, work).text("status")).isEqualTo("succeeded");
        calls.owner("deleteSharedRuntime", runtime).query("mode=force").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
    }

    @Test
    void upgradeAndRollback_keepTheWorkers() {
        var runtime = calls.runningWith("upgraded", PROJECT);
        var worker = calls.contribute(PROJECT, runtime);
        var upgrade = calls.owner("upgradeSharedRuntime", runtime)
                .body(Json.object().put("version", SharedRuntimeCalls.NEXT_VERSION))
                .send()
                .expect(202);
        assertThat(calls.ended(runtime, upgrade).text("status")).isEqualTo("succeeded");
        assertThat(calls.command("upgrade", runtime).payload().path("members").findValuesAsText("member_id"))
                .contains(worker);
        var rollback = calls.owner("rollbackSharedRuntime", runtime)
                .body(Json.object())
                .send()
                .expect(202);
        assertThat(calls.ended(runtime, rollback).text("status")).isEqualTo("succeeded");
        assertThat(calls.owner("getSharedRuntime", runtime).send().text("app_version"))
                .isEqualTo(SharedRuntimeCalls.VERSION);
        calls.owner("deleteSharedRuntime", runtime).query("mode=force").send().expect(202);
        calls.awaitStatus(runtime, "deleted");
    }
}
