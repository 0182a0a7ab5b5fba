package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.standalone.Stand.Victim;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.Seen;

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
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills one part of a running system at one step of what is done with an instance, has it come back, and looks whether the step was done
 * once and everything after it, too. A step is a record on a topic: a run without a fault shows which there are.
 */
final class KillMatrix {
    private static final Set<Integer> MAY_PASS = Set.of(503, 504);
    private static final String PING = "echo.ping";

    private final Stand stand;

    /** Somebody is killed when the record was seen. */
    record Point(Deed deed, String step, Victim victim) {
        @Override
        public String toString() {
            return deed + " at " + step + ", " + victim + " killed";
        }
    }

    /** What is done with an instance, the steps of it, and what is left in the world when it is done. */
    enum Deed {
        CREATE("create", "deployed", "running"),
        OPERATE(PING, "operated " + PING, "running"),
        UPGRADE("upgrade", "upgraded " + Demo.NEXT_VERSION, "running"),
        DELETE("delete", "deleted", "deleted");

        private final String operation;
        private final String effect;
        private final String status;

        Deed(String operation, String effect, String status) {
            this.operation = operation;
            this.effect = effect;
            this.status = status;
        }

        /** The records of it, in the order in which they can be seen first. */
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

    KillMatrix(Stand stand) {
        this.stand = stand;
    }

    /** Every point there is. */
    static List<Point> points() {
        var points = new ArrayList<Point>();
        for (var deed : Deed.values()) {
            for (var step : deed.steps()) {
                for (var victim : Victim.values()) {
                    points.add(new Point(deed, step, victim));
                }
            }
        }
        return points;
    }

    /**
     * The records that a deed makes when nothing goes wrong, by type; those about members come and go with the app, and an adapter that is
     * quick has no need to say that it has accepted a command.
     */
    Set<String> observed(Deed deed) {
        var done = run(deed, null);
        var types = new java.util.LinkedHashSet<String>();
        done.seen().stream()
                .map(Seen::type)
                .filter(type -> !type.startsWith("apps.instance_member.")
                        && !Set.of("runtime.report.members", "runtime.report.accepted", "runtime.report.progress")
                                .contains(type))
                .forEach(types::add);
        return types;
    }

    void kill(Point point) {
        System.out.println("kill matrix: " + point);
        verify(point, run(point.deed, point));
    }

    /** What was done, and what was seen of it. */
    private record Done(UUID instance, String correlationId, Map<String, Seen> records) {
        List<Seen> seen() {
            return List.copyOf(records.values());
        }
    }

    private Done run(Deed deed, Point point) {
        var key = "matrix-" + UUID.randomUUID();
        var target = deed == Deed.CREATE
                ? null
                : running(key + "-before", deed == Deed.OPERATE ? Demo.NEXT_VERSION : Demo.VERSION);
        var asked = CompletableFuture.supplyAsync(() -> answered(call(deed, target, key, Demo.VERSION)));
        if (point != null) {
            eventually(() -> assertThat(stand.events().where(seen -> isOf(seen, key, point.step)))
                    .isNotEmpty());
            stand.kill(point.victim);
        }
        var instance = target == null ? UUID.fromString(await(asked).text("id")) : target;
        var ignored = await(asked);
        eventually(() -> assertThat(operations(instance, deed))
                .as("%s of %s", deed, instance)
                .containsExactly("succeeded"));
        eventually(() -> assertThat(instance(instance)).isEqualTo(deed.status));
        var last = deed.steps().get(deed.steps().size() - 1);
        eventually(() ->
                assertThat(stand.events().where(seen -> isOf(seen, key, last))).isNotEmpty());
        var ofDeed = new LinkedHashMap<>(records(instance));
        ofDeed.values()
                .removeIf(seen -> !seen.event().path("correlation_id").asText().equals(key));
        return new Done(instance, key, ofDeed);
    }

