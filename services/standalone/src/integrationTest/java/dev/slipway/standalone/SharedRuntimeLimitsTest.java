package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import static dev.slipway.standalone.DemoData.PROJECT;
import static dev.slipway.standalone.DemoData.SIBLING_PROJECT;
import static dev.slipway.standalone.InstanceFixture.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

/** Limits under concurrent requests, automatic detachment, and instances that use a shared runtime. */
class SharedRuntimeLimitsTest extends SharedRuntimeTestBase {
    private static final int PARALLEL = 50;

    @Test
    void attach_producesOneAttachment_forManyParallelRequests() throws Exception {
        var runtime = calls.runningWith("parallel-attach");

        var responses = sendAll(() ->
                calls.owner("createAttachment", runtime).body(Json.object().put("project_id", PROJECT.toString())));

        assertThat(responses.stream().filter(response -> response.status() == 202))
                .hasSize(1);
        assertThat(responses.stream().filter(response -> response.status() != 202))
                .allSatisfy(response -> assertThat(statusAndCode(response)).isEqualTo("409 attachment_exists"));
        assertThat(calls.attachments(runtime)).hasSize(1);
        calls.assertNumberedWithoutGap(runtime);
    }

    @Test
    @Proves("0.41")
    void contribute_producesOneWorker_forManyParallelRequestsAtLimitMinusOne() throws Exception {
        var runtime = calls.runningWith("parallel-workers", PROJECT);
        calls.contribute(PROJECT, runtime);

        var responses = sendAll(() ->
                calls.project("operateContributedWorker", PROJECT, runtime).body(calls.add("worker")));

        assertThat(responses.stream().filter(response -> response.status() == 202))
                .hasSize(1);
        assertThat(responses.stream().filter(response -> response.status() != 202))
                .allSatisfy(
                        response -> assertThat(statusAndCode(response)).isEqualTo("409 contribution_limit_reached"));
        eventually(() -> assertThat(calls.items(calls.owner("listWorkers", runtime)).stream()
                        .filter(worker -> worker.path("source").asText().equals("project"))
                        .map(worker -> worker.path("observed_state").asText()))
                .containsExactly("ready", "ready"));
        calls.assertNumberedWithoutGap(runtime);
    }

    @Test
    void creationAttachmentAndWorkers_areRefused_whenABalanceOrABudgetDoes() {
        var spending = new SpendingCalls(platform);
        var demo = new TenantCalls.Tenant(DemoData.ORG.toString(), "tenant_owner");
        var project = new PolicyTenant(new PolicyCalls(platform), demo, SIBLING_PROJECT.toString(), "");
        var runtime = calls.runningWith("limited", SIBLING_PROJECT);
        var attach = Json.object().put("project_id", SIBLING_PROJECT.toString());
        var other = calls.runningWith("limited-too");
        try {
            spending.setBudget(project, "0", "refuse_launches", 1);

            assertThat(statusAndCode(
                            calls.owner("createAttachment", other).body(attach).send()))
                    .isEqualTo("409 budget_exceeded");
            var plan = calls.owner("planAttachment", other).body(attach).send().expect(200);
            assertThat(plan.body().at("/decision/code").asText()).isEqualTo("budget_exceeded");
            assertThat(plan.body().at("/cost_estimate/budget/remaining").asText())
                    .isEqualTo("0");
            assertThat(statusAndCode(calls.project("operateContributedWorker", SIBLING_PROJECT, runtime)
                            .body(calls.add("worker"))
                            .send()))
                    .isEqualTo("409 budget_exceeded");

            spending.deplete(demo, "refuse_launches", 0);

            var body = SharedRuntimeCalls.createBody("limited-three");
            assertThat(statusAndCode(calls.create(body).send())).isEqualTo("409 balance_depleted");
            assertThat(calls.create(body)
                            .query("dry_run=true")
                            .send()
                            .expect(200)
                            .body()
                            .at("/decision/code")
                            .asText())
                    .isEqualTo("balance_depleted");
            assertThat(statusAndCode(calls.owner("operateWorker", runtime)
                            .body(calls.add("worker"))
                            .send()))
                    .isEqualTo("409 balance_depleted");
        } finally {
            spending.topUp(demo, "10.00");
            spending.setBudget(project, "1000", "warn", 1);
        }
    }

