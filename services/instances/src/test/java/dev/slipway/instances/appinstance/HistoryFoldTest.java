package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.appinstance.domain.Placement;
import dev.slipway.instances.appinstance.domain.Upgrade;
import dev.slipway.instances.history.HistoryJson;
import dev.slipway.instances.history.domain.Difference;
import dev.slipway.instances.history.domain.Fact;
import dev.slipway.instances.history.domain.InstanceHistory;
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

/** Whatever happens to an instance, its events tell all of it. */
class HistoryFoldTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int WALKS = 300;
    private static final int STEPS = 25;

    @Test
    void fold_equalsTheRow_afterEveryStepOfAnyLife() {
        Set<AppInstance.Status> visited = new HashSet<>();
        for (var walk = 0; walk < WALKS; walk++) {
            var random = new Random(walk);
            var facts = new ArrayList<Fact>();
            var row = after(facts, requested(), START);
            for (var step = 1; step <= STEPS; step++) {
                var now = START.plusSeconds(step);
                row = after(facts, step(random, row, now), now, row);
                visited.add(row.status());

                var folded = InstanceHistory.fold(facts);

                assertThat(parsed(HistoryJson.instance(folded)))
                        .as("walk %s, step %s", walk, step)
                        .isEqualTo(parsed(AppInstanceJson.full(row, null)));
                assertThat(folded.sequence()).isEqualTo(row.sequence());
                assertThat(folded.fields()).containsEntry("generation", String.valueOf(row.generation()));
                assertThat(folded.missing()).isEmpty();
            }
        }
        assertThat(visited).contains(AppInstance.Status.values());
    }

    @Test
    void fold_namesTheNumbersThatNoEventHas() {
        var facts = List.of(fact(2, Map.of()), fact(5, Map.of()));

        assertThat(InstanceHistory.fold(facts).missing()).containsExactly(1L, 3L, 4L);
    }

    @Test
    void differences_areThoseFieldsOfTheRow_thatTheEventsDoNotTell() {
        var folded = InstanceHistory.fold(List.of(fact(1, Map.of("status", "\"running\"", "version", "\"1\""))));

        assertThat(InstanceHistory.differences(
                        Map.of("status", "\"failed\"", "version", "\"1\"", "config", "{}"), folded))
                .containsExactly(
                        new Difference("config", "{}", null), new Difference("status", "\"failed\"", "\"running\""));
    }

    private static Fact fact(long sequence, Map<String, String> says) {
        return new Fact("apps.instance.running", sequence, START, says);
    }

    private static Decision requested() {
        var launch = new Launch(
                UUID.randomUUID(),
                "echo",
                "1.0.0",
                "Mine",
                "platform_managed",
                "project",
                null,
                "{\"size\":2}",
                UUID.randomUUID(),
                UUID.randomUUID(),
                Placement.ANYWHERE);
        var admission = new Admission(
                UUID.randomUUID(),
                UUID.randomUUID(),
                new Admission.Version(UUID.randomUUID(), "bare_metal", "active", false),
                true,
                new Admission.Policy("v1", new Placement("here", null, 2), false, null),
                UUID.randomUUID());
        return InstanceLifecycle.request(launch, admission, UUID.randomUUID(), "slipway:x", START);
    }

    private static Decision step(Random random, AppInstance row, Instant now) {
        var generation = row.generation() - (random.nextInt(8) == 0 ? 1 : 0);
        return switch (random.nextInt(14)) {
            case 0, 1 -> InstanceLifecycle.reportDeploying(row, generation, "{\"message\":\"waits\"}", now);
            case 2, 3, 4 -> InstanceLifecycle.reportRunning(row, generation, endpoints(random), now);
            case 5, 6 -> InstanceLifecycle.reportFailed(row, generation, "broke", now);
            case 7 -> InstanceLifecycle.delete(row, now);
            case 8 -> InstanceLifecycle.expireLaunch(row, "too late", now);
            case 9 -> InstanceLifecycle.forceDelete(row, "given up", now);
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

    private static Upgrade upgrade(Random random, AppInstance row) {
        var version = "2." + random.nextInt(3);
        var app = new App(row.app().appId(), UUID.randomUUID(), row.app().slug(), version, "bare_metal");
        var terms = new Terms(60, false, "{\"scope\":{\"a\":" + random.nextInt(9) + "}}");
        return new Upgrade(app, "{\"size\":" + random.nextInt(9) + "}", terms, null);
    }

    /** The row after what was decided; a change that begins is told by its operation alone. */
    private static AppInstance after(List<Fact> facts, Decision decision, Instant now, AppInstance... before) {
        if (!(decision instanceof Accepted accepted)) {
            return before[0];
        }
        var next = accepted.next();
        if (accepted.events().isEmpty() && before.length > 0 && next.generation() > before[0].generation()) {
            var noted = next.noted();
            var payload = Json.object().put("status", "accepted").put("instance_generation", noted.generation());
            facts.add(HistoryJson.fact("apps.instance_operation.accepted", noted.sequence(), now, payload));
            return noted;
        }
        var number = next.sequence() - accepted.events().size();
        for (var event : accepted.events()) {
            number++;
            var payload = AppInstanceJson.event(next, event, number);
            payload.setAll(AppInstanceJson.own(next, event));
            facts.add(HistoryJson.fact(AppInstanceJson.type(event), number, now, parsed(payload)));
        }
        return next;
    }

    private static JsonNode parsed(JsonNode written) {
        return Json.node(Json.text(written).getBytes(StandardCharsets.UTF_8));
    }
}
