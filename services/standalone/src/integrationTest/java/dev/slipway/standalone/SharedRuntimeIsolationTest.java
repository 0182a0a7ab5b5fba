package dev.slipway.standalone;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.DemoData.OTHER_ORG;
import static dev.slipway.standalone.DemoData.OTHER_PROJECT;
import static dev.slipway.standalone.DemoData.PROJECT;
import static dev.slipway.standalone.DemoData.SIBLING_PROJECT;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Checks that nobody sees a shared runtime, or a part of it, that is not theirs. */
class SharedRuntimeIsolationTest extends SharedRuntimeTestBase {
    private static final ContractBodies BODIES = new ContractBodies();

    /** Valid bodies of the operations. */
    private static final class ContractBodies {
        Call withBody(Call call, ApiOperation operation, String worker) {
            if (!operation.hasBody()) {
                return call;
            }
            return call.body(
                    switch (operation.handlerId()) {
                        case "operateWorker", "operateContributedWorker" ->
                            Json.object().put("operation", "remove").put("worker_id", worker);
                        case "submitOperation", "runSharedRuntimeOperation" ->
                            Json.object().put("operation", "work.submit");
                        case "createAttachment", "planAttachment" ->
                            Json.object().put("project_id", PROJECT.toString());
                        case "createCostSplitPolicy" ->
                            Json.object()
                                    .put("method", "equal")
                                    .put("applies_to", "common")
                                    .put("valid_from", "2030-01");
                        case "simulateCostSplitPolicy" ->
                            Json.object()
                                    .put("method", "equal")
                                    .put("applies_to", "common")
                                    .put("period", "2026-03");
                        case "updateAttachment" -> Json.object().put("billing_policy_ref", "x");
                        case "upgradeSharedRuntime" -> Json.object().put("version", SharedRuntimeCalls.NEXT_VERSION);
                        default -> Json.object();
                    });
        }
    }

    /** The account of an attached project and the operator of another runtime can neither report on a runtime nor change it. */
    @Test
    @Proves("1.73")
    void runtime_isReportedAndChanged_byItsOwnOperatorOnly() {
        var runtime = calls.runningWith("operated", PROJECT);
        var another = calls.running(SharedRuntimeCalls.createBody("operated-too"));
        var reports = new RawReports(platform);
        var instance = platform.launch("project_owner", "of the project")
                .send()
                .expect(202)
                .text("id");
        var ofInstance = reports.token(instance, RawReports.id(reports.command("deploy", instance)));
        var ofAnother = adapter.token(calls.command("deploy", another).event());
        var command = calls.command("deploy", runtime);
        for (var token : List.of(ofInstance, ofAnother)) {
            var report = new Envelope(
                    Ids.next(),
                    "runtime.report.failed",
                    Instant.now(),
                    1,
                    "forged-report",
                    Json.object()
                            .put("org_id", DemoData.ORG.toString())
                            .put("shared_runtime_id", runtime)
                            .put("command_id", RawReports.id(command))
                            .put(
                                    "generation",
                                    command.payload().path("generation").asInt())
                            .put(
                                    "operation_id",
                                    command.payload().path("operation_id").asText())
                            .put("reason", "forged"));
            platform.send("runtime.reports", runtime, report, token);
            assertThat(reports.rejection(report.eventId())
                            .payload()
                            .path("code")
                            .asText())
                    .isEqualTo("insufficient_permissions");
        }
        var account = CredentialCalls.createAccount(platform, PROJECT, "apps.instance.report");
        var token =
                CredentialCalls.exchangeToken(platform, CredentialCalls.createCredential(platform, PROJECT, account));
        var upgrade = platform.anonymous()
                .as(token)
                .call("upgradeSharedRuntime")
                .path("org_id", DemoData.ORG)
                .path("shared_runtime_id", runtime)
                .body(Json.object().put("version", SharedRuntimeCalls.NEXT_VERSION))
                .send();
        assertThat(TenantCalls.statusAndCode(upgrade)).isEqualTo("404 not_found");
        var shown = calls.owner("getSharedRuntime", runtime).send().expect(200);
        assertThat(shown.text("status")).isEqualTo("running");
        assertThat(shown.text("app_version")).isEqualTo(SharedRuntimeCalls.VERSION);
    }

    @Test
    void everyOperation_isNotFound_forOthers() {
        var runtime = calls.runningWith("isolated", PROJECT, SIBLING_PROJECT);
        var worker = calls.contribute(PROJECT, runtime);
        var work =
                calls.submit(PROJECT, runtime, "work.submit").send().expect(202).text("id");
        var attachment = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        var unattached = calls.runningWith("unattached");
        var answers = new ArrayList<String>();
        for (var operation : operations()) {
            var ofProject = operation.path().contains("{project_id}");
            for (var variant : List.of("foreign tenant", "foreign tenant, own scope", "unattached")) {
                var own = variant.equals("unattached");
                if (own && !ofProject) {
                    continue; // the owner sees all runtimes of the tenant
                }
                var hidden = own ? unattached : runtime;
                var elsewhere = variant.equals("foreign tenant, own scope") ? OTHER_PROJECT : PROJECT;
                var call = platform.as(own ? "project_owner" : "other_tenant_owner")
                        .call(operation.id())
                        .path("org_id", variant.equals("foreign tenant") ? DemoData.ORG : OTHER_ORG)
                        .path("project_id", elsewhere)
                        .path("shared_runtime_id", hidden)
                        .path("attachment_id", attachment)
                        .path("worker_id", worker)
                        .path("operation_id", work);
                answers.add(operation.id() + " " + variant + ": "
                        + BODIES.withBody(call, operation, worker).send().status());
            }
        }

        assertThat(answers).hasSizeGreaterThan(50).allMatch(answer -> answer.endsWith(": 404"));
    }

