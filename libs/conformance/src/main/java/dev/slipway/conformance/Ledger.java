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

/** What the kit has asked for and what it has heard. One lock guards it all; who waits is woken by every report. */
final class Ledger {
    private final Map<UUID, Instance> instances = new LinkedHashMap<>();
    private final Map<UUID, Command> commands = new HashMap<>();
    private final Map<UUID, Envelope> reports = new HashMap<>();
    private final List<Noted> findings = new ArrayList<>();
    private String scenario = "";
    private @Nullable RuntimeException fault;

    private record Noted(String scenario, Finding finding) {}

    synchronized void begin(String name) {
        scenario = name;
    }

    synchronized Instance instance() {
        var instance = new Instance(scenario);
        instances.put(instance.id(), instance);
        return instance;
    }

    synchronized Command add(Kind kind, Instance instance, ObjectNode payload) {
        var event = new Envelope(Ids.next(), kind.eventType(), Instant.now(), 1, "kit-" + Ids.next(), payload);
        var command = new Command(kind, instance, event);
        instance.commands().add(command);
        if (kind.raisesGeneration()) {
            instance.raise(command.generation());
        }
        commands.put(command.id(), command);
        return command;
    }

    synchronized @Nullable Command command(@Nullable UUID id) {
        return id == null ? null : commands.get(id);
    }

    synchronized @Nullable Instance instance(@Nullable UUID id) {
        return id == null ? null : instances.get(id);
    }

    /** Those that the platform still knows, in the order they were made. */
    synchronized List<Instance> known() {
        return instances.values().stream()
                .filter(instance -> !instance.isDeleted() && !instance.isForgotten())
                .toList();
    }

    synchronized List<Instance> of(String name) {
        return instances.values().stream()
                .filter(instance -> instance.scenario().equals(name))
                .toList();
    }

    /** Notes a report by its id; answers the one that had the id before. */
    synchronized @Nullable Envelope first(Envelope report) {
        return reports.putIfAbsent(report.eventId(), report);
    }

    synchronized void note(@Nullable Instance instance, Finding finding) {
        findings.add(new Noted(instance == null ? scenario : instance.scenario(), finding));
        notifyAll();
    }

    synchronized List<Finding> findings(String name) {
        return findings.stream()
                .filter(noted -> noted.scenario.equals(name))
                .map(Noted::finding)
                .distinct()
                .toList();
    }

    /** Looks at several things as they are at one moment. */
    synchronized <T extends @Nullable Object> T read(Supplier<T> look) {
        return look.get();
    }

    synchronized void change(Runnable change) {
        change.run();
        notifyAll();
    }

    /** The kit itself cannot go on: who waits learns of it. */
    synchronized void fail(RuntimeException e) {
        fault = e;
        notifyAll();
    }

    /** Waits until there is something; null when patience ends first. */
    synchronized <T> @Nullable T await(Callable<@Nullable T> wanted, Duration patience) throws Exception {
        var end = System.nanoTime() + patience.toNanos();
        while (true) {
            if (fault != null) {
                throw fault;
            }
            var found = wanted.call();
            var left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (found != null || left <= 0) {
                return found;
            }
            wait(Math.min(left, 200)); // what is waited for may also be the end of a process, which wakes nobody
        }
    }
}
