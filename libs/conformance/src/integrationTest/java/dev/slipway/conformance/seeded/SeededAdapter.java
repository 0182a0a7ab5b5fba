package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.seeded.ClusterClient.Workload;
import dev.slipway.conformance.seeded.WorkloadLauncher.AbandonedException;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static dev.slipway.conformance.seeded.WorkloadLauncher.instance;
import static dev.slipway.conformance.seeded.WorkloadLauncher.isOf;
import static dev.slipway.conformance.seeded.WorkloadLauncher.others;

/** A small adapter without the SDK that follows the protocol except for one selected bug. */
public final class SeededAdapter implements AutoCloseable {
    private final SeededBug bug;
    private final SeededPlatformClient platform;
    private final ClusterClient cluster;
    private final WorkloadLauncher launcher;
    private final SeededJournal journal;
    private final Map<String, ExecutorService> queues = new ConcurrentHashMap<>();
    private final Set<String> deploying = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService heartbeats = Executors.newSingleThreadScheduledExecutor();
    private Thread consumerThread = new Thread();
    private volatile boolean stopped;

    private SeededAdapter(
            SeededBug bug, SeededPlatformClient platform, ClusterClient clusterClient, SeededJournal journal) {
        this.bug = bug;
        this.platform = platform;
        this.cluster = clusterClient;
        this.launcher = new WorkloadLauncher(bug, clusterClient);
        this.journal = journal;
    }

    /** Runs as a separate process. Arguments: bug and cluster address. The kit sets the environment. */
    public static void main(String[] args) throws Exception {
        start(SeededBug.valueOf(args[0]), args[1], System.getenv())
                .consumerThread
                .join();
    }

    /** Starts an adapter in this process, with the environment that the kit prints. */
    public static SeededAdapter start(SeededBug bug, String clusterUrl, Map<String, String> env) throws Exception {
        var platform = new SeededPlatformClient(bug, env);
        var journal = new SeededJournal(Path.of(env.get("SLIPWAY_ADAPTER_DATA_DIR")));
        var adapter = new SeededAdapter(bug, platform, new ClusterClient(clusterUrl), journal);
        if (bug != SeededBug.NO_HEARTBEAT) {
            adapter.heartbeats.scheduleAtFixedRate(adapter::heartbeat, 0, 10, TimeUnit.SECONDS);
        }
        adapter.reconcile();
        adapter.consumerThread = new Thread(() -> adapter.consume(env.get("SLIPWAY_KAFKA_BOOTSTRAP")), "commands");
        adapter.consumerThread.start();
        return adapter;
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        heartbeats.shutdownNow();
        queues.values().forEach(ExecutorService::shutdownNow);
        consumerThread.join(TimeUnit.SECONDS.toMillis(30));
        platform.close();
    }

    private void heartbeat() {
        try {
            platform.heartbeat();
        } catch (Exception e) {
            System.out.println("heartbeat skipped: " + e);
        }
    }