    @Test
    @Proves("0.10")
    void attachedProject_doesNotFindWorkersAndOperationsOfAnother() {
        var runtime = calls.runningWith("neighbors", PROJECT, SIBLING_PROJECT);
        var worker = calls.contribute(PROJECT, runtime);
        var work =
                calls.submit(PROJECT, runtime, "work.submit").send().expect(202).text("id");
        var contribution = calls.items(calls.project("listContributedWorkerOperations", PROJECT, runtime))
                .get(0)
                .path("id")
                .asText();
        var answers = new ArrayList<String>();
        for (var operation : operations()) {
            if (operation.path().contains("{project_id}") && operation.path().contains("{operation_id}")) {
                for (var id : List.of(work, contribution)) {
                    answers.add(operation.id() + ": "
                            + neighbor(operation.id(), runtime, id).send().status());
                }
            }
        }
        for (var verb : List.of("drain", "remove", "replace", "cordon", "uncordon")) {
            answers.add(verb + ": "
                    + neighbor("operateContributedWorker", runtime, work)
                            .body(calls.on(verb, worker))
                            .send()
                            .status());
        }

        assertThat(answers).hasSizeGreaterThan(8).allMatch(answer -> answer.endsWith(": 404"));
        assertThat(calls.items(neighbor("listSubmittedOperations", runtime, work)))
                .isEmpty();
        assertThat(calls.items(neighbor("listContributedWorkerOperations", runtime, work)))
                .isEmpty();
        var seen = neighbor("getAttachedRuntime", runtime, work)
                .send()
                .expect(200)
                .body()
                .toString();
        assertThat(seen).doesNotContain(PROJECT.toString()).doesNotContain(worker);
    }

    private Call neighbor(String operationId, String runtime, String operation) {
        return calls.project(operationId, SIBLING_PROJECT, runtime).path("operation_id", operation);
    }

    @Test
    @Proves("0.27")
    void ownership_isOnThePathOfTheOrganization() {
        var owned = Contract.load().operations().stream()
                .filter(operation -> !operation.isAdminVariant())
                .filter(operation -> operation.action().startsWith("apps.shared_runtime.attachment.")
                        || operation.action().matches("apps\\.shared_runtime\\.(create|update|delete)"))
                .toList();

        assertThat(owned).hasSizeGreaterThan(8).allSatisfy(operation -> assertThat(operation.path())
                .startsWith("/api/v1/orgs/{org_id}/shared-app-runtimes"));
    }

    /** Returns the operations on one shared runtime. */
    private static List<ApiOperation> operations() {
        return Contract.load().operations().stream()
                .filter(operation ->
                        !operation.isAdminVariant() && operation.path().contains("{shared_runtime_id}"))
                .toList();
    }

    @Test
    void correlation_showsAProjectOnlyItsOwnEvents() {
        var runtime = calls.runningWith("correlated", PROJECT, SIBLING_PROJECT);
        var work = calls.submit(PROJECT, runtime, "work.submit").send().expect(202);
        var ended = calls.ended(runtime, work);

        eventually(() -> assertThat(correlation("project_owner", ended.text("correlation_id")))
                .contains("apps.shared_runtime.operation.accepted"));
        platform.awaitReplication();
        var created = calls.owner("getSharedRuntimeTimeline", runtime).send().expect(200);
        var creation = created.body().at("/items/0/correlation_id").asText();
        assertThat(correlation("tenant_owner", creation)).contains("apps.shared_runtime.requested");
        assertThat(correlation("project_owner", creation))
                .doesNotContain("apps.shared_runtime.requested")
                .doesNotContain(SIBLING_PROJECT.toString());
    }

    private static String correlation(String user, String id) {
        return eventuallyGet(() -> {
            var response = platform.as(user)
                    .call("getCorrelation")
                    .path("correlation_id", id)
                    .send();
            assertThat(response.status()).isIn(200, 404);
            assertThat(response.status() == 404 || response.body().toString().contains("shared_runtime"))
                    .isTrue();
            return response.body().toString();
        });
    }

    @Test
    @Proves({"0.15", "0.42"})
    void usage_isAttributedToRuntimeAndProject() {
        var runtime = calls.runningWith("metered", PROJECT, SIBLING_PROJECT);
        var command = calls.command("deploy", runtime).event();
        adapter.reportUsage(command, "1.5", Json.object());
        adapter.reportUsage(command, "2", Json.object().put("project_id", PROJECT.toString()));
        adapter.reportUsage(
                command,
                "3",
                Json.object()
                        .put("project_id", SIBLING_PROJECT.toString())
                        .put("source_project_id", PROJECT.toString()));
        adapter.reportUsage(
                command, "4", Json.object().put("project_id", UUID.randomUUID().toString()));

        calls.submit(PROJECT, runtime, "work.submit").send().expect(202);
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.type().equals("audit.recorded")
                                && observed.payload().path("action").asText().equals("scheduler.queue.submit")
                                && observed.payload().path("target_id").asText().equals(runtime)))
                .extracting(observed -> observed.payload().path("project_id").asText())
                .containsExactly(PROJECT.toString()));
        eventually(() -> {
            var totals = calls.owner("getSharedRuntimeUsage", runtime)
                    .send()
                    .expect(200)
                    .body();
            assertThat(totals.path("items").findValuesAsText("quantity")).containsExactlyInAnyOrder("1.5", "2", "3");
        });
        var own = platform.as("project_owner")
                .call("getProjectSharedRuntimeUsage")
                .path("project_id", PROJECT)
                .send()
                .expect(200)
                .body();
        assertThat(own.path("items").findValuesAsText("quantity")).contains("2", "3");
        assertThat(own.toString()).doesNotContain(SIBLING_PROJECT.toString());
    }
}
