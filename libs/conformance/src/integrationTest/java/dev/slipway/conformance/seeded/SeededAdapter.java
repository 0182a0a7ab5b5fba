package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.seeded.ClusterClient.Workload;
import dev.slipway.conformance.seeded.WorkloadLauncher.AbandonedException;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
    private static final EventSchemas SCHEMAS = EventSchemas.load();

    private final SeededBug bug;
    private final SeededPlatformClient platform;
    private final ClusterClient cluster;
    private final WorkloadLauncher launcher;
    private final SeededJournal journal;
    private final Map<String, ExecutorService> queues = new ConcurrentHashMap<>();
    private final Set<String> deploying = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2);
    private final SeededUsageReporter usage;
    private final MemberReporter members;
    private final Path home;
    private Thread consumerThread = new Thread();
    private volatile boolean stopped;

    private SeededAdapter(
            SeededBug bug,
            SeededPlatformClient platform,
            ClusterClient clusterClient,
            SeededJournal journal,
            Path home) {
        this.bug = bug;
        this.platform = platform;
        this.cluster = clusterClient;
        this.launcher = new WorkloadLauncher(bug, clusterClient);
        this.journal = journal;
        this.usage = new SeededUsageReporter(bug, platform, journal, this::enqueueTask);
        this.members = new MemberReporter(bug, platform);
        this.home = home;
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
        var home = Path.of(env.get("SLIPWAY_ADAPTER_DATA_DIR"));
        var journal = new SeededJournal(home);
        var adapter = new SeededAdapter(bug, platform, new ClusterClient(clusterUrl), journal, home);
        if (bug == SeededBug.HEARTBEATS_ONCE) {
            adapter.heartbeat();
        } else if (bug != SeededBug.NO_HEARTBEAT) {
            adapter.timers.scheduleAtFixedRate(adapter::heartbeat, 0, 10, TimeUnit.SECONDS);
        }
        adapter.timers.scheduleAtFixedRate(adapter.usage::reportAll, 1, 1, TimeUnit.SECONDS);
        adapter.reconcile();
        adapter.consumerThread = new Thread(() -> adapter.consume(env.get("SLIPWAY_KAFKA_BOOTSTRAP")), "commands");
        adapter.consumerThread.start();
        return adapter;
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        timers.shutdownNow();
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
        desired.forEach(item -> known.add(SeededPlatformClient.subject(item)));
        for (var workload : cluster.all()) {
            if (!known.contains(workload.instance()) && bug != SeededBug.KEEPS_ORPHANS) {
                cluster.end(List.of(workload));
            }
        }
        if (bug == SeededBug.RELAUNCHES_AT_START) {
            for (var workload : cluster.all()) {
                cluster.end(List.of(workload));
                var ignored = cluster.launch(workload.instance(), workload.key(), "&ready_in_ms=0&broken=false");
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
                platform.topic("seeded") + (bug == SeededBug.NEW_CONSUMER_GROUP_PER_START ? System.nanoTime() : ""),
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
        if (!command.eventType().matches("runtime\\.command\\.(deploy|upgrade|rollback|member|operate|cancel|delete)")
                || (command.version() != 1 && bug != SeededBug.ACCEPTS_UNKNOWN_VERSIONS)) {
            return;
        }
        if (bug == SeededBug.REFUSES_UNKNOWN_FIELDS
                && !SCHEMAS.validate(Json.parse(command.toBytes())).isEmpty()) {
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
        if (is(command, "delete")
                && bug != SeededBug.DELETE_WAITS_FOR_DEPLOY
                && bug != SeededBug.DELETE_WAITS_FOR_OPERATION) {
            launcher.abandonInstance(instance);
        }
        if (is(command, "cancel") && bug != SeededBug.IGNORES_CANCEL) {
            launcher.cancel(command.payload().path("canceled_command_id").asText());
        }
        if (is(command, "deploy")) {
            deploying.add(instance);
        }
        enqueueTask(instance, () -> execute(command, again));
    }

    private void enqueueTask(String instance, Runnable task) {
        queues.computeIfAbsent(
                        bug == SeededBug.BLOCKS_OTHER_INSTANCES ? "all" : instance,
                        id -> Executors.newSingleThreadExecutor())
                .execute(task);
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
            members.report(command, launched, "ready");
            if (bug == SeededBug.LEAVES_A_DIRECTORY) {
                Files.createDirectories(home.resolve("instances").resolve(instance(command)));
            }
            usage.start(command);
            platform.report(command, "running", !again, endpoints(launched));
        } catch (AbandonedException e) {
            cluster.end(cluster.of(instance(command)));
            if (!e.status().equals("ended")) {
                platform.report(command, "failed", true, Json.object().put("reason", e.getMessage()));
            }
            if (bug == SeededBug.STARTS_AFTER_FAILURE) {
                var ignored = cluster.launch(instance(command), "late", "&ready_in_ms=0&broken=false&starts_in_ms=200");
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
            members.report(command, launched, "ready");
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
                case "add" -> members.report(command, List.of(launcher.launch(command, member, again)), "ready");
                case "drain" -> {
                    members.report(command, own, "draining");
                    if (bug == SeededBug.REFUSED_MEMBER_TRANSITION) {
                        members.report(command, own, "ready");
                    }
                }
                case "remove" -> remove(command, own);
                default -> {
                    members.report(
                            command, List.of(launcher.launch(command, payload.path("replacement"), again)), "ready");
                    remove(command, own);
                }
            }
            platform.report(command, "operation", true, Json.object().put("status", "succeeded"));
        } catch (AbandonedException e) {
            reportEnd(command, e);
        }
    }

    private void remove(Envelope command, List<Workload> workloads) throws Exception {
        cluster.end(workloads);
        members.report(command, workloads, "removed");
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
            usage.end(command);
        }
        if (bug != SeededBug.NEVER_ENDS_A_DELETE) {
            platform.report(command, "deleted", true, Json.object());
        }
        if (bug == SeededBug.STARTS_AFTER_DELETE) {
            var ignored = cluster.launch(instance(command), "late", "&ready_in_ms=0&broken=false&starts_in_ms=300");
        }
    }

    private void reportEnd(Envelope command, AbandonedException e) throws Exception {
        var status = e.status().equals("ended") ? "failed" : e.status();
        platform.report(
                command, "operation", true, Json.object().put("status", status).put("reason", e.getMessage()));
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
