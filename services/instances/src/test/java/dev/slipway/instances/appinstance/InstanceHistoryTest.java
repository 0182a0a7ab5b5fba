package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.ChangeDecision;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.appinstance.domain.Difference;
import dev.slipway.instances.appinstance.domain.InstanceDecision;
import dev.slipway.instances.appinstance.domain.InstanceDecision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.appinstance.domain.InstanceHistory;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.PastEvent;
import dev.slipway.instances.launch.CompiledManifest;
import dev.slipway.instances.launch.domain.AppVersionRef;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LifecycleSettings;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.operations.domain.SubjectState;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** The events of an instance yield its row, regardless of the changes. */
class InstanceHistoryTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int WALKS = 300;
    private static final int STEPS = 25;

    @Test
    void fold_equalsTheRow_afterEveryTransition() {
        Set<SubjectState.Status> visited = new HashSet<>();
        for (var walk = 0; walk < WALKS; walk++) {
            var random = new Random(walk);
            var events = new ArrayList<PastEvent>();
            var row = after(events, requested(), START);
            for (var step = 1; step <= STEPS; step++) {
                var now = START.plusSeconds(step);
                row = after(events, step(random, row, now), now, row);
                visited.add(row.status());

                var folded = InstanceHistory.fold(events);

                assertThat(parsed(HistoryJson.instance(folded)))
                        .as("walk %s, step %s", walk, step)
                        .isEqualTo(parsed(Json.toObject(AppInstanceView.full(row, null))));
                assertThat(folded.sequence()).isEqualTo(row.state().sequence());
                assertThat(folded.fields()).containsEntry("generation", String.valueOf(row.generation()));
                assertThat(folded.missing()).isEmpty();
            }
        }
        assertThat(visited).contains(SubjectState.Status.values());
    }

    @Test
    void fold_returnsMissingSequenceNumbers() {
        var events = List.of(event(2, Map.of()), event(5, Map.of()));

        assertThat(InstanceHistory.fold(events).missing()).containsExactly(1L, 3L, 4L);
    }

    @Test
    void differences_returnsFieldsThatTheEventsDoNotYield() {
        var folded = InstanceHistory.fold(List.of(event(1, Map.of("status", "\"running\"", "version", "\"1\""))));

        assertThat(InstanceHistory.differences(
                        Map.of("status", "\"failed\"", "version", "\"1\"", "config", "{}"), folded))
                .containsExactly(
                        new Difference("config", "{}", null), new Difference("status", "\"failed\"", "\"running\""));
    }

    private static PastEvent event(long sequence, Map<String, String> fields) {
        return new PastEvent("apps.instance.running", sequence, START, fields);
    }

    private static InstanceDecision requested() {
        var launch = new Launch(
                UUID.randomUUID(),
                "echo",
                "1.0.0",
                "Mine",
                "platform_managed",
                "project",
                null,
                "{}",
                UUID.randomUUID(),
                UUID.randomUUID(),
                Placement.UNSPECIFIED,
                Map.of(),
                null);
        var eligibility = new LaunchEligibility(
                UUID.randomUUID(),
                UUID.randomUUID(),
                new LaunchEligibility.Version(UUID.randomUUID(), "bare_metal"),
                new LaunchEligibility.Policy("v1", new Placement("here", null, 2)),
                UUID.randomUUID(),
                null);
        var decision = (ChangeDecision.Accepted) InstanceLifecycle.launch(
                launch,
                eligibility,
                CompiledManifest.compile("{}", null, 1).spec(),
                new ResolvedConfig("{\"size\":2}", List.of()),
                UUID.randomUUID(),
                "slipway:x",
                new DecisionContext(START, "c-1", UUID::randomUUID));
        return new Accepted(decision.change().next(), List.of(new InstanceEvent.Requested()));
    }

    private static InstanceDecision step(Random random, AppInstance row, Instant now) {
        var generation = row.generation() - (random.nextInt(8) == 0 ? 1 : 0);
        return switch (random.nextInt(14)) {
            case 0, 1 -> InstanceLifecycle.reportDeploying(row, generation, "{\"message\":\"waits\"}", now);
            case 2, 3, 4 -> InstanceLifecycle.reportRunning(row, generation, endpoints(random), now);
            case 5, 6 -> InstanceLifecycle.reportFailed(row, generation, "broke", now);
            case 7 -> InstanceLifecycle.delete(row, now);
            case 8 -> InstanceLifecycle.expireLaunch(row, "too late", now);
            case 9 -> InstanceLifecycle.forceDelete(row, "gone", now);
            case 10 -> InstanceLifecycle.beginChange(row);
            case 11, 12 ->
                InstanceLifecycle.reportUpgraded(
                        row, generation, UUID.randomUUID(), upgrade(random, row), endpoints(random), now);
            default -> InstanceLifecycle.reportDeleted(row, generation, now);
        };
    }

    private static String endpoints(Random random) {
        return "{\"endpoints\":[{\"name\":\"a\",\"url\":\"u" + random.nextInt(3) + "\"}]}";
    }

    private static VersionChange upgrade(Random random, AppInstance row) {
        var version = "2." + random.nextInt(3);
        var appVersionRef = new AppVersionRef(
                row.app().appId(), UUID.randomUUID(), row.app().slug(), version, "bare_metal");
        var lifecycleSettings = new LifecycleSettings(60, false, "{\"scope\":{\"a\":" + random.nextInt(9) + "}}");
        return new VersionChange(appVersionRef, "{\"size\":" + random.nextInt(9) + "}", lifecycleSettings, null);
    }

    /** Returns the row after a decision, and appends its events; a change that begins is recorded by its operation's event only. */
    private static AppInstance after(
            List<PastEvent> events, InstanceDecision decision, Instant now, AppInstance... before) {
        if (!(decision instanceof Accepted accepted)) {
            return before[0];
        }
        var next = accepted.next();
        var sequence = before.length == 0 ? 0 : before[0].state().sequence();
        if (accepted.events().isEmpty() && before.length > 0 && next.generation() > before[0].generation()) {
            sequence++;
            var payload = Json.object().put("status", "accepted").put("instance_generation", next.generation());
            events.add(HistoryJson.pastEvent("apps.instance_operation.accepted", sequence, now, payload));
        }
        for (var event : accepted.events()) {
            sequence++;
            var payload = InstanceEventPayload.of(next, event, sequence);
            payload.setAll(InstanceEventPayload.privateFields(next, event));
            events.add(HistoryJson.pastEvent(InstanceEventPayload.type(event), sequence, now, parsed(payload)));
        }
        return next.withSequence(sequence);
    }

    private static JsonNode parsed(JsonNode written) {
        return Json.parseTrusted(Json.text(written).getBytes(StandardCharsets.UTF_8));
    }
}
