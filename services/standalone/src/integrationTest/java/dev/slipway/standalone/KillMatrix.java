package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
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
import static dev.slipway.testkit.Eventually.repeatUntilGet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills one process at one step of an instance's change, restarts it, and asserts that every step took effect once. A step is a record
 * on a topic; a run without a fault records the steps.
 */
final class KillMatrix {
    private static final Set<Integer> MAY_PASS = Set.of(503, 504);
    private static final String PING = "echo.ping";

    private final ProcessCluster processCluster;

    /** Kills the process when the record was seen. */
    record KillPoint(Change change, String step, ProcessKind victim) {
        @Override
        public String toString() {
            return change + " at " + step + ", " + victim + " killed";
        }
    }

    /** A change of an instance, its steps, and the lines in the instance's file afterwards. */
    enum Change {
        CREATE("create", "deployed", "running"),
        OPERATE(PING, "operated " + PING, "running"),
        UPGRADE("upgrade", "upgraded " + DemoData.NEXT_VERSION, "running"),
        DELETE("delete", "deleted", "deleted");

        private final String operation;
        private final String effect;
        private final String status;

        Change(String operation, String effect, String status) {
            this.operation = operation;
            this.effect = effect;
            this.status = status;
        }

        /** The steps in the order of their first appearance. */
        List<String> steps() {
            return switch (this) {
                case CREATE ->
                    List.of(
                            "apps.instance.requested",
                            "apps.instance_operation.accepted",
                            "runtime.command.deploy",
                            "runtime.report.deploying",
                            "apps.instance.deploying",
                            "apps.instance_operation.running",
                            "runtime.report.running",
                            "apps.instance.running",
                            "apps.instance_operation.succeeded");
                case OPERATE ->
                    List.of(
                            "apps.instance_operation.accepted",
                            "runtime.command.operate",
                            "apps.instance_operation.running",
                            "runtime.report.operation",
                            "apps.instance_operation.succeeded");
                case UPGRADE ->
                    List.of(
                            "apps.instance_operation.accepted",
                            "runtime.command.upgrade",
                            "apps.instance_operation.running",
                            "runtime.report.operation",
                            "apps.instance.upgraded",
                            "apps.instance_operation.succeeded");
                case DELETE ->
                    List.of(
                            "apps.instance.deleting",
                            "apps.instance_operation.accepted",
                            "runtime.command.delete",
                            "apps.instance_operation.running",
                            "runtime.report.deleted",
                            "apps.instance.deleted",
                            "apps.instance_operation.succeeded");
            };
        }
    }

    KillMatrix(ProcessCluster processCluster) {
        this.processCluster = processCluster;
    }

