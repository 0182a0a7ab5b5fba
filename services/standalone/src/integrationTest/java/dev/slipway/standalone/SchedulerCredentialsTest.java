package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.standalone.SchedulerFixture.instanceCall;
import static dev.slipway.standalone.SchedulerFixture.run;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests service accounts and task tokens of a third-party scheduler. */
class SchedulerCredentialsTest extends SchedulerTestBase {
    @Test
    @Proves("2.61")
    void serviceAccount_managesOnlyItsProject_withoutDeletion() {
        var actions = new ArrayList<>(List.of(
                "apps.instance.read",
                "apps.instance.create",
                "apps.instance.update",
                "apps.instance.member.read",
                "apps.instance.member.operate"));
        SchedulerFixture.OPERATIONS.values().stream()
                .distinct()
                .filter(action -> !action.equals("scheduler.catalog.read") && !action.endsWith(".delete"))
                .forEach(actions::add);
        var account = schedulerFixture.account(actions.toArray(String[]::new));
        var deleter = platform.as("tenant_owner")
                .call("createServiceAccount")
                .path("project_id", DemoData.PROJECT)
                .body(CredentialCalls.account("apps.instance.delete"))
                .send();
        assertThat(statusAndCode(deleter)).isEqualTo("403 grant_exceeds_own");

        var id = schedulerFixture
                .launch(account, DemoData.PROJECT, SchedulerFixture.APP, VERSION)
                .send()
                .expect(202)
                .text("id");
        schedulerFixture.awaitStatus(DemoData.PROJECT, id, "running");
        instanceCall(account, "getAppInstance", DemoData.PROJECT, id).send().expect(200);
        for (var operation : List.of("cluster.show", "cluster.resize", "queue.submit", "queue.cancel", "node.drain")) {
            assertThat(schedulerFixture
                            .awaitEnd(run(account, DemoData.PROJECT, id, operation))
                            .path("requested_by_principal_id")
                            .asText())
                    .isEqualTo(account.call("getMe").send().text("principal_id"));
        }
        schedulerFixture.awaitEnd(instanceCall(account, "operateInstanceMember", DemoData.PROJECT, id)
                .body(Json.object().put("operation", "add").put("component", "worker"))
                .send());
        var upgraded = schedulerFixture.awaitEnd(instanceCall(account, "upgradeAppInstance", DemoData.PROJECT, id)
                .body(Json.object().put("version", NEXT_VERSION))
                .send());
        assertThat(upgraded.path("status").asText()).isEqualTo("succeeded");
        assertThat(statusAndCode(run(account, DemoData.PROJECT, id, "cluster.drop")))
                .isEqualTo(REFUSED);
        assertThat(statusAndCode(instanceCall(account, "deleteAppInstance", DemoData.PROJECT, id)
                        .send()))
                .isEqualTo(REFUSED);

        for (var project : List.of(DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
            var foreign = schedulerFixture.launchRunning(project, SchedulerFixture.APP, VERSION);
            assertThat(statusAndCode(schedulerFixture
                            .launch(account, project, SchedulerFixture.APP, VERSION)
                            .send()))
                    .isEqualTo("404 not_found");
            for (var operation : List.of("getAppInstance", "listInstanceMembers", "deleteAppInstance")) {
                assertThat(statusAndCode(instanceCall(account, operation, project, foreign)
                                .send()))
                        .isEqualTo("404 not_found");
                assertThat(statusAndCode(instanceCall(account, operation, DemoData.PROJECT, foreign)
                                .send()))
                        .as(operation)
                        .isEqualTo(operation.startsWith("delete") ? REFUSED : "404 app_instance_not_found");
            }
            assertThat(statusAndCode(run(account, project, foreign, "queue.submit")))
                    .isEqualTo("404 not_found");
            assertThat(statusAndCode(run(account, DemoData.PROJECT, foreign, "queue.submit")))
                    .isEqualTo("404 app_instance_not_found");
        }
    }

    @Test
    @Proves({"0.05", "C.12"})
    void memberOperation_runsOnce_andTaskTokenIsLimitedToProject() {
        var id = schedulerFixture.launchRunning(DemoData.PROJECT, SchedulerFixture.APP, VERSION);
        var sibling = schedulerFixture.launchRunning(DemoData.SIBLING_PROJECT, SchedulerFixture.APP, VERSION);
        var key = UUID.randomUUID().toString();
        var add = instanceCall(platform.as("project_owner"), "operateInstanceMember", DemoData.PROJECT, id)
                .header("Idempotency-Key", key)
                .body(Json.object().put("operation", "add").put("component", "worker"));
        var first = add.send().expect(202);
        schedulerFixture.awaitEnd(first);
        assertThat(add.send().expect(202).text("id")).isEqualTo(first.text("id"));
        assertThat(add.send().expect(202).text("id")).isEqualTo(first.text("id"));
        assertThat(schedulerAdapter.instanceFiles().requests(UUID.fromString(id)).stream()
                        .filter(line -> line.startsWith("member add")))
                .hasSize(1);
        assertThat(schedulerFixture.members(id)).hasSize(3);

        var projects = Map.of(id, DemoData.PROJECT, sibling, DemoData.SIBLING_PROJECT);
        projects.forEach((instance, project) -> {
            var command = reports.command("deploy", instance);
            assertThat(command.payload().path("project_id").asText()).isEqualTo(project.toString());
            var token = taskToken(SchedulerFixture.APP, command);
            assertThat(DecodedToken.of(token).text("project_id")).isEqualTo(project.toString());
            var account = DecodedToken.of(token).subject();
            platform.as("tenant_owner")
                    .call("getServiceAccount")
                    .path("project_id", project)
                    .path("service_account_id", account)
                    .send()
                    .expect(200);
            var holder = platform.anonymous().as(token);
            for (var scope : List.of(DemoData.PROJECT, DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
                assertThat(statusAndCode(instanceCall(holder, "getAppInstance", scope, instance)
                                .send()))
                        .as("the token is for reports only")
                        .isEqualTo("401 token_invalid");
            }
        });
        var controller = schedulerFixture.members(id).stream()
                .filter(member -> member.path("component").asText().equals("controller"))
                .findFirst()
                .orElseThrow();
        assertThat(statusAndCode(
                        instanceCall(platform.as("tenant_owner"), "getInstanceMember", DemoData.SIBLING_PROJECT, id)
                                .path("member_id", controller.path("id").asText())
                                .send()))
                .isEqualTo("404 app_instance_not_found");
        var elsewhere = Json.object()
                .put("app_slug", SchedulerFixture.APP)
                .put("version", VERSION)
                .put("display_name", "elsewhere");
        elsewhere.putObject("placement_intent").put("project_id", DemoData.SIBLING_PROJECT.toString());
        assertThat(statusAndCode(
                        platform.launch("project_owner", "").body(elsewhere).send()))
                .isEqualTo("400 validation_error");
        // An adapter of another runtime gets nothing for it.
        assertThat(platform.anonymous()
                        .call("exchangeOperatorToken")
                        .body(Json.object()
                                .put("adapter_id", DemoData.ADAPTER.toString())
                                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET)
                                .put("app_instance_id", id)
                                .put("command_id", UUID.randomUUID().toString()))
                        .send()
                        .text("message"))
                .isEqualTo("The app instance " + id + " belongs to another runtime backend than yours.");
    }
}
