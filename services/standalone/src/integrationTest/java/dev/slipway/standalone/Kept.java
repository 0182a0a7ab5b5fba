package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.SimulatedAdapter.World;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What must hold once a disturbed platform has come to rest: what was accepted is there, once, with all that belongs to it. */
final class Kept {
    private final ApiClient owner;
    private final Load load;

    Kept(ApiClient owner, Load load) {
        this.owner = owner;
        this.load = load;
    }

    /**
     * Everything: states, no instance too many, events, audit records, and what the adapter was asked. An adapter that is killed may be
     * asked again for what it has done, once in each of its lives.
     */
    void verify(EventTap events, World world, long adapterLives) {
        assertThat(load.faults()).as("answers that no client should get").isEmpty();
        everyInstanceIsWhereItShould();
        assertThat(listed())
                .as("an accepted request made one instance")
                .isEqualTo(load.accepted().keySet());
        everyEventIsOnTheTopic(events);
        everyLaunchIsAudited();
        assertThat(load.accepted().keySet())
                .as("launched by the adapter, and not again")
                .allSatisfy(id -> assertThat(world.timesDeployed(id))
                        .as("%s: %s", id, world.asked(id))
                        .isBetween(load.deleted().contains(id) ? 0L : 1L, adapterLives));
    }

    void everyInstanceIsWhereItShould() {
        for (var id : load.accepted().keySet()) {
            eventually(() -> assertThat(owner.call("getAppInstance")
                            .path("project_id", Demo.PROJECT)
                            .path("app_instance_id", id)
                            .send()
                            .expect(200)
                            .text("status"))
                    .as("%s", id)
                    .isEqualTo(expected(id)));
        }
    }

    private String expected(UUID id) {
        return load.deleted().contains(id) ? "deleted" : "running";
    }

    Set<UUID> listed() {
        var ids = new HashSet<UUID>();
        var cursor = "";
        do {
            var page = owner.call("listAppInstances")
                    .path("project_id", Demo.PROJECT)
                    .query("limit=500" + cursor)
                    .send()
                    .expect(200)
                    .body();
            for (var item : page.path("items")) {
                if (item.path("display_name").asText().startsWith(load.name())) {
                    assertThat(ids.add(UUID.fromString(item.path("id").asText())))
                            .isTrue();
                }
            }
            cursor = page.path("next_cursor").isTextual()
                    ? "&cursor=" + page.path("next_cursor").asText()
                    : "";
        } while (!cursor.isEmpty());
        return ids;
    }

    /** For each instance the events 1..n without a gap, in order; an event that is there twice is the same event. */
    void everyEventIsOnTheTopic(EventTap events) {
        eventually(() -> {
            Map<String, Map<Long, Seen>> byInstance = new HashMap<>();
            for (var seen : events.where(seen -> seen.topic().equals("instances.events"))) {
                var ofInstance = byInstance.computeIfAbsent(seen.key(), key -> new HashMap<>());
                var sequence = seen.payload().path("sequence").asLong();
                var before = ofInstance.putIfAbsent(sequence, seen);
                if (before == null) {
                    assertThat(sequence).as("the order of %s", seen.key()).isEqualTo(ofInstance.size());
                } else {
                    assertThat(seen.event()).isEqualTo(before.event());
                }
            }
            for (var id : load.accepted().keySet()) {
                var all = byInstance.getOrDefault(id.toString(), Map.of());
                assertThat(all).as("events of %s", id).isNotEmpty();
                assertThat(LongStream.rangeClosed(1, all.size())
                                .mapToObj(sequence -> all.get(sequence).type())
                                .filter(type -> type.startsWith("apps.instance."))
                                .reduce("", (before, after) -> after))
                        .isEqualTo("apps.instance." + expected(id));
            }
        });
        assertThat(events.faults())
                .as("dead letters and records that break their schema")
                .isEmpty();
    }

    private void everyLaunchIsAudited() {
        load.accepted()
                .forEach((id, correlationId) -> eventually(() -> {
                    var timeline = owner.call("getCorrelation")
                            .path("correlation_id", correlationId)
                            .send()
                            .expect(200);
                    assertThat(StreamSupport.stream(
                                            timeline.body().path("items").spliterator(), false)
                                    .filter(item -> item.path("kind").asText().equals("audit"))
                                    .map(item -> item.path("detail"))
                                    .filter(detail -> detail.path("action")
                                                    .asText()
                                                    .equals("apps.instance.create")
                                            && detail.path("result").asText().equals("success"))
                                    .map(detail -> UUID.fromString(
                                            detail.path("target_id").asText())))
                            .as("audit records of %s", correlationId)
                            .containsExactly(id);
                }));
    }
}
