package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The state of a run: instances, commands, reports and findings. Guarded by one lock; every report wakes up waiting threads. */
final class RunState {
    private final Map<UUID, ScenarioInstance> instances = new LinkedHashMap<>();
    private final Map<UUID, SentCommand> commands = new HashMap<>();
    private final Map<UUID, Envelope> reports = new HashMap<>();
    private final List<ScenarioFinding> findings = new ArrayList<>();
    private String scenario = "";
    private @Nullable RuntimeException fault;

    private record ScenarioFinding(String scenario, Finding finding) {}

    synchronized void beginScenario(String name) {
        scenario = name;
    }

    synchronized ScenarioInstance createInstance() {
        return create(false);
    }

    synchronized ScenarioInstance createSharedRuntime() {
        return create(true);
    }

    private ScenarioInstance create(boolean shared) {
        var instance = new ScenarioInstance(scenario, shared);
        instances.put(instance.id(), instance);
        return instance;
    }

    synchronized SentCommand add(CommandKind kind, ScenarioInstance instance, ObjectNode payload) {
        var event = new Envelope(Ids.next(), kind.eventType(), Instant.now(), 1, "kit-" + Ids.next(), payload);
        var command = new SentCommand(kind, instance, event);
        instance.commands().add(command);
        if (kind.raisesGeneration()) {
            instance.raiseGeneration(command.generation());
        }
        commands.put(command.id(), command);
        return command;
    }

    synchronized @Nullable SentCommand command(@Nullable UUID id) {
        return id == null ? null : commands.get(id);
    }

    synchronized @Nullable ScenarioInstance instance(@Nullable UUID id) {
        return id == null ? null : instances.get(id);
    }

    /** Returns the instances known to the platform, in order of creation. */
    synchronized List<ScenarioInstance> knownInstances() {
        return instances.values().stream()
                .filter(instance -> !instance.isDeleted() && !instance.isForgotten())
                .toList();
    }

    synchronized List<ScenarioInstance> deletedInstances() {
        return instances.values().stream().filter(ScenarioInstance::isDeleted).toList();
    }

    synchronized List<ScenarioInstance> instancesOf(String name) {
        return instances.values().stream()
                .filter(instance -> instance.scenario().equals(name))
                .toList();
    }

    /** Stores a report by its id and returns an earlier report with the same id. */
    synchronized @Nullable Envelope putReport(Envelope report) {
        return reports.putIfAbsent(report.eventId(), report);
    }

    synchronized void addFinding(@Nullable ScenarioInstance instance, Finding finding) {
        findings.add(new ScenarioFinding(instance == null ? scenario : instance.scenario(), finding));
        notifyAll();
    }

    synchronized List<Finding> findings(String name) {
        return findings.stream()
                .filter(scenarioFinding -> scenarioFinding.scenario.equals(name))
                .map(ScenarioFinding::finding)
                .distinct()
                .toList();
    }

    /** Reads a consistent snapshot. */
    synchronized <T extends @Nullable Object> T read(Supplier<T> reader) {
        return reader.get();
    }

    synchronized void update(Runnable change) {
        change.run();
        notifyAll();
    }

    /** Records an internal failure of the kit, which is rethrown in waiting threads. */
    synchronized void fail(RuntimeException e) {
        fault = e;
        notifyAll();
    }

    /** Waits for a value; returns null on timeout. */
    synchronized <T> @Nullable T await(Callable<@Nullable T> condition, Duration patience) throws Exception {
        var end = System.nanoTime() + patience.toNanos();
        while (true) {
            if (fault != null) {
                throw fault;
            }
            var found = condition.call();
            var remainingMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (found != null || remainingMs <= 0) {
                return found;
            }
            wait(Math.min(remainingMs, 200)); // poll as well, because the exit of a process does not notify
        }
    }
}