    @Test
    void budget_detachesItsProject_afterTheGracePeriod_andTheRuntimeContinues() {
        var spending = new SpendingCalls(platform);
        var tenant = spending.createTenant("stop-attachment");
        var sibling = spending.createSibling(tenant, "sibling");
        var runtime = sharedBy(tenant, sibling);
        tenant.call("operateContributedWorker")
                .path("shared_runtime_id", runtime)
                .body(calls.add("worker"))
                .send()
                .expect(202);
        eventually(() -> assertThat(projectWorkers(tenant, runtime)).containsExactly("ready"));

        spending.setBudget(tenant, "0", "stop_instances", 1);

        eventually(() -> assertThat(attachmentStatuses(tenant, runtime))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(tenant.projectId(), "detached", sibling.projectId(), "attached")));
        eventually(() -> assertThat(projectWorkers(tenant, runtime)).containsExactly("removed"));
        assertThat(runtimeStatus(tenant, runtime)).isEqualTo("running");
        eventually(() -> assertThat(
                        new TenantCalls(platform).audits("apps.shared_runtime.attachment.force_detach", runtime))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.at("/actor/actor_type").asText()).isEqualTo("system");
                    assertThat(audit.path("reason").asText()).isEqualTo("budget_exceeded");
                }));
    }

    @Test
    void balance_stopsSharedRuntimesWithTheirAttachments_afterTheGracePeriod_andNotBefore() {
        var spending = new SpendingCalls(platform);
        var tenant = spending.createTenant("stop-runtime");
        var other = spending.createTenant("stop-runtime-other");
        var runtime = sharedBy(tenant);
        var kept = sharedBy(other);
        spending.deplete(tenant.tenant(), "stop_instances", 3600);
        assertThat(runtimeStatus(tenant, runtime)).isEqualTo("running");

        spending.deplete(tenant.tenant(), "stop_instances", 0);

        eventually(() -> assertThat(runtimeStatus(tenant, runtime)).isEqualTo("deleted"));
        assertThat(attachmentStatuses(tenant, runtime)).containsExactly(Map.entry(tenant.projectId(), "detached"));
        assertThat(calls.items(tenant.call("listSharedRuntimeOperations").path("shared_runtime_id", runtime)).stream()
                        .filter(operation -> operation.path("kind").asText().equals("delete")))
                .singleElement()
                .satisfies(operation -> assertThat(operation.path("input"))
                        .isEqualTo(Json.object().put("reason", "balance_depleted")));
        eventually(() -> assertThat(new TenantCalls(platform).audits("apps.shared_runtime.force_delete", runtime))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.at("/actor/actor_type").asText()).isEqualTo("system");
                    assertThat(audit.path("reason").asText()).isEqualTo("balance_depleted");
                }));
        assertThat(runtimeStatus(other, kept)).isEqualTo("running");
    }

    /** Creates a running runtime that projects of one tenant share; each may contribute workers. */
    private static String sharedBy(PolicyTenant... tenants) {
        var body = SharedRuntimeCalls.createBody("stop");
        body.putObject("contribution_policy").put("allowed", true).put("max_workers", 2);
        for (var tenant : tenants) {
            body.withArray("attached_project_ids").add(tenant.projectId());
        }
        var runtime = tenants[0]
                .call("createSharedRuntime")
                .body(body)
                .send()
                .expect(202)
                .text("id");
        eventually(() -> assertThat(runtimeStatus(tenants[0], runtime)).isEqualTo("running"));
        return runtime;
    }

    private static String runtimeStatus(PolicyTenant tenant, String runtime) {
        return tenant.call("getSharedRuntime")
                .path("shared_runtime_id", runtime)
                .send()
                .expect(200)
                .text("status");
    }

    private static Map<String, String> attachmentStatuses(PolicyTenant tenant, String runtime) {
        return calls.items(tenant.call("listAttachments").path("shared_runtime_id", runtime)).stream()
                .collect(toMap(each -> each.path("project_id").asText(), each -> each.path("status")
                        .asText()));
    }

    private static List<String> projectWorkers(PolicyTenant tenant, String runtime) {
        return calls.items(tenant.call("listWorkers").path("shared_runtime_id", runtime)).stream()
                .filter(worker -> worker.path("source").asText().equals("project"))
                .map(worker -> worker.path("observed_state").asText())
                .toList();
    }

    private static List<ApiResponse> sendAll(Supplier<Call> request) throws InterruptedException, ExecutionException {
        var pool = Executors.newFixedThreadPool(PARALLEL);
        try {
            var tasks = new ArrayList<Callable<ApiResponse>>();
            for (var i = 0; i < PARALLEL; i++) {
                tasks.add(() -> request.get().send());
            }
            var responses = new ArrayList<ApiResponse>();
            for (var future : pool.invokeAll(tasks)) {
                responses.add(future.get());
            }
            return responses;
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void deletedProject_isDetached_withAnAuditEntry() {
        var project = entitledProject("short-lived");
        var runtime = calls.runningWith("deleted-project");
        var attachment = attach(runtime, project).send().expect(202).text("id");

        platform.as("tenant_owner")
                .call("deleteProject")
                .path("project_id", project)
                .send()
                .expect(200);

        calls.awaitAttachment(runtime, attachment, "detached");
        calls.assertAudited("apps.shared_runtime.attachment.force_detach", runtime);
    }

    @Test
    void suspendedProject_isDetached_andAttachedAgainOnceItIsResumed() {
        var project = entitledProject("paused");
        var runtime = calls.runningWith("suspended-project");
        var attachment = attach(runtime, project).send().expect(202).text("id");

        setState("suspendProject", project).expect(200);

        calls.awaitAttachment(runtime, attachment, "detached");
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.type().equals("audit.recorded")
                                && observed.payload().path("target_id").asText().equals(runtime)
                                && observed.payload().path("reason").asText().equals("project_suspended")))
                .isNotEmpty());
        assertThat(statusAndCode(attach(runtime, project).send())).isEqualTo("409 project_suspended");
        setState("resumeProject", project).expect(200);
        platform.awaitReplication();
        attach(runtime, project).send().expect(202);
    }

    @Test
    void rejectedReport_isListedForTheOwner_only() {
        var runtime = calls.runningWith("rejected-reports", PROJECT);
        var other = calls.runningWith("no-rejected-reports");
        adapter.reportUsage(
                calls.command("deploy", runtime).event(),
                "0.00001",
                Json.object().put("project_id", SIBLING_PROJECT.toString()));

        eventually(() -> assertThat(calls.items(calls.owner("listSharedRuntimeRejectedReports", runtime)))
                .singleElement()
                .satisfies(rejected -> {
                    assertThat(rejected.path("code").asText()).isEqualTo("validation_error");
                    assertThat(rejected.path("shared_runtime_id").asText()).isEqualTo(runtime);
                    assertThat(rejected.path("adapter_id").asText()).isEqualTo(DemoData.ADAPTER.toString());
                }));
        assertThat(calls.items(calls.owner("listSharedRuntimeRejectedReports", other)))
                .isEmpty();
        assertThat(statusAndCode(platform.as("other_tenant_owner")
                        .call("listSharedRuntimeRejectedReports")
                        .path("org_id", DemoData.OTHER_ORG)
                        .path("shared_runtime_id", runtime)
                        .send()))
                .isEqualTo("404 shared_runtime_not_found");
    }

    private static ApiResponse setState(String operationId, String project) {
        return platform.as("tenant_owner")
                .call(operationId)
                .path("project_id", project)
                .send();
    }

    private static Call attach(String runtime, String project) {
        return calls.owner("createAttachment", runtime).body(Json.object().put("project_id", project));
    }

    private static String entitledProject(String slug) {
        var project = platform.as("tenant_owner")
                .call("createProject")
                .path("org_id", DemoData.ORG)
                .body(Json.object().put("slug", slug).put("display_name", slug))
                .send()
                .expect(201)
                .text("id");
        platform.awaitReplication();
        platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", project)
                .path("app_slug", DemoData.APP)
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200);
        platform.awaitReplication();
        return project;
    }

    @Test
    @Proves({"0.09", "0.50", "1.31", "1.32", "2.11", "2.52"})
    void instanceWithTenantScope_requiresAnAttachment() {
        var runtime = calls.runningWith("instances", PROJECT);
        var body = PlatformUnderTest.launchBody("shared").put("control_plane_scope", "tenant");

        assertThat(statusAndCode(platform.launch("project_owner", "").body(body).send()))
                .isEqualTo("400 validation_error");
        var referring = body.deepCopy().put("shared_runtime_id", runtime);
        assertThat(statusAndCode(platform.launchIn(SIBLING_PROJECT, "tenant_owner", "")
                        .body(referring)
                        .send()))
                .isEqualTo("409 attachment_required");
        assertThat(statusAndCode(platform.launch("project_owner", "")
                        .body(PlatformUnderTest.launchBody("own").put("shared_runtime_id", runtime))
                        .send()))
                .isEqualTo("400 validation_error");

        var instance =
                platform.launch("project_owner", "").body(referring).send().expect(202);

        assertThat(instance.text("shared_runtime_id")).isEqualTo(runtime);
        assertThat(instance.text("project_id")).isEqualTo(PROJECT.toString());
        assertThat(calls.items(
                        platform.as("tenant_owner").call("listSharedRuntimes").path("org_id", DemoData.ORG)))
                .noneMatch(each -> each.path("id").asText().equals(instance.text("id")));
        assertThat(statusAndCode(
                        calls.owner("getSharedRuntime", instance.text("id")).send()))
                .isEqualTo("404 shared_runtime_not_found");
        assertThat(statusAndCode(platform.as("tenant_owner")
                        .call("getAppInstance")
                        .path("project_id", SIBLING_PROJECT)
                        .path("app_instance_id", instance.text("id"))
                        .send()))
                .isEqualTo("404 app_instance_not_found");
        var attachment = calls.attachmentOf(runtime, PROJECT).path("id").asText();
        var blocked = calls.attachment("deleteAttachment", runtime, attachment).send();
        assertThat(statusAndCode(blocked)).isEqualTo("409 attachment_in_use");
        assertThat(blocked.body().at("/details/blockers/0/code").asText()).isEqualTo("app_instance");
    }
}
