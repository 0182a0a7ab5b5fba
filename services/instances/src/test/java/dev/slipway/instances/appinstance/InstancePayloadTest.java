package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.ChangeDecision;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.appinstance.domain.InstanceChange;
import dev.slipway.instances.appinstance.domain.InstanceDecision;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.InstanceRequests;
import dev.slipway.instances.appinstance.domain.LoadedInstance;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.NewOperation.Requester;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** The JSON of an instance from its launch to its deletion matches the contract. */
class InstancePayloadTest {
    private static final EventSchemas SCHEMAS = EventSchemas.load();
    private static final Contract CONTRACT = Contract.load();
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");
    private static final String ENDPOINTS = "{\"endpoints\":[{\"name\":\"http\",\"url\":\"http://h:1\"}]}";

    private static final UUID SHARED_RUNTIME = Ids.next();

    private static final DecisionContext CONTEXT = new DecisionContext(NOW, "c-1", Ids::next);

    private final List<Accepted> life = life();

    @Test
    void event_matchesItsSchema_forEveryKind() {
        var kinds = new HashSet<Class<?>>();
        life.forEach(step -> step.events().forEach(event -> kinds.add(event.getClass())));
        assertThat(kinds).as("every kind of event").isEqualTo(Set.of(InstanceEvent.class.getPermittedSubclasses()));
        for (var step : life) {
            for (var event : step.events()) {
                var type = InstanceEventPayload.type(event);
                var payload = InstanceEventPayload.of(step.next(), event, 1);
                assertThat(payload.path("shared_runtime_id").asText()).as(type).isEqualTo(SHARED_RUNTIME.toString());
                assertThat(problems(type, payload)).as(type).isEmpty();
            }
        }
    }

    @Test
    void event_hasTheStatusAfterIt() {
        assertThat(life)
                .extracting(step -> InstanceEventPayload.type(step.events().get(0)) + " "
                        + InstanceEventPayload.of(step.next(), step.events().get(0), 1)
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
    void command_matchesItsSchema() {
        var launched = launch().commands().get(0);
        var deleting = InstanceRequests.delete(
                        new LoadedInstance(life.get(2).next(), null, MemberOperationInput.NONE, List.of(), List.of()),
                        new Requester(Ids.next(), Ids.next()),
                        CONTEXT)
                .commands()
                .get(0);

        var deploy = CommandPayload.of(launched);
        var delete = CommandPayload.of(deleting);

        assertThat(problems("runtime.command.deploy", deploy)).isEmpty();
        assertThat(problems("runtime.command.delete", delete)).isEmpty();
        assertThat(deploy.path("generation").asInt()).isEqualTo(1);
        var written = Json.parseTrusted(Json.bytes(deploy));
        assertThat(written.path("config").path("replicas").asInt()).isEqualTo(2);
        assertThat(written.path("members")).hasSize(1);
        assertThat(delete.path("generation").asInt()).isEqualTo(2);
        assertThat(delete.has("manifest")).isFalse();
    }

    @Test
    void full_matchesTheContract_inEveryStatus() {
        for (var step : life) {
            assertAnswer(
                    "getAppInstance",
                    200,
                    Json.toObject(AppInstanceView.full(step.next(), step.next().id())));
            assertAnswer(
                    "createAppInstance",
                    202,
                    Json.toObject(AppInstanceView.full(step.next(), step.next().id())));
        }
    }

    @Test
    void summary_omitsTheConfig() {
        var page = Json.object().put("next_cursor", (String) null);
        life.forEach(step -> page.withArray("items").add(Json.toObject(AppInstanceView.summary(step.next()))));

        assertAnswer("listAppInstances", 200, page);
        assertThat(page.toString()).doesNotContain("replicas");
    }

    private static void assertAnswer(String operation, int status, ObjectNode body) {
        var problems = new ArrayList<FieldProblem>();
        CONTRACT.responseValidator(operation, status).validate(Json.parseTrusted(Json.bytes(body)), problems);
        assertThat(problems).as("%s", body).isEmpty();
    }

    private static List<FieldProblem> problems(String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, NOW, 1, "c-1", payload);
        return SCHEMAS.validate(Json.parseTrusted(event.toBytes()));
    }

    private static InstanceChange launch() {
        var launch = new Launch(
                Ids.next(),
                "echo",
                "1.0.0",
                "Mine",
                "tenant_dedicated",
                "tenant",
                null,
                "{}",
                Ids.next(),
                Ids.next(),
                new Placement("eu", "small", 2),
                Map.of("worker", 1),
                SHARED_RUNTIME);
        var eligibility = new LaunchEligibility(
                        Ids.next(),
                        Ids.next(),
                        new LaunchEligibility.Version(Ids.next(), "bare_metal"),
                        new LaunchEligibility.Policy("p1", launch.placement()),
                        Ids.next(),
                        null)
                .withAttached(true);
        var manifest = CompiledManifest.compile("{\"components\":[{\"key\":\"worker\",\"min\":1,\"max\":2}]}", null, 1);
        var decision = InstanceLifecycle.launch(
                launch,
                eligibility,
                manifest.spec(),
                new ResolvedConfig("{\"replicas\":2}", List.of()),
                Ids.next(),
                "slipway:name",
                CONTEXT);
        return ((ChangeDecision.Accepted) decision).change();
    }

    private static List<Accepted> life() {
        var steps = new ArrayList<Accepted>();
        steps.add(new Accepted(launch().next(), List.of(new InstanceEvent.Requested())));
        add(steps, InstanceLifecycle.reportDeploying(last(steps), 1, "{\"message\":\"pulling\"}", NOW));
        add(steps, InstanceLifecycle.reportRunning(last(steps), 1, ENDPOINTS, NOW));
        var changing = ((Accepted) InstanceLifecycle.beginChange(last(steps))).next();
        var next = new AppVersionRef(changing.app().appId(), Ids.next(), "echo", "2.0.0", "bare_metal");
        var versionChange = new VersionChange(next, "{\"replicas\":3}", LifecycleSettings.DEFAULT, null);
        add(steps, InstanceLifecycle.reportUpgraded(changing, 2, Ids.next(), versionChange, ENDPOINTS, NOW));
        add(steps, InstanceLifecycle.reportFailed(last(steps), 2, "out of memory", NOW));
        add(steps, InstanceLifecycle.delete(last(steps), NOW));
        var deleting = last(steps);
        add(steps, InstanceLifecycle.reportDeleted(deleting, 3, NOW));
        add(steps, InstanceLifecycle.forceDelete(deleting, "its host is gone", NOW));
        return steps;
    }

    private static void add(List<Accepted> steps, InstanceDecision next) {
        steps.add((Accepted) next);
    }

    private static AppInstance last(List<Accepted> steps) {
        return steps.get(steps.size() - 1).next();
    }
}
