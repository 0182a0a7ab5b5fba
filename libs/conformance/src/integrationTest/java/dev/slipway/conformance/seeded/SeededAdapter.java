package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.seeded.Things.Thing;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A small adapter without the SDK that keeps the protocol, but for the one bug that it is told to have. */
public final class SeededAdapter {
    private final Bug bug;
    private final Platform platform;
    private final Things things;
    private final Journal journal;
    private final Map<String, ExecutorService> lanes = new ConcurrentHashMap<>();
    private final Set<String> canceled = ConcurrentHashMap.newKeySet();
    private final Set<String> ending = ConcurrentHashMap.newKeySet();
    private final Set<String> deploying = ConcurrentHashMap.newKeySet();

    /** The work is no longer wanted, or cannot be done; the message is the reason. */
    private static final class GivenUp extends Exception {
        private final String status;

        GivenUp(String status, String reason) {
            super(reason);
            this.status = status;
        }
    }

    private SeededAdapter(Bug bug, Platform platform, Things things, Journal journal) {
        this.bug = bug;
        this.platform = platform;
        this.things = things;
        this.journal = journal;
    }

    /** {@code <bug> <cluster's address>}; the rest is in the environment that the kit makes. */
    public static void main(String[] args) throws Exception {
        var env = System.getenv();
        var bug = Bug.valueOf(args[0]);
        var platform = new Platform(bug, env);
        var journal = new Journal(Path.of(env.get("SLIPWAY_ADAPTER_DATA_DIR")));
        var adapter = new SeededAdapter(bug, platform, new Things(args[1]), journal);
        if (bug != Bug.NO_HEARTBEAT) {
            Executors.newSingleThreadScheduledExecutor()
                    .scheduleAtFixedRate(adapter::heartbeat, 0, 10, TimeUnit.SECONDS);
        }
        adapter.reconcile();
        adapter.takeCommands(env.get("SLIPWAY_KAFKA_BOOTSTRAP"));
    }

    private void heartbeat() {
        try {
            platform.heartbeat();
        } catch (Exception e) {
            System.out.println("a heartbeat is left out: " + e);
        }
    }

    private void reconcile() throws Exception {
        var desired = platform.desired();
        var known = new HashSet<String>();
        desired.forEach(item -> known.add(item.path("app_instance_id").asText()));
        for (var thing : things.all()) {
            if (!known.contains(thing.instance()) && bug != Bug.KEEPS_ORPHANS) {
                things.end(List.of(thing));
            }
        }
        if (bug == Bug.LOSES_A_COMMAND_ON_RESTART) {
            return;
        }
        for (var command : journal.open()) {
            enqueue(command, true);
        }
        for (var item : desired) {
            for (var command : item.path("open_commands")) {
                accept(Envelope.fromBytes(Json.bytes(command)));
            }
        }
    }

