package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The actions and expectations available to scenarios. */
final class ScenarioContext {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final ConformanceProfile profile;
    private final CommandPayloads payloads;
    private final Timeouts timeouts;
    private final RunState state;
    private final FakeTokenEndpoint tokens;
    private final KafkaChannel channel;
    private final RuntimeProbe runtime;
    private final HeartbeatChecker heartbeats;
    private final AdapterUnderTest adapter;
    private final IntSupplier calls;

    ScenarioContext(
            ConformanceProfile profile,
            Timeouts timeouts,
            RunState state,
            FakeTokenEndpoint tokens,
            KafkaChannel channel,
            RuntimeProbe runtime,
            HeartbeatChecker heartbeats,
            AdapterUnderTest adapter,
            IntSupplier calls) {
        this.profile = profile;
        this.payloads = new CommandPayloads(profile, state);
        this.timeouts = timeouts;
        this.state = state;
        this.tokens = tokens;
        this.channel = channel;
        this.runtime = runtime;
        this.heartbeats = heartbeats;
        this.adapter = adapter;
        this.calls = calls;
    }

    ConformanceProfile profile() {
        return profile;
    }

    CommandPayloads payloads() {
        return payloads;
    }

    Timeouts limits() {
        return timeouts;
    }

    FakeTokenEndpoint tokens() {
        return tokens;
    }

    HeartbeatChecker heartbeats() {
        return heartbeats;
    }

    RunState state() {
        return state;
    }

    RuntimeProbe runtime() {
        return runtime;
    }

    ScenarioInstance createInstance() {
        return state.createInstance();
    }

    /** Creates a deploy of the next generation without sending it. */
    SentCommand createDeploy(ScenarioInstance instance, ConformanceProfile.App app) {
        return state.add(CommandKind.DEPLOY, instance, payloads.deployment(instance, app));
    }

    SentCommand deploy(ScenarioInstance instance, ConformanceProfile.App app) throws Exception {
        return send(createDeploy(instance, app));
    }

    /** Deploys the base app and waits until it runs. */
    SentCommand deployAndAwaitRunning(ScenarioInstance instance) throws Exception {
        var deploy = deploy(instance, profile.base());
        awaitRunning(deploy);
        return deploy;
    }

    SentCommand command(CommandKind kind, ScenarioInstance instance, ObjectNode payload) throws Exception {
        return send(state.add(kind, instance, payload));
    }

    SentCommand operate(ScenarioInstance instance, String operation, ObjectNode input) throws Exception {
        var payload = payloads.create(instance).put("operation", operation);
        payload.set("input", input);
        return command(CommandKind.OPERATE, instance, payload);
    }

    SentCommand send(SentCommand command) throws Exception {
        channel.send(command.event());
        return command;
    }

    /** Sends the same command again, like the platform after a missing report. */
    void resend(SentCommand command, int attempt) throws Exception {
        var event = command.event();
        var payload = event.payload().deepCopy().put("attempt", attempt);
        channel.send(new Envelope(
                event.eventId(),
                event.eventType(),
                event.occurredAt(),
                event.version(),
                event.correlationId(),
                payload));
    }

    /** Sends a record that is not a command of this protocol version. */
    void sendRaw(String key, byte[] value) throws Exception {
        channel.send(key, value);
    }

    List<String> listCommandGroups() throws Exception {
        return channel.listCommandGroups();
    }

    /** Deletes the instance and waits until it is deleted. */
    void delete(ScenarioInstance instance) throws Exception {
        awaitDeleted(command(CommandKind.DELETE, instance, payloads.createNext(instance)));
    }

    void awaitDeleted(SentCommand delete) throws Exception {
        var end = awaitEnd(delete, Clause.DELETE);
        if (!end.is("deleted")) {
            throw Clause.DELETE.violation(delete + " ended with " + end.describe());
        }
    }

    void awaitAcknowledged(SentCommand command) throws Exception {
        var ignored = await(
                Clause.ACKNOWLEDGEMENT,
                () -> "no report on " + command,
                () -> command.reports().isEmpty() ? null : true);
    }