    /** Returns every kill point. */
    static List<KillPoint> points() {
        var points = new ArrayList<KillPoint>();
        for (var change : Change.values()) {
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
    Set<String> observe(Change change) {
        var observedChange = run(change, null);
        var types = new java.util.LinkedHashSet<String>();
        observedChange.seen().stream()
                .map(ObservedRecord::type)
                .filter(type -> !type.startsWith("apps.instance_member.")
                        && !Set.of("runtime.report.members", "runtime.report.accepted", "runtime.report.progress")
                                .contains(type))
                .forEach(types::add);
        return types;
    }

    void kill(KillPoint killPoint) {
        System.out.println("kill matrix: " + killPoint);
        verify(killPoint, run(killPoint.change, killPoint));
    }

    /** A change and the records observed. */
    private record ObservedChange(UUID instance, String correlationId, Map<String, ObservedRecord> records) {
        List<ObservedRecord> seen() {
            return List.copyOf(records.values());
        }
    }

    private ObservedChange run(Change change, KillPoint killPoint) {
        var key = "matrix-" + UUID.randomUUID();
        var target = change == Change.CREATE
                ? null
                : running(key + "-before", change == Change.OPERATE ? DemoData.NEXT_VERSION : DemoData.VERSION);
        var asked = CompletableFuture.supplyAsync(() -> sendUntilAnswered(call(change, target, key, DemoData.VERSION)));
        if (killPoint != null) {
            eventually(() -> assertThat(
                            processCluster.events().find(observedRecord -> isOf(observedRecord, key, killPoint.step)))
                    .isNotEmpty());
            processCluster.kill(killPoint.victim);
        }
        var instance = target == null ? UUID.fromString(await(asked).text("id")) : target;
        var ignored = await(asked);
        eventually(() -> assertThat(operations(instance, change))
                .as("%s of %s", change, instance)
                .containsExactly("succeeded"));
        eventually(() -> assertThat(instance(instance)).isEqualTo(change.status));
        var last = change.steps().get(change.steps().size() - 1);
        eventually(() -> assertThat(processCluster.events().find(observedRecord -> isOf(observedRecord, key, last)))
                .isNotEmpty());
        var ofDeed = new LinkedHashMap<>(records(instance));
        ofDeed.values()
                .removeIf(observedRecord ->
                        !observedRecord.event().path("correlation_id").asText().equals(key));
        return new ObservedChange(instance, key, ofDeed);
    }

    private void verify(KillPoint killPoint, ObservedChange observedChange) {
        var effects = processCluster.instanceFiles().requests(observedChange.instance).stream()
                .filter(killPoint.change.effect::equals)
                .count();
        assertThat(effects)
                .as("%s: how often the adapter did it; one that was killed may be asked again", killPoint)
                .isBetween(1L, killPoint.victim == ProcessKind.ADAPTER ? 2L : 1L);
        eventually(() -> {
            assertThat(records(observedChange.instance).values().stream().map(ObservedRecord::type))
                    .as("%s: every step is on its topic", killPoint)
                    .containsAll(killPoint.change.steps());
            assertThat(sequences(observedChange.instance))
                    .as("%s: events without a gap", killPoint)
                    .isEqualTo(countOf(observedChange.instance));
        });
        eventually(() -> assertThat(auditCount(observedChange))
                .as("%s: put on record once", killPoint)
                .containsExactly(observedChange.instance.toString()));
        assertThat(processCluster.events().violations())
                .as("%s: dead letters, records that break their schema", killPoint)
                .isEmpty();
    }

    private UUID running(String key, String version) {
        var id = UUID.fromString(
                sendUntilAnswered(call(Change.CREATE, null, key, version)).text("id"));
        eventually(() -> assertThat(instance(id)).isEqualTo("running"));
        eventually(() -> assertThat(operations(id, Change.CREATE)).containsExactly("succeeded"));
        return id;
    }

    private Call call(Change change, UUID instance, String key, String version) {
        var call = processCluster
                .owner()
                .call(
                        switch (change) {
                            case CREATE -> "createAppInstance";
                            case OPERATE -> "runInstanceOperation";
                            case UPGRADE -> "upgradeAppInstance";
                            case DELETE -> "deleteAppInstance";
                        })
                .path("project_id", DemoData.PROJECT)
                .header("Idempotency-Key", key)
                .header("X-Correlation-ID", key);
        var addressed = instance == null ? call : call.path("app_instance_id", instance);
        var body = body(change, key, version);
        return body == null ? addressed : addressed.body(body);
    }

    private static ObjectNode body(Change change, String key, String version) {
        return switch (change) {
            case CREATE ->
                Json.object()
                        .put("app_slug", DemoData.APP)
                        .put("version", version)
                        .put("display_name", key);
            case OPERATE -> {
                var body = Json.object().put("operation", PING);
                body.putObject("input").put("message", "hello");
                yield body;
            }
            case UPGRADE -> Json.object().put("version", DemoData.NEXT_VERSION);
            case DELETE -> null;
        };
    }

    /** Repeats the request until the response is final. */
    private static ApiResponse sendUntilAnswered(Call call) {
        return repeatUntilGet(() -> {
            var apiResponse = call.send();
            if (!MAY_PASS.contains(apiResponse.status())) {
                assertThat(apiResponse.status()).as("%s", apiResponse.body()).isEqualTo(202);
                return apiResponse;
            }
            throw new IllegalStateException(apiResponse.status() + " " + apiResponse.body());
        });
    }

    private static ApiResponse await(CompletableFuture<ApiResponse> asked) {
        try {
            return asked.get(150, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the events of an instance by id; duplicates count once. */
    private Map<String, ObservedRecord> records(UUID instance) {
        var records = new LinkedHashMap<String, ObservedRecord>();
        for (var observedRecord : processCluster
                .events()
                .find(observedRecord -> observedRecord.key().equals(instance.toString()))) {
            records.putIfAbsent(observedRecord.event().path("event_id").asText(), observedRecord);
        }
        return records;
    }

    private static boolean isOf(ObservedRecord observedRecord, String correlationId, String type) {
        return observedRecord.type().equals(type)
                && observedRecord.event().path("correlation_id").asText().equals(correlationId);
    }

    private List<Long> sequences(UUID instance) {
        var sequences = new TreeMap<Long, String>();
        records(instance).values().stream()
                .filter(observedRecord -> observedRecord.topic().equals("instances.events"))
                .forEach(observedRecord -> assertThat(sequences.put(
                                observedRecord.payload().path("sequence").asLong(), observedRecord.type()))
                        .isNull());
        return List.copyOf(sequences.keySet());
    }

    private List<Long> countOf(UUID instance) {
        var count = records(instance).values().stream()
                .filter(observedRecord -> observedRecord.topic().equals("instances.events"))
                .count();
        return java.util.stream.LongStream.rangeClosed(1, count).boxed().toList();
    }

    private String instance(UUID instance) {
        return processCluster
                .owner()
                .call("getAppInstance")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .text("status");
    }

    /** Returns the statuses of the instance's operations of the kind. */
    private List<String> operations(UUID instance, Change change) {
        var page = processCluster
                .owner()
                .call("listInstanceOperations")
                .path("project_id", DemoData.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(page.path("items").spliterator(), false)
                .filter(operation -> operation.path("operation").asText().equals(change.operation))
                .map(operation -> operation.path("status").asText())
                .toList();
    }

    private List<String> auditCount(ObservedChange observedChange) {
        var timeline = processCluster
                .owner()
                .call("getCorrelation")
                .path("correlation_id", observedChange.correlationId)
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(timeline.path("items").spliterator(), false)
                .filter(item -> item.path("kind").asText().equals("audit"))
                .map(item -> item.path("detail"))
                .filter(detail -> detail.path("action").asText().startsWith("apps.instance.")
                        && !detail.path("action").asText().equals("apps.instance.report")
                        && detail.path("result").asText().equals("success"))
                .map(detail -> detail.path("target_id").asText())
                .toList();
    }
}
