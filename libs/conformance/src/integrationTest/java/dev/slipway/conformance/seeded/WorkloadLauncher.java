package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.seeded.ClusterClient.Workload;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Launches workloads and waits for them, until their command is canceled, late or superseded by a deletion. */
final class WorkloadLauncher {
    private final SeededBug bug;
    private final ClusterClient cluster;
    private final Set<String> canceledCommands = ConcurrentHashMap.newKeySet();
    private final Set<String> deletedInstances = ConcurrentHashMap.newKeySet();

    /** The command is canceled or cannot be executed; the message is the reason. */
    static final class AbandonedException extends Exception {
        private final String status;

        AbandonedException(String status, String reason) {
            super(reason);
            this.status = status;
        }

        String status() {
            return status;
        }
    }

    WorkloadLauncher(SeededBug bug, ClusterClient cluster) {
        this.bug = bug;
        this.cluster = cluster;
    }

    /** Abandons the work of the command. */
    void cancel(String commandId) {
        canceledCommands.add(commandId);
    }

    /** Abandons all work of the instance. */
    void abandonInstance(String instanceId) {
        deletedInstances.add(instanceId);
    }

    /** Launches the missing members of the command and waits until all are healthy. */
    List<Workload> launchAll(Envelope command, boolean again) throws Exception {
        var members = command.payload().path("members");
        var launched = new ArrayList<Workload>();
        if (members.isEmpty()) {
            launched.add(launch(command, Json.object(), again));
        }
        for (var member : members) {
            launched.add(launch(command, member, again));
        }
        return launched;
    }

    Workload launch(Envelope command, JsonNode member, boolean again) throws Exception {
        var key = prefix(command) + member.path("member_id").asText("main");
        var config = command.payload().path("config");
        var options = "&ready_in_ms=" + config.path("ready_in_ms").asInt(0)
                + "&broken=" + config.path("broken").asBoolean(false)
                + (bug == SeededBug.REPORT_BEFORE_EFFECT ? "&starts_in_ms=20000" : "");
        pauseOrAbandon(command);
        var existing = again && bug != SeededBug.DOUBLE_LAUNCH_AFTER_CRASH
                ? cluster.of(instance(command)).stream()
                        .filter(workload -> workload.key().equals(key))
                        .findFirst()
                        .orElse(null)
                : null;
        var workload = existing == null ? cluster.launch(instance(command), key, options) : existing;
        while (bug != SeededBug.RUNNING_WITHOUT_HEALTH && bug != SeededBug.REPORT_BEFORE_EFFECT) {
            var health = cluster.health(workload);
            if (health == 200) {
                return workload;
            }
            if (health != 503) {
                throw new AbandonedException("failed", "it is broken, its health is " + health);
            }
            pauseOrAbandon(command);
        }
        return workload;
    }

    /** Pauses briefly; throws if the command is canceled or late. */
    void pauseOrAbandon(Envelope command) throws AbandonedException {
        if (canceledCommands.contains(command.eventId().toString())) {
            throw new AbandonedException("canceled", "canceled");
        }
        if (deletedInstances.contains(instance(command))) {
            throw new AbandonedException("ended", "the instance is being deleted");
        }
        var deadline = Instant.parse(command.payload().path("deadline_at").asText());
        if (Instant.now().isAfter(deadline) && bug != SeededBug.IGNORES_THE_DEADLINE) {
            throw new AbandonedException("failed", "not done by its deadline");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
    }

    /** The key of a workload starts with its generation. */
    private static String prefix(Envelope command) {
        return command.payload().path("generation").asInt() + ".";
    }

    static boolean isOf(Envelope command, Workload workload) {
        return workload.key().startsWith(prefix(command));
    }

    static List<Workload> others(Envelope command, List<Workload> of) {
        return of.stream().filter(workload -> !isOf(command, workload)).toList();
    }

    static String instance(Envelope command) {
        return SeededPlatformClient.subject(command.payload());
    }
}
