package dev.slipway.standalone;

import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.SimulatedAdapter.InstanceFiles;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Assertions after recovery: every accepted request has taken effect exactly once, with all its records. */
final class RecoveryAssertions {
    private final ApiClient owner;
    private final LaunchLoad launchLoad;

    RecoveryAssertions(ApiClient owner, LaunchLoad launchLoad) {
        this.owner = owner;
        this.launchLoad = launchLoad;
    }

    /** Asserts statuses, instances, events, audit records and adapter commands. A killed adapter may be asked again once per restart. */
    void verify(EventTap events, InstanceFiles instanceFiles, long adapterLives) {
        assertThat(launchLoad.failures())
                .as("answers that no client should get")
                .isEmpty();
        assertExpectedStatuses();
        assertThat(listInstances())
                .as("an accepted request made one instance")
                .isEqualTo(launchLoad.accepted().keySet());
        assertEventsPublished(events);
        assertLaunchesAudited();
        assertThat(launchLoad.accepted().keySet())
                .as("launched by the adapter, and not again")
                .allSatisfy(id -> assertThat(instanceFiles.timesDeployed(id))
                        .as("%s: %s", id, instanceFiles.requests(id))
                        .isBetween(launchLoad.deleted().contains(id) ? 0L : 1L, adapterLives));
    }

    void assertExpectedStatuses() {
        for (var id : launchLoad.accepted().keySet()) {
            eventually(() -> assertThat(owner.call("getAppInstance")
                            .path("project_id", DemoData.PROJECT)
                            .path("app_instance_id", id)
                            .send()
                            .expect(200)
                            .text("status"))
                    .as("%s", id)
                    .isEqualTo(expectedStatuses(id)));
        }
    }

    private String expectedStatuses(UUID id) {
        return launchLoad.deleted().contains(id) ? "deleted" : "running";
    }

    Set<UUID> listInstances() {
        var ids = new HashSet<UUID>();
        var cursor = "";
        do {
            var page = owner.call("listAppInstances")
                    .path("project_id", DemoData.PROJECT)
                    .query("limit=500" + cursor)
                    .send()
                    .expect(200)
                    .body();
            for (var item : page.path("items")) {
                if (item.path("display_name").asText().startsWith(launchLoad.name())) {
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

    /** Asserts that the events of each instance are numbered 1..n without a gap; duplicates have the same id. */
    void assertEventsPublished(EventTap events) {
        eventually(() -> {
            Map<String, Map<Long, ObservedRecord>> byInstance = new HashMap<>();
            for (var observedRecord :
                    events.find(observedRecord -> observedRecord.topic().equals("instances.events"))) {
                var ofInstance = byInstance.computeIfAbsent(observedRecord.key(), key -> new HashMap<>());
                var sequence = observedRecord.payload().path("sequence").asLong();
                var before = ofInstance.putIfAbsent(sequence, observedRecord);
                if (before == null) {
                    assertThat(sequence)
                            .as("the order of %s", observedRecord.key())
                            .isEqualTo(ofInstance.size());
                } else {
                    assertThat(observedRecord.event()).isEqualTo(before.event());
                }
            }
            for (var id : launchLoad.accepted().keySet()) {
                var all = byInstance.getOrDefault(id.toString(), Map.of());
                assertThat(all).as("events of %s", id).isNotEmpty();
                assertThat(LongStream.rangeClosed(1, all.size())
                                .mapToObj(sequence -> all.get(sequence).type())
                                .filter(type -> type.startsWith("apps.instance."))
                                .reduce("", (before, after) -> after))
                        .isEqualTo("apps.instance." + expectedStatuses(id));
            }
        });
        assertThat(events.violations())
                .as("dead letters and records that break their schema")
                .isEmpty();
    }

    private void assertLaunchesAudited() {
        launchLoad
                .accepted()
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
