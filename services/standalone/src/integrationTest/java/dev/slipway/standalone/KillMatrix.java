package dev.slipway.standalone;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.standalone.ProcessCluster.ProcessKind;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.ObservedRecord;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills one process at one step of a change, restarts it, and asserts that every step took effect once. A step is a record
 * on a topic; a run without a fault records the steps.
 */
final class KillMatrix {
    private final ProcessCluster processCluster;

    /** Kills the process when the record was seen. */
    record KillPoint(MatrixChange change, String step, ProcessKind victim) {
        @Override
        public String toString() {
            return change.getClass().getSimpleName() + " " + change + " at " + step + ", " + victim + " killed";
        }
    }

    KillMatrix(ProcessCluster processCluster) {
        this.processCluster = processCluster;
    }

    /** Returns every kill point of changes. */
    static List<KillPoint> points(MatrixChange... changes) {
        var points = new ArrayList<KillPoint>();
        for (var change : changes) {
            for (var step : change.steps()) {
                for (var processKind : ProcessKind.values()) {
                    points.add(new KillPoint(change, step, processKind));
                }
            }
        }
        return points;
    }

    /**
     * Records the steps of a change without a fault, by type. Member events depend on the app, and a fast adapter need not accept a
     * command explicitly.
     */
    Set<String> observe(MatrixChange change) {
        var observedChange = run(change, null);
        var types = new java.util.LinkedHashSet<String>();
        observedChange.seen().stream()
                .map(ObservedRecord::type)
                .filter(type -> !type.startsWith("apps.instance_member.")
                        && !Set.of(
                                        "apps.shared_runtime.worker.changed",
                                        "runtime.report.members",
                                        "runtime.report.accepted",
                                        "runtime.report.progress")
                                .contains(type))
                .forEach(types::add);
        return types;
    }

    void kill(KillPoint killPoint) {
        System.out.println("kill matrix: " + killPoint);
        verify(killPoint, run(killPoint.change, killPoint));
    }

    /** A change and the records observed. */
    private record ObservedChange(UUID subject, String correlationId, Map<String, ObservedRecord> records) {
        List<ObservedRecord> seen() {
            return List.copyOf(records.values());
        }
    }

    private ObservedChange run(MatrixChange change, KillPoint killPoint) {
        var key = "m" + UUID.randomUUID();
        var prepared = change.prepare(processCluster, key);
        var call = change.call(processCluster, prepared, key);
        var asked = CompletableFuture.supplyAsync(
                () -> call.sendUntilFinal(reason -> {}).expect(202));
        if (killPoint != null) {
            eventually(() -> assertThat(
                            processCluster.events().find(observedRecord -> isOf(observedRecord, key, killPoint.step)))
                    .isNotEmpty());
            processCluster.kill(killPoint.victim);
        }
        var answer = await(asked);
        var subject = prepared == null ? UUID.fromString(answer.text("id")) : prepared;
        eventually(() -> change.assertCompleted(processCluster, subject));
        var last = change.steps().get(change.steps().size() - 1);
        eventually(() -> assertThat(processCluster.events().find(observedRecord -> isOf(observedRecord, key, last)))
                .isNotEmpty());
        var ofChange = new LinkedHashMap<>(records(subject));
        ofChange.values()
                .removeIf(observedRecord ->
                        !observedRecord.event().path("correlation_id").asText().equals(key));
        return new ObservedChange(subject, key, ofChange);
    }

    /** Sends a request that no kill interrupts, waits for its result, and returns the subject; {@code subject} is null if it is created. */
    @CanIgnoreReturnValue
    static UUID complete(ProcessCluster processCluster, MatrixChange change, UUID subject, Call call) {
        var answer = call.sendUntilFinal(reason -> {}).expect(202);
        var changed = subject == null ? UUID.fromString(answer.text("id")) : subject;
        eventually(() -> change.assertCompleted(processCluster, changed));
        return changed;
    }

    /** Adds the key that makes the request repeatable and names its records. */
    static Call withKey(Call call, String key) {
        return call.header("Idempotency-Key", key).header("X-Correlation-ID", key);
    }

    private void verify(KillPoint killPoint, ObservedChange observedChange) {
        assertEffects(killPoint, observedChange.subject);
        eventually(() -> {
            assertThat(records(observedChange.subject).values().stream().map(ObservedRecord::type))
                    .as("%s: every step is on its topic", killPoint)
                    .containsAll(killPoint.change.steps());
            assertThat(sequences(observedChange.subject))
                    .as("%s: events without a gap", killPoint)
                    .isEqualTo(countOf(observedChange.subject));
        });
        eventually(() -> assertThat(auditTargets(killPoint.change, observedChange))
                .as("%s: put on record once", killPoint)
                .containsExactly(observedChange.subject.toString()));
        assertThat(processCluster.events().violations())
                .as("%s: dead letters, records that break their schema", killPoint)
                .isEmpty();
    }

    private void assertEffects(KillPoint killPoint, UUID subject) {
        var effect = killPoint.change.effect();
        if (!effect.isEmpty()) {
            assertThat(processCluster.instanceFiles().requests(subject).stream()
                            .filter(line -> line.startsWith(effect))
                            .count())
                    .as("%s: how often the adapter did it; one that was killed may be asked again", killPoint)
                    .isBetween(1L, killPoint.victim == ProcessKind.ADAPTER ? 2L : 1L);
        }
    }

    private static ApiResponse await(CompletableFuture<ApiResponse> asked) {
        try {
            return asked.get(150, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the events of a subject by id; duplicates count once. */
    private Map<String, ObservedRecord> records(UUID subject) {
        var records = new LinkedHashMap<String, ObservedRecord>();
        for (var observedRecord : processCluster
                .events()
                .find(observedRecord -> observedRecord.key().equals(subject.toString()))) {
            records.putIfAbsent(observedRecord.event().path("event_id").asText(), observedRecord);
        }
        return records;
    }

    private static boolean isOf(ObservedRecord observedRecord, String correlationId, String type) {
        return observedRecord.type().equals(type)
                && observedRecord.event().path("correlation_id").asText().equals(correlationId);
    }

    private List<Long> sequences(UUID subject) {
        var sequences = new TreeMap<Long, String>();
        records(subject).values().stream()
                .filter(observedRecord -> observedRecord.topic().equals("instances.events"))
                .forEach(observedRecord -> assertThat(sequences.put(
                                observedRecord.payload().path("sequence").asLong(), observedRecord.type()))
                        .isNull());
        return List.copyOf(sequences.keySet());
    }

    private List<Long> countOf(UUID subject) {
        var count = records(subject).values().stream()
                .filter(observedRecord -> observedRecord.topic().equals("instances.events"))
                .count();
        return java.util.stream.LongStream.rangeClosed(1, count).boxed().toList();
    }

    private List<String> auditTargets(MatrixChange change, ObservedChange observedChange) {
        var timeline = processCluster
                .tenantOwner()
                .call("getCorrelation")
                .path("correlation_id", observedChange.correlationId)
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(timeline.path("items").spliterator(), false)
                .filter(item -> item.path("kind").asText().equals("audit"))
                .map(item -> item.path("detail"))
                .filter(detail -> detail.path("action").asText().startsWith(change.auditAction())
                        && !detail.path("action").asText().endsWith(".report")
                        && detail.path("result").asText().equals("success"))
                .map(detail -> detail.path("target_id").asText())
                .toList();
    }
}
