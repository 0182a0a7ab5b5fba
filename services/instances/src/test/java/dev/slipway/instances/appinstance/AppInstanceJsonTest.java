package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.appinstance.domain.Placement;
import dev.slipway.instances.appinstance.domain.Upgrade;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** One life, from the request to the end, as others get to see it. */
class AppInstanceJsonTest {
    private static final EventSchemas SCHEMAS = EventSchemas.load();
    private static final Contract CONTRACT = Contract.load();
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");
    private static final String ENDPOINTS = "{\"endpoints\":[{\"name\":\"http\",\"url\":\"http://h:1\"}]}";

    private final List<Accepted> life = life();

    @Test
    void event_isAsItsSchemaSays_forEveryKind() {
        var kinds = new HashSet<Class<?>>();
        life.forEach(step -> step.events().forEach(event -> kinds.add(event.getClass())));
        assertThat(kinds)
                .as("the life must show every kind of event")
                .isEqualTo(Set.of(InstanceEvent.class.getPermittedSubclasses()));
        for (var step : life) {
            for (var event : step.events()) {
                var type = AppInstanceJson.type(event);
                assertThat(problems(type, AppInstanceJson.event(step.next(), event, 1)))
                        .as(type)
                        .isEmpty();
            }
        }
    }

    @Test
    void event_tellsTheStatusAfterIt() {
        assertThat(life)
                .extracting(step -> AppInstanceJson.type(step.events().get(0)) + " "
                        + AppInstanceJson.event(step.next(), step.events().get(0), 1)
                                .path("status")
                                .asText())
                .containsExactly(
                        "apps.instance.requested requested",
                        "apps.instance.deploying deploying",
                        "apps.instance.running running",
                        "apps.instance.upgraded running",
                        "apps.instance.failed failed",
                        "apps.instance.deleting deleting",
                        "apps.instance.deleted deleted",
                        "apps.instance.force_deleted deleted");
    }

    @Test
    void command_isAsItsSchemaSays() {
        var requested = life.get(0).next();
        var deleting = life.get(5).next();

        var deploy = AppInstanceJson.deploy(requested, "{\"app\":\"echo\"}", requested.config());
        var delete = AppInstanceJson.command(deleting);

        assertThat(problems("runtime.command.deploy", deploy)).isEmpty();
        assertThat(problems("runtime.command.delete", delete)).isEmpty();
        assertThat(deploy.path("generation").asInt()).isEqualTo(1);
        assertThat(Json.node(Json.bytes(deploy)).path("config").path("replicas").asInt())
                .isEqualTo(2);
        assertThat(delete.path("generation").asInt()).isEqualTo(3);
    }

    @Test
    void full_isAsTheContractSays_inEveryStatus() {
        for (var step : life) {
            assertAnswer(
                    "getAppInstance",
                    200,
                    AppInstanceJson.full(step.next(), step.next().id()));
            assertAnswer(
                    "createAppInstance",
                    202,
                    AppInstanceJson.full(step.next(), step.next().id()));
        }
    }

    @Test
    void summary_leavesTheConfigOut() {
        var page = Json.object().put("next_cursor", (String) null);
        life.forEach(step -> page.withArray("items").add(AppInstanceJson.summary(step.next())));

        assertAnswer("listAppInstances", 200, page);
        assertThat(page.toString()).doesNotContain("replicas");
    }

    private static void assertAnswer(String operation, int status, ObjectNode body) {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.responseCheck(operation, status).check(Json.node(Json.bytes(body)), problems);
        assertThat(problems).as("%s", body).isEmpty();
    }

    private static List<FieldProblem> problems(String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, NOW, 1, "c-1", payload);
        return SCHEMAS.check(Json.node(event.toBytes()));
    }

    private static List<Accepted> life() {
        var launch = new Launch(
                Ids.next(),
                "echo",
                "1.0.0",
                "Mine",
                "tenant_dedicated",
                "project",
                null,
                "{\"replicas\":2}",
                Ids.next(),
                Ids.next(),
                new Placement("eu", "small", 2));
        var admission = new Admission(
                Ids.next(),
                Ids.next(),
                new Admission.Version(Ids.next(), "bare_metal", "active", false),
                true,
                new Admission.Policy("p1", launch.placement(), false, null),
                Ids.next());
        var steps = new ArrayList<Accepted>();
        steps.add((Accepted) InstanceLifecycle.request(launch, admission, Ids.next(), "slipway:name", NOW));
        add(steps, InstanceLifecycle.reportDeploying(last(steps), 1, "{\"message\":\"pulling\"}", NOW));
        add(steps, InstanceLifecycle.reportRunning(last(steps), 1, ENDPOINTS, NOW));
        var changing = ((Accepted) InstanceLifecycle.beginChange(last(steps))).next();
        var next = new App(changing.app().appId(), Ids.next(), "echo", "2.0.0", "bare_metal");
        var upgrade = new Upgrade(next, "{\"replicas\":3}", Terms.USUAL, null);
        add(steps, InstanceLifecycle.reportUpgraded(changing, 2, Ids.next(), upgrade, ENDPOINTS, NOW));
        add(steps, InstanceLifecycle.reportFailed(last(steps), 2, "out of memory", NOW));
        add(steps, InstanceLifecycle.delete(last(steps), NOW));
        var deleting = last(steps);
        add(steps, InstanceLifecycle.reportDeleted(deleting, 3, NOW));
        add(steps, InstanceLifecycle.forceDelete(deleting, "its host is gone", NOW));
        return steps;
    }

    private static void add(List<Accepted> steps, Decision next) {
        steps.add((Accepted) next);
    }

    private static AppInstance last(List<Accepted> steps) {
        return steps.get(steps.size() - 1).next();
    }
}
