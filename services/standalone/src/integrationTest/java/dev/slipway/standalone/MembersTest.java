package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.PolicyCalls.PolicyTenant;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests members and member operations, with an adapter on the real broker. */
class MembersTest extends MemberTestBase {
    @Test
    @Proves({"1.58", "1.59", "2.45"})
    void members_areCreatedAtLaunch_andRemovedWithTheInstance() {
        var id = calls.running("crew");

        var all = calls.members(id);

        assertThat(all.stream().map(member -> member.path("component").asText()))
                .containsExactlyInAnyOrder("server", "worker", "worker");
        eventually(() -> assertThat(calls.members(id)).allSatisfy(member -> {
            assertThat(member.path("observed_state").asText()).isEqualTo("ready");
            assertThat(member.path("desired_state").asText()).isEqualTo("ready");
            assertThat(member.path("generation").asInt()).isEqualTo(1);
            assertThat(member.path("component_key").asText())
                    .isEqualTo("simulated-" + member.path("id").asText());
            assertThat(member.at("/adapter_detail/simulated").asBoolean()).isTrue();
        }));
        var one = all.get(0);
        assertThat(calls.member("getInstanceMember", id, one.path("id").asText())
                        .expect(200)
                        .text("component"))
                .isEqualTo(one.path("component").asText());
        assertThat(statusAndCode(
                        calls.member("getInstanceMember", id, UUID.randomUUID().toString())))
                .isEqualTo("404 member_not_found");
        assertThat(statusAndCode(platform.as("tenant_owner")
                        .call("listInstanceMembers")
                        .path("project_id", DemoData.SIBLING_PROJECT)
                        .path("app_instance_id", id)
                        .send()))
                .isEqualTo("404 app_instance_not_found");

        platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);
        eventually(() -> assertThat(calls.members(id))
                .allSatisfy(member ->
                        assertThat(member.path("observed_state").asText()).isEqualTo("removed")));
    }

    @Test
    @Proves({"1.60", "1.65", "C.11"})
    void operate_addsDrainsReplacesAndRemoves_withinTheLimits() {
        var id = calls.running("elastic");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));

        var added = calls.operated(id, Json.object().put("operation", "add").put("component", "worker"));
        assertThat(added.path("kind").asText()).isEqualTo("member");
        assertThat(calls.ready(id, "worker")).hasSize(3);
        assertThat(statusAndCode(
                        calls.operate(id, Json.object().put("operation", "add").put("component", "worker"))))
                .isEqualTo("409 component_bounds");
        assertThat(statusAndCode(
                        calls.operate(id, Json.object().put("operation", "add").put("component", "ghost"))))
                .isEqualTo("400 validation_error");

        var drained = calls.ready(id, "worker").get(0);
        calls.operated(id, calls.on("drain", drained));
        assertThat(calls.state(id, drained)).isEqualTo("draining/drained/2");
        calls.operated(id, calls.on("remove", drained));
        assertThat(calls.state(id, drained)).isEqualTo("removed/removed/3");
        assertThat(statusAndCode(calls.operate(id, calls.on("remove", drained))))
                .isEqualTo("409 member_operation_not_allowed");

        var server = calls.ready(id, "server").get(0);
        assertThat(statusAndCode(calls.operate(id, calls.on("remove", server)))).isEqualTo("409 component_bounds");
        calls.operated(id, calls.on("replace", server));
        assertThat(calls.state(id, server)).isEqualTo("removed/removed/2");
        assertThat(calls.ready(id, "server")).hasSize(1).doesNotContain(server);
        assertThat(adapter.instanceFiles().requests(UUID.fromString(id))).contains("member replace " + server);
    }

    @Test
    void operate_addsNothing_whileABudgetOrABalanceRefusesLaunches() {
        var spending = new SpendingCalls(platform);
        var demo = new TenantCalls.Tenant(DemoData.ORG.toString(), "tenant_owner");
        var project = new PolicyTenant(new PolicyCalls(platform), demo, DemoData.PROJECT.toString(), "");
        var id = calls.running("limited");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var add = Json.object().put("operation", "add").put("component", "worker");
        try {
            spending.setBudget(project, "0", "refuse_launches", 1);

            assertThat(statusAndCode(calls.operate(id, add))).isEqualTo("409 budget_exceeded");
            calls.operated(id, calls.on("replace", calls.ready(id, "worker").get(0)));
            assertThat(calls.ready(id, "worker")).hasSize(2);

            spending.deplete(demo, "refuse_launches", 0);

            assertThat(statusAndCode(calls.operate(id, add))).isEqualTo("409 balance_depleted");
        } finally {
            spending.topUp(demo, "10.00");
            spending.setBudget(project, "1000", "warn", 1);
        }
        calls.operated(id, add);
    }

    @Test
    void operate_cordonsAndLabels_whenTheComponentAllowsIt() {
        var id = calls.running("marked");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var worker = calls.ready(id, "worker").get(0);
        var server = calls.ready(id, "server").get(0);

        calls.operated(id, calls.on("cordon", worker));
        assertThat(calls.one(id, worker).path("cordoned").asBoolean()).isTrue();
        calls.operated(id, calls.on("uncordon", worker));
        assertThat(calls.one(id, worker).path("cordoned").asBoolean()).isFalse();
        var label = calls.on("label", worker);
        label.putObject("labels").put("zone", "a");
        calls.operated(id, label);
        assertThat(calls.one(id, worker).at("/labels/zone").asText()).isEqualTo("a");
        calls.operated(id, calls.on("cordon", worker));
        calls.operated(id, calls.on("drain", worker));
        assertLabeledAndCordoned(sentMember(id, "drain"));
        assertLabeledAndCordoned(desiredMember(id, worker));

        assertThat(statusAndCode(calls.operate(id, calls.on("cordon", server))))
                .isEqualTo("409 member_operation_not_allowed");
        assertThat(statusAndCode(calls.operate(id, calls.on("label", worker)))).isEqualTo("400 validation_error");
        assertThat(statusAndCode(calls.operate(id, calls.on("drain", worker).put("component", "worker"))))
                .isEqualTo("400 validation_error");
        assertThat(statusAndCode(calls.operate(id, Json.object().put("operation", "drain"))))
                .isEqualTo("400 validation_error");
    }

    @Test
    void launch_setsTheNumberOfMembers_withinTheLimits() {
        assertThat(statusAndCode(calls.launch(calls.counts("worker", 4)))).isEqualTo("409 component_bounds");
        assertThat(statusAndCode(calls.launch(calls.counts("worker", 0)))).isEqualTo("409 component_bounds");
        var unknown = calls.launch(calls.counts("ghost", 1)).expect(400);
        assertThat(unknown.body().at("/details/fields/0/field").asText()).isEqualTo("/components/ghost");

        var id = calls.launch(calls.counts("worker", 3)).expect(202).text("id");

        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(3));
        assertThat(calls.ready(id, "server")).hasSize(1);
    }

    @Test
    @Proves({"2.43", "2.44"})
    void operate_requiresAnAdministrator_andOffersNoHostSelection() {
        var id = calls.running("governed");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var worker = calls.ready(id, "worker").get(0);
        for (var user : List.of("project_viewer", "project_member")) {
            assertThat(statusAndCode(
                            calls.call(user, id, calls.on("drain", worker)).send()))
                    .isEqualTo("403 insufficient_permissions");
        }
        for (var user : List.of("project_admin", "project_owner", "tenant_admin", "tenant_owner")) {
            assertThat(calls.ended(calls.call(user, id, calls.on("drain", worker))
                                    .send()
                                    .expect(202))
                            .text("status"))
                    .isEqualTo("succeeded");
        }
        var chosen =
                Json.object().put("operation", "add").put("component", "worker").put("host", "node-7");
        assertThat(statusAndCode(calls.operate(id, chosen))).isEqualTo("400 validation_error");
        var placed = PlatformUnderTest.launchBody("placed");
        placed.putObject("placement_intent").put("host", "node-7");
        assertThat(statusAndCode(platform.as("project_owner")
                        .call("createAppInstance")
                        .path("project_id", DemoData.PROJECT)
                        .body(placed)
                        .send()))
                .isEqualTo("400 validation_error");
        assertThat(calls.one(id, worker).path("component_key").asText()).isEqualTo("simulated-" + worker);
        assertThat(calls.one(id, worker).at("/adapter_detail/simulated").asBoolean())
                .isTrue();
    }

    @Test
    void cancel_keepsTheMember_orFailsTheNewOne() {
        var id = calls.running("fickle");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var worker = calls.ready(id, "worker").get(0);
        adapter.hold();
        var drain = calls.canceled(id, calls.operate(id, calls.on("drain", worker)));
        assertThat(drain.text("status")).isEqualTo("canceled");
        assertThat(calls.state(id, worker)).isEqualTo("ready/ready/2");

        var add = calls.canceled(
                id, calls.operate(id, Json.object().put("operation", "add").put("component", "worker")));
        assertThat(calls.state(id, add.text("member_id"))).isEqualTo("failed/ready/1");
        adapter.release();
        calls.operated(id, calls.on("remove", add.text("member_id")));
    }

    @Test
    void failedMember_hasAReason_andCanBeRemovedOrReplaced() {
        var id = calls.running("frail");
        eventually(() -> assertThat(calls.ready(id, "server")).hasSize(1));
        var server = calls.ready(id, "server").get(0);

        adapter.reportMember(UUID.fromString(id), UUID.fromString(server), 1, "failed", "the host burnt down");
        eventually(() -> assertThat(calls.state(id, server)).isEqualTo("failed/ready/1"));
        assertThat(calls.one(id, server).path("reason").asText()).isEqualTo("the host burnt down");
        calls.operated(id, calls.on("remove", server));
        assertThat(calls.state(id, server)).isEqualTo("removed/removed/2");

        adapter.fail(true);
        var failed = calls.ended(
                calls.operate(id, Json.object().put("operation", "add").put("component", "server"))
                        .expect(202));
        assertThat(failed.text("status")).isEqualTo("failed");
        assertThat(failed.text("reason")).isEqualTo("failure requested");
        assertThat(calls.state(id, failed.text("member_id"))).isEqualTo("failed/ready/1");
        adapter.fail(false);
        calls.operated(id, calls.on("replace", failed.text("member_id")));
        assertThat(calls.ready(id, "server")).hasSize(1);
    }

    @Test
    void report_isRejectedOrIgnored_whenUnknownImpossibleOrLate() {
        var id = calls.running("strict");
        eventually(() -> assertThat(calls.ready(id, "worker")).hasSize(2));
        var worker = calls.ready(id, "worker").get(0);
        var instance = UUID.fromString(id);

        adapter.reportMember(instance, UUID.randomUUID(), 1, "ready", "who?");
        eventually(() -> assertThat(calls.rejections(id, "member_not_found")).hasSize(1));
        adapter.reportMember(instance, UUID.fromString(worker), 1, "removed", "nobody asked");
        eventually(() -> assertThat(calls.rejections(id, "state_conflict")).hasSize(1));
        adapter.reportMember(instance, UUID.fromString(worker), 9, "failed", "from the future");
        eventually(() -> assertThat(calls.rejections(id, "validation_error")).hasSize(1));
        calls.operated(id, calls.on("drain", worker));
        adapter.reportMember(instance, UUID.fromString(worker), 1, "failed", "late");
        adapter.reportMember(instance, UUID.fromString(worker), 2, "failed", "in time");

        eventually(
                () -> assertThat(calls.one(id, worker).path("reason").asText()).isEqualTo("in time"));
        assertThat(calls.timeline(id).stream()
                        .filter(entry -> entry.path("event_type").asText().equals("apps.instance_member.changed")
                                && entry.at("/payload/member_id").asText().equals(worker))
                        .map(entry -> entry.at("/payload/observed_state").asText()))
                .containsExactly("joining", "ready", "ready", "draining", "failed");
    }

    /** Returns the member in the command of an operation. */
    private static JsonNode sentMember(String instance, String operation) {
        return eventuallyGet(() -> platform.events()
                .find(observedRecord -> observedRecord.type().equals("runtime.command.member")
                        && observedRecord.key().equals(instance)
                        && observedRecord.payload().path("operation").asText().equals(operation))
                .get(0)
                .payload()
                .path("member"));
    }

    private static JsonNode desiredMember(String instance, String member) {
        var items = platform.asAdapter()
                .call("listDesiredState")
                .query("limit=500")
                .send()
                .expect(200)
                .body()
                .path("items");
        for (var item : items) {
            for (var each : item.path("members")) {
                if (item.path("app_instance_id").asText().equals(instance)
                        && each.path("member_id").asText().equals(member)) {
                    return each;
                }
            }
        }
        throw new AssertionError("the desired state has no member " + member);
    }

    private static void assertLabeledAndCordoned(JsonNode member) {
        assertThat(member.at("/labels/zone").asText()).isEqualTo("a");
        assertThat(member.path("cordoned").asBoolean()).isTrue();
    }
}