    /** Without a group's membership: who comes back after a kill has the partitions at once. */
    private void takeCommands(String bootstrap) throws Exception {
        var settings = Map.<String, Object>of(
                "bootstrap.servers",
                bootstrap,
                "group.id",
                platform.topic("seeded"),
                "enable.auto.commit",
                "false",
                "auto.offset.reset",
                "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
            var topic = platform.topic("runtime.commands.bare_metal");
            while (consumer.assignment().isEmpty()) { // a young topic may have no partitions yet
                consumer.assign(consumer.partitionsFor(topic).stream()
                        .map(partition -> new TopicPartition(topic, partition.partition()))
                        .toList());
            }
            while (true) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    try {
                        accept(Envelope.fromBytes(record.value()));
                    } catch (MalformedEnvelopeException e) {
                        System.out.println("passed over: " + e.getMessage());
                    }
                }
                consumer.commitSync();
            }
        }
    }

    private void accept(Envelope command) throws Exception {
        if (!command.eventType()
                .matches("runtime\\.command\\.(deploy|upgrade|rollback|member|operate|cancel|delete)")) {
            return;
        }
        var instance = instance(command);
        if (is(command, "delete") && deploying.contains(instance) && bug == Bug.IGNORES_DELETE_WHILE_DEPLOYING) {
            return;
        }
        if (!journal.note(key(command), command) && bug != Bug.NO_DEDUP_OF_COMMANDS) {
            return;
        }
        enqueue(command, false);
    }

    private void enqueue(Envelope command, boolean again) throws IOException {
        var instance = instance(command);
        var generation = command.payload().path("generation").asInt();
        if (generation < journal.generation(instance, generation) && bug != Bug.IGNORES_GENERATION) {
            journal.done(key(command));
            return;
        }
        if (is(command, "delete")) {
            ending.add(instance);
        }
        if (is(command, "cancel") && bug != Bug.IGNORES_CANCEL) {
            canceled.add(command.payload().path("canceled_command_id").asText());
        }
        if (is(command, "deploy")) {
            deploying.add(instance);
        }
        lanes.computeIfAbsent(instance, id -> Executors.newSingleThreadExecutor())
                .execute(() -> carryOut(command, again));
    }

    private void carryOut(Envelope command, boolean again) {
        try {
            platform.report(command, "accepted", false, Json.object());
            switch (command.eventType()) {
                case "runtime.command.deploy" -> deploy(command, again);
                case "runtime.command.upgrade", "runtime.command.rollback" -> upgrade(command, again);
                case "runtime.command.member" -> member(command, again);
                case "runtime.command.operate" -> operate(command);
                case "runtime.command.delete" -> delete(command);
                default -> {} // a cancel has done its work
            }
            journal.done(key(command));
        } catch (Exception e) {
            System.out.println(command.eventType() + " " + command.eventId() + " could not be carried out: " + e);
        } finally {
            deploying.remove(instance(command));
        }
    }

    private void deploy(Envelope command, boolean again) throws Exception {
        try {
            things.end(others(command, things.of(instance(command))));
            var launched = launch(command, again);
            reportMembers(command, launched, "ready");
            platform.report(command, "running", !again, endpoints(launched));
        } catch (GivenUp e) {
            things.end(things.of(instance(command)));
            if (!e.status.equals("ended")) {
                platform.report(command, "failed", true, Json.object().put("reason", e.getMessage()));
            }
        }
    }

    private void upgrade(Envelope command, boolean again) throws Exception {
        try {
            if (bug == Bug.ENDS_THE_OLD_VERSION_FIRST) {
                things.end(things.of(instance(command)));
            }
            var launched = launch(command, again);
            things.end(others(command, things.of(instance(command))));
            reportMembers(command, launched, "ready");
            platform.report(command, "operation", true, endpoints(launched).put("status", "succeeded"));
        } catch (GivenUp e) {
            things.end(things.of(instance(command)).stream()
                    .filter(thing -> isOf(command, thing))
                    .toList());
            ended(command, e);
        }
    }

    private void member(Envelope command, boolean again) throws Exception {
        var payload = command.payload();
        var member = payload.path("member");
        var own = things.of(instance(command)).stream()
                .filter(thing -> thing.key().endsWith(member.path("member_id").asText()))
                .toList();
        try {
            switch (payload.path("operation").asText()) {
                case "add" -> reportMembers(command, List.of(launch(command, member, again)), "ready");
                case "drain" -> reportMembers(command, own, "draining");
                case "remove" -> remove(command, own);
                default -> {
                    reportMembers(command, List.of(launch(command, payload.path("replacement"), again)), "ready");
                    remove(command, own);
                }
            }
            platform.report(command, "operation", true, Json.object().put("status", "succeeded"));
        } catch (GivenUp e) {
            ended(command, e);
        }
    }

    private void remove(Envelope command, List<Thing> members) throws Exception {
        things.end(members);
        reportMembers(command, members, "removed");
    }

    private void operate(Envelope command) throws Exception {
        var input = command.payload().path("input");
        try {
            if (!command.payload().path("operation").asText().equals("echo.say")) {
                throw new GivenUp("failed", "there is no such operation");
            }
            var until = System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(input.path("takes_ms").asLong());
            while (System.nanoTime() < until) {
                goOn(command);
            }
            var output = Json.object();
            if (bug == Bug.OUTPUT_AGAINST_ITS_SCHEMA) {
                output.put("said", 42);
            } else {
                output.set("said", input.path("message"));
            }
            var result = Json.object().put("status", "succeeded");
            if (bug != Bug.SUCCESS_WITHOUT_OUTPUT) {
                result.set("output", output);
            }
            platform.report(command, "operation", bug != Bug.NO_DEDUP_OF_COMMANDS, result);
            if (bug == Bug.PROGRESS_AFTER_THE_END) {
                platform.report(command, "progress", false, Json.object().put("percent", 100));
            }
        } catch (GivenUp e) {
            ended(command, e);
        }
    }

    private void delete(Envelope command) throws Exception {
        var own = things.of(instance(command));
        things.end(own.stream().skip(bug == Bug.LEAKS_A_PROCESS ? 1 : 0).toList());
        if (!own.isEmpty()) {
            reportUsage(command);
        }
        if (bug != Bug.NEVER_ENDS_A_DELETE) {
            platform.report(command, "deleted", true, Json.object());
        }
    }

    private void reportUsage(Envelope command) throws Exception {
        var now = Instant.now();
        var usage = Json.trusted(journal.remember(
                "usage-" + instance(command),
                Json.text(Json.object()
                        .put("usage_id", Ids.next().toString())
                        .put("unit", "app_runtime_hour")
                        .put("quantity", "0.001")
                        .put("window_start", now.minusSeconds(3).toString())
                        .put("window_end", now.toString()))));
        platform.report(command, "usage", false, usage);
        if (bug == Bug.USAGE_COUNTED_TWICE) {
            platform.report(
                    command, "usage", false, usage.put("usage_id", Ids.next().toString()));
        }
    }

    /** Launches what is missing of the command's members, and waits until all are well. */
    private List<Thing> launch(Envelope command, boolean again) throws Exception {
        var members = command.payload().path("members");
        var launched = new ArrayList<Thing>();
        if (members.isEmpty()) {
            launched.add(launch(command, Json.object(), again));
        }
        for (var member : members) {
            launched.add(launch(command, member, again));
        }
        return launched;
    }

    private Thing launch(Envelope command, JsonNode member, boolean again) throws Exception {
        var key = prefix(command) + member.path("member_id").asText("main");
        var config = command.payload().path("config");
        var how = "&ready_in_ms=" + config.path("ready_in_ms").asInt(0)
                + "&broken=" + config.path("broken").asBoolean(false)
                + (bug == Bug.REPORT_BEFORE_EFFECT ? "&starts_in_ms=1500" : "");
        goOn(command);
        var there = again && bug != Bug.DOUBLE_LAUNCH_AFTER_CRASH
                ? things.of(instance(command)).stream()
                        .filter(thing -> thing.key().equals(key))
                        .findFirst()
                        .orElse(null)
                : null;
        var thing = there == null ? things.launch(instance(command), key, how) : there;
        while (bug != Bug.RUNNING_WITHOUT_HEALTH && bug != Bug.REPORT_BEFORE_EFFECT) {
            var health = things.health(thing);
            if (health == 200) {
                return thing;
            }
            if (health != 503) {
                throw new GivenUp("failed", "it is broken, its health is " + health);
            }
            goOn(command);
        }
        return thing;
    }

    /** A moment's pause, unless the work has become pointless. */
    private void goOn(Envelope command) throws GivenUp {
        if (canceled.contains(command.eventId().toString())) {
            throw new GivenUp("canceled", "canceled");
        }
        if (ending.contains(instance(command))) {
            throw new GivenUp("ended", "the instance is being deleted");
        }
        var deadline = Instant.parse(command.payload().path("deadline_at").asText());
        if (Instant.now().isAfter(deadline) && bug != Bug.IGNORES_THE_DEADLINE) {
            throw new GivenUp("failed", "not done by its deadline");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
    }

    private void ended(Envelope command, GivenUp e) throws Exception {
        var status = e.status.equals("ended") ? "failed" : e.status;
        platform.report(
                command, "operation", true, Json.object().put("status", status).put("reason", e.getMessage()));
    }

    private void reportMembers(Envelope command, List<Thing> of, String state) throws Exception {
        var detail = Json.object();
        var members = detail.putArray("members");
        for (var thing : of) {
            var id = thing.key().substring(thing.key().indexOf('.') + 1);
            if (!id.equals("main")) {
                members.addObject()
                        .put("member_id", id)
                        .put("generation", 1)
                        .put("state", state)
                        .put("component_key", thing.id());
            }
        }
        if (bug == Bug.MEMBERS_BEYOND_BOUNDS) {
            members.addObject()
                    .put("member_id", Ids.next().toString())
                    .put("generation", 1)
                    .put("state", state);
        }
        if (!members.isEmpty()) {
            platform.report(command, "members", false, detail);
        }
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode endpoints(List<Thing> launched) {
        var detail = Json.object();
        detail.putArray("endpoints")
                .addObject()
                .put("name", "http")
                .put("url", launched.get(0).url());
        return detail;
    }

    /** A thing's key says which generation it is of. */
    private static String prefix(Envelope command) {
        return command.payload().path("generation").asInt() + ".";
    }

    private static boolean isOf(Envelope command, Thing thing) {
        return thing.key().startsWith(prefix(command));
    }

    private static List<Thing> others(Envelope command, List<Thing> of) {
        return of.stream().filter(thing -> !isOf(command, thing)).toList();
    }

    private String key(Envelope command) {
        return bug == Bug.DEDUP_BY_TYPE_ONLY
                ? instance(command) + command.eventType()
                : command.eventId().toString();
    }

    private static boolean is(Envelope command, String type) {
        return command.eventType().equals("runtime.command." + type);
    }

    private static String instance(Envelope command) {
        return command.payload().path("app_instance_id").asText();
    }
}