    ReceivedReport awaitEnd(SentCommand command, Clause clause) throws Exception {
        return await(
                clause, () -> command + " did not end; reports: " + describeReports(command), command::finalReport);
    }

    void awaitSucceeded(SentCommand command, Clause clause) throws Exception {
        var end = awaitEnd(command, clause);
        if (!end.isOperation("succeeded")) {
            throw clause.violation(command + " ended with " + end.describe());
        }
    }

    void awaitRunning(SentCommand deploy) throws Exception {
        awaitRunning(deploy, Clause.TERMINAL_REPORT);
    }

    void awaitRunning(SentCommand deploy, Clause clause) throws Exception {
        var end = awaitEnd(deploy, clause);
        if (!end.is("running")) {
            throw Clause.HEALTHY_WHEN_RUNNING.violation(deploy + " ended with " + end.describe());
        }
    }

    <T> T await(Clause clause, Supplier<String> missing, Callable<@Nullable T> condition) throws Exception {
        var found = state.await(
                () -> {
                    var value = condition.call();
                    var ending = adapter.exitReason();
                    if (value == null && ending != null) {
                        throw Clause.HEARTBEAT.violation(ending);
                    }
                    return value;
                },
                timeouts.patience());
        if (found == null) {
            throw clause.violation(state.read(missing));
        }
        return found;
    }

    List<String> findAlive(ScenarioInstance instance) {
        return runtime.findAlive(instance, state.read(() -> List.copyOf(instance.urls())));
    }

    /**
     * Waits until the adapter has processed all earlier commands of the instance, if it supports operations: commands are executed in
     * order, so an operation acts as a fence. Its outcome is irrelevant.
     */
    void awaitPreviousCommands(ScenarioInstance instance) throws Exception {
        var operation = profile.operation();
        if (operation != null && profile.claims().contains("operations")) {
            var fence = operate(instance, operation.name(), operation.input());
            var ignored = state.await(fence::finalReport, timeouts.patience());
        }
    }

    /** Waits for the settle time and checks that the effects do not change. */
    void expectUnchanged(ScenarioInstance instance, List<String> alive, Clause clause, String what) {
        var end = System.nanoTime() + timeouts.settle().toNanos();
        do {
            var now = findAlive(instance);
            if (!now.equals(alive)) {
                throw clause.violation(what + ": expected " + alive + ", found " + now);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (System.nanoTime() < end);
    }

    /** Waits for the settle time and checks that no effect appears that is not one of these. */
    void expectNoNewEffects(ScenarioInstance instance, List<String> known, Clause clause, String what) {
        var end = System.nanoTime() + timeouts.settle().toNanos();
        do {
            var found = findAlive(instance).stream()
                    .filter(effect -> !known.contains(effect))
                    .toList();
            if (!found.isEmpty()) {
                throw clause.violation(what + ": " + found);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (System.nanoTime() < end);
    }

    /** Waits until the effects of the instance are as expected. */
    void awaitEffects(ScenarioInstance instance, Predicate<List<String>> right, Clause clause, String what) {
        var end = System.nanoTime() + timeouts.patience().toNanos();
        var now = findAlive(instance);
        while (!right.test(now)) {
            if (System.nanoTime() > end) {
                throw clause.violation(what + ": found " + now);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            now = findAlive(instance);
        }
    }

    void kill() throws Exception {
        adapter.kill();
    }

    void restart() throws Exception {
        adapter.kill();
        start();
    }

    /** Starts the adapter unless it runs, and waits for its first API call. */
    void start() throws Exception {
        var before = calls.getAsInt();
        var at = Instant.now();
        if (adapter.start()) {
            heartbeats.recordStart(at);
            var ignored = state.await(
                    () -> (calls.getAsInt() > before || adapter.exitReason() != null) ? true : null, timeouts.start());
        }
    }

    private static String describeReports(SentCommand command) {
        var types = command.reports().stream().map(ReceivedReport::describe).toList();
        return types.isEmpty() ? "none" : String.join(", ", types);
    }
}