    private void reconcile() throws Exception {
        var desired = platform.desired();
        var known = new HashSet<String>();
        desired.forEach(item -> known.add(item.path("app_instance_id").asText()));
        for (var workload : cluster.all()) {
            if (!known.contains(workload.instance()) && bug != SeededBug.KEEPS_ORPHANS) {
                cluster.end(List.of(workload));
            }
        }
        if (bug == SeededBug.LOSES_A_COMMAND_ON_RESTART) {
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

    /** Assigns partitions without group membership, so that a restarted adapter continues at once. */
    private void consume(String bootstrap) {
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
            while (consumer.assignment().isEmpty()) { // a new topic may have no partitions yet
                consumer.assign(consumer.partitionsFor(topic).stream()
                        .map(partition -> new TopicPartition(topic, partition.partition()))
                        .toList());
            }
            while (!stopped) {
                for (var record : consumer.poll(Duration.ofMillis(500))) {
                    try {
                        accept(Envelope.fromBytes(record.value()));
                    } catch (MalformedEnvelopeException e) {
                        System.out.println("skipped: " + e.getMessage());
                    }
                }
                consumer.commitSync();
            }
        } catch (Exception e) {
            System.out.println("consuming commands failed: " + e);
        }
    }

    private void accept(Envelope command) throws Exception {
        if (!command.eventType()
                .matches("runtime\\.command\\.(deploy|upgrade|rollback|member|operate|cancel|delete)")) {
            return;
        }
        var instance = instance(command);
        if (is(command, "delete") && deploying.contains(instance) && bug == SeededBug.IGNORES_DELETE_WHILE_DEPLOYING) {
            return;
        }
        if (!journal.add(key(command), command) && bug != SeededBug.NO_DEDUP_OF_COMMANDS) {
            return;
        }
        enqueue(command, false);
    }

    private void enqueue(Envelope command, boolean again) throws IOException {
        var instance = instance(command);
        var generation = command.payload().path("generation").asInt();
        if (generation < journal.generation(instance, generation) && bug != SeededBug.IGNORES_GENERATION) {
            journal.done(key(command));
            return;
        }
        if (is(command, "delete")) {
            launcher.abandonInstance(instance);
        }
        if (is(command, "cancel") && bug != SeededBug.IGNORES_CANCEL) {
            launcher.cancel(command.payload().path("canceled_command_id").asText());
        }
        if (is(command, "deploy")) {
            deploying.add(instance);
        }
        queues.computeIfAbsent(instance, id -> Executors.newSingleThreadExecutor())
                .execute(() -> execute(command, again));
    }

    private void execute(Envelope command, boolean again) {
        try {
            platform.report(command, "accepted", false, Json.object());
            switch (command.eventType()) {
                case "runtime.command.deploy" -> deploy(command, again);
                case "runtime.command.upgrade", "runtime.command.rollback" -> upgrade(command, again);
                case "runtime.command.member" -> member(command, again);
                case "runtime.command.operate" -> operate(command);
                case "runtime.command.delete" -> delete(command);
                default -> {} // a cancel is complete
            }
            journal.done(key(command));
        } catch (Exception e) {
            System.out.println(command.eventType() + " " + command.eventId() + " failed: " + e);
        } finally {
            deploying.remove(instance(command));
        }
    }

    private void deploy(Envelope command, boolean again) throws Exception {
        try {
            cluster.end(others(command, cluster.of(instance(command))));
            var launched = launcher.launchAll(command, again);
            reportMembers(command, launched, "ready");
            platform.report(command, "running", !again, endpoints(launched));
        } catch (AbandonedException e) {
            cluster.end(cluster.of(instance(command)));
            if (!e.status().equals("ended")) {
                platform.report(command, "failed", true, Json.object().put("reason", e.getMessage()));
            }
        }
    }

    private void upgrade(Envelope command, boolean again) throws Exception {
        try {
            if (bug == SeededBug.ENDS_THE_OLD_VERSION_FIRST) {
                cluster.end(cluster.of(instance(command)));
            }
            var launched = launcher.launchAll(command, again);
            cluster.end(others(command, cluster.of(instance(command))));
            reportMembers(command, launched, "ready");
            platform.report(command, "operation", true, endpoints(launched).put("status", "succeeded"));
        } catch (AbandonedException e) {
            cluster.end(cluster.of(instance(command)).stream()
                    .filter(workload -> isOf(command, workload))
                    .toList());
            reportEnd(command, e);
        }
    }

    private void member(Envelope command, boolean again) throws Exception {
        var payload = command.payload();
        var member = payload.path("member");
        var own = cluster.of(instance(command)).stream()
                .filter(workload ->
                        workload.key().endsWith(member.path("member_id").asText()))
                .toList();
        try {
            switch (payload.path("operation").asText()) {
                case "add" -> reportMembers(command, List.of(launcher.launch(command, member, again)), "ready");
                case "drain" -> reportMembers(command, own, "draining");
                case "remove" -> remove(command, own);
                default -> {
                    reportMembers(
                            command, List.of(launcher.launch(command, payload.path("replacement"), again)), "ready");
                    remove(command, own);
                }
            }
            platform.report(command, "operation", true, Json.object().put("status", "succeeded"));
        } catch (AbandonedException e) {
            reportEnd(command, e);
        }
    }

    private void remove(Envelope command, List<Workload> members) throws Exception {
        cluster.end(members);
        reportMembers(command, members, "removed");
    }

    private void operate(Envelope command) throws Exception {
        var input = command.payload().path("input");
        try {
            if (!command.payload().path("operation").asText().equals("echo.say")) {
                throw new AbandonedException("failed", "there is no such operation");
            }
            var until = System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(input.path("takes_ms").asLong());
            while (System.nanoTime() < until) {
                launcher.pauseOrAbandon(command);
            }
            var output = Json.object();
            if (bug == SeededBug.OUTPUT_AGAINST_ITS_SCHEMA) {
                output.put("said", 42);
            } else {
                output.set("said", input.path("message"));
            }
            var result = Json.object().put("status", "succeeded");
            if (bug != SeededBug.SUCCESS_WITHOUT_OUTPUT) {
                result.set("output", output);
            }
            platform.report(command, "operation", bug != SeededBug.NO_DEDUP_OF_COMMANDS, result);
            if (bug == SeededBug.PROGRESS_AFTER_THE_END) {
                platform.report(command, "progress", false, Json.object().put("percent", 100));
            }
        } catch (AbandonedException e) {
            reportEnd(command, e);
        }
    }

    private void delete(Envelope command) throws Exception {
        var own = cluster.of(instance(command));
        cluster.end(own.stream().skip(bug == SeededBug.LEAKS_A_PROCESS ? 1 : 0).toList());
        if (!own.isEmpty()) {
            reportUsage(command);
        }
        if (bug != SeededBug.NEVER_ENDS_A_DELETE) {
            platform.report(command, "deleted", true, Json.object());
        }
    }

    private void reportUsage(Envelope command) throws Exception {
        var now = Instant.now();
        var usage = Json.parseStoredObject(journal.remember(
                "usage-" + instance(command),
                Json.text(Json.object()
                        .put("usage_id", Ids.next().toString())
                        .put("unit", "app_runtime_hour")
                        .put("quantity", "0.001")
                        .put("window_start", now.minusSeconds(3).toString())
                        .put("window_end", now.toString()))));
        platform.report(command, "usage", false, usage);
        if (bug == SeededBug.USAGE_COUNTED_TWICE) {
            platform.report(
                    command, "usage", false, usage.put("usage_id", Ids.next().toString()));
        }
    }

    private void reportEnd(Envelope command, AbandonedException e) throws Exception {
        var status = e.status().equals("ended") ? "failed" : e.status();
        platform.report(
                command, "operation", true, Json.object().put("status", status).put("reason", e.getMessage()));
    }

    private void reportMembers(Envelope command, List<Workload> of, String state) throws Exception {
        var detail = Json.object();
        var members = detail.putArray("members");
        for (var workload : of) {
            var id = workload.key().substring(workload.key().indexOf('.') + 1);
            if (!id.equals("main")) {
                members.addObject()
                        .put("member_id", id)
                        .put("generation", 1)
                        .put("state", state)
                        .put("component_key", workload.id());
            }
        }
        if (bug == SeededBug.MEMBERS_BEYOND_BOUNDS) {
            members.addObject()
                    .put("member_id", Ids.next().toString())
                    .put("generation", 1)
                    .put("state", state);
        }
        if (!members.isEmpty()) {
            platform.report(command, "members", false, detail);
        }
    }

    private static ObjectNode endpoints(List<Workload> launched) {
        var detail = Json.object();
        detail.putArray("endpoints")
                .addObject()
                .put("name", "http")
                .put("url", launched.get(0).url());
        return detail;
    }

    private String key(Envelope command) {
        return bug == SeededBug.DEDUP_BY_TYPE_ONLY
                ? instance(command) + command.eventType()
                : command.eventId().toString();
    }

    private static boolean is(Envelope command, String type) {
        return command.eventType().equals("runtime.command." + type);
    }
}