    private void verify(Point point, Done done) {
        var effects = stand.world().asked(done.instance).stream()
                .filter(point.deed.effect::equals)
                .count();
        assertThat(effects)
                .as("%s: how often the adapter did it; one that was killed may be asked again", point)
                .isBetween(1L, point.victim == Victim.ADAPTER ? 2L : 1L);
        eventually(() -> {
            assertThat(records(done.instance).values().stream().map(Seen::type))
                    .as("%s: every step is on its topic", point)
                    .containsAll(point.deed.steps());
            assertThat(sequences(done.instance))
                    .as("%s: events without a gap", point)
                    .isEqualTo(counted(done.instance));
        });
        eventually(() -> assertThat(audited(done))
                .as("%s: put on record once", point)
                .containsExactly(done.instance.toString()));
        assertThat(stand.events().faults())
                .as("%s: dead letters, records that break their schema", point)
                .isEmpty();
    }

    private UUID running(String key, String version) {
        var id = UUID.fromString(answered(call(Deed.CREATE, null, key, version)).text("id"));
        eventually(() -> assertThat(instance(id)).isEqualTo("running"));
        eventually(() -> assertThat(operations(id, Deed.CREATE)).containsExactly("succeeded"));
        return id;
    }

    private Call call(Deed deed, UUID instance, String key, String version) {
        var call = stand.owner()
                .call(
                        switch (deed) {
                            case CREATE -> "createAppInstance";
                            case OPERATE -> "runInstanceOperation";
                            case UPGRADE -> "upgradeAppInstance";
                            case DELETE -> "deleteAppInstance";
                        })
                .path("project_id", Demo.PROJECT)
                .header("Idempotency-Key", key)
                .header("X-Correlation-ID", key);
        var addressed = instance == null ? call : call.path("app_instance_id", instance);
        var body = body(deed, key, version);
        return body == null ? addressed : addressed.body(body);
    }

    private static ObjectNode body(Deed deed, String key, String version) {
        return switch (deed) {
            case CREATE ->
                Json.object().put("app_slug", Demo.APP).put("version", version).put("display_name", key);
            case OPERATE -> {
                var body = Json.object().put("operation", PING);
                body.putObject("input").put("message", "hello");
                yield body;
            }
            case UPGRADE -> Json.object().put("version", Demo.NEXT_VERSION);
            case DELETE -> null;
        };
    }

    /** Sends until there is an answer that is final, as a careful client does. */
    private static Answer answered(Call call) {
        return eventuallyGet(() -> {
            var answer = call.send();
            if (!MAY_PASS.contains(answer.status())) {
                assertThat(answer.status()).as("%s", answer.body()).isEqualTo(202);
                return answer;
            }
            throw new IllegalStateException(answer.status() + " " + answer.body());
        });
    }

    private static Answer await(CompletableFuture<Answer> asked) {
        try {
            return asked.get(150, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Everything that was announced of an instance, by its id: what came twice counts once. */
    private Map<String, Seen> records(UUID instance) {
        var records = new LinkedHashMap<String, Seen>();
        for (var seen : stand.events().where(seen -> seen.key().equals(instance.toString()))) {
            records.putIfAbsent(seen.event().path("event_id").asText(), seen);
        }
        return records;
    }

    private static boolean isOf(Seen seen, String correlationId, String type) {
        return seen.type().equals(type)
                && seen.event().path("correlation_id").asText().equals(correlationId);
    }

    private List<Long> sequences(UUID instance) {
        var sequences = new TreeMap<Long, String>();
        records(instance).values().stream()
                .filter(seen -> seen.topic().equals("instances.events"))
                .forEach(seen -> assertThat(
                                sequences.put(seen.payload().path("sequence").asLong(), seen.type()))
                        .isNull());
        return List.copyOf(sequences.keySet());
    }

    private List<Long> counted(UUID instance) {
        var count = records(instance).values().stream()
                .filter(seen -> seen.topic().equals("instances.events"))
                .count();
        return java.util.stream.LongStream.rangeClosed(1, count).boxed().toList();
    }

    private String instance(UUID instance) {
        return stand.owner()
                .call("getAppInstance")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .text("status");
    }

    /** How each operation of the kind stands. */
    private List<String> operations(UUID instance, Deed deed) {
        var page = stand.owner()
                .call("listInstanceOperations")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", instance)
                .send()
                .expect(200)
                .body();
        return StreamSupport.stream(page.path("items").spliterator(), false)
                .filter(operation -> operation.path("operation").asText().equals(deed.operation))
                .map(operation -> operation.path("status").asText())
                .toList();
    }

    private List<String> audited(Done done) {
        var timeline = stand.owner()
                .call("getCorrelation")
                .path("correlation_id", done.correlationId)
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
