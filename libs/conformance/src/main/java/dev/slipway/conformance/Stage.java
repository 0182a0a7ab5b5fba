package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What a scenario does and waits for. */
final class Stage {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Profile profile;
    private final Payloads payloads;
    private final Limits limits;
    private final Ledger ledger;
    private final TokenDesk tokens;
    private final Wire wire;
    private final World world;
    private final Heartbeats heartbeats;
    private final AdapterUnderTest adapter;
    private final IntSupplier calls;

    Stage(
            Profile profile,
            Limits limits,
            Ledger ledger,
            TokenDesk tokens,
            Wire wire,
            World world,
            Heartbeats heartbeats,
            AdapterUnderTest adapter,
            IntSupplier calls) {
        this.profile = profile;
        this.payloads = new Payloads(profile, ledger);
        this.limits = limits;
        this.ledger = ledger;
        this.tokens = tokens;
        this.wire = wire;
        this.world = world;
        this.heartbeats = heartbeats;
        this.adapter = adapter;
        this.calls = calls;
    }

    Profile profile() {
        return profile;
    }

    Payloads payloads() {
        return payloads;
    }

    Limits limits() {
        return limits;
    }

    TokenDesk tokens() {
        return tokens;
    }

    Heartbeats heartbeats() {
        return heartbeats;
    }

    Ledger ledger() {
        return ledger;
    }

    World world() {
        return world;
    }

    Instance instance() {
        return ledger.instance();
    }

    /** A deploy of the next generation, not yet sent. The members are issued with the first. */
    Command deployment(Instance instance, Profile.App app) {
        return ledger.add(Kind.DEPLOY, instance, payloads.deployment(instance, app));
    }

    Command deploy(Instance instance, Profile.App app) throws Exception {
        return send(deployment(instance, app));
    }

    /** Deploys the plain app and waits until it runs. */
    Command running(Instance instance) throws Exception {
        var deploy = deploy(instance, profile.plain());
        runs(deploy);
        return deploy;
    }

    Command command(Kind kind, Instance instance, ObjectNode payload) throws Exception {
        return send(ledger.add(kind, instance, payload));
    }

    Command operate(Instance instance, String operation, ObjectNode input) throws Exception {
        var payload = payloads.of(instance).put("operation", operation);
        payload.set("input", input);
        return command(Kind.OPERATE, instance, payload);
    }

    Command send(Command command) throws Exception {
        wire.send(command.event());
        return command;
    }

    /** The same command again, as the platform sends what it has not heard of. */
    void sendAgain(Command command, int attempt) throws Exception {
        var event = command.event();
        var payload = event.payload().deepCopy().put("attempt", attempt);
        wire.send(new Envelope(
                event.eventId(),
                event.eventType(),
                event.occurredAt(),
                event.version(),
                event.correlationId(),
                payload));
    }

    /** A record that is no command. */
    void sendAnything(byte[] value) throws Exception {
        wire.send(UUID.randomUUID().toString(), value);
    }

    /** Deletes the instance and waits for its end. */
    void delete(Instance instance) throws Exception {
        deleted(command(Kind.DELETE, instance, payloads.next(instance)));
    }

    void deleted(Command delete) throws Exception {
        var end = ended(delete, Clause.DELETE);
        if (!end.is("deleted")) {
            throw Clause.DELETE.broken(delete + " ended with " + end.plain());
        }
    }

    void acknowledged(Command command) throws Exception {
        var ignored = await(
                Clause.ACKNOWLEDGED,
                () -> "nothing was reported on " + command,
                () -> command.reports().isEmpty() ? null : true);
    }

    Report ended(Command command, Clause otherwise) throws Exception {
        return await(otherwise, () -> command + " does not end; heard was " + heard(command), command::end);
    }

    void succeeded(Command command, Clause clause) throws Exception {
        var end = ended(command, clause);
        if (!end.isOperation("succeeded")) {
            throw clause.broken(command + " ended with " + end.plain());
        }
    }

    void runs(Command deploy) throws Exception {
        runs(deploy, Clause.ENDS);
    }

    void runs(Command deploy, Clause otherwise) throws Exception {
        var end = ended(deploy, otherwise);
        if (!end.is("running")) {
            throw Clause.HEALTHY.broken(deploy + " ended with " + end.plain());
        }
    }

    Report heard(Command command, Clause otherwise, String what, Predicate<Report> wanted) throws Exception {
        return await(
                otherwise,
                () -> command + ": " + what,
                () -> command.reports().stream().filter(wanted).findFirst().orElse(null));
    }

    <T> T await(Clause otherwise, Supplier<String> missing, Callable<@Nullable T> wanted) throws Exception {
        var found = ledger.await(
                () -> {
                    var value = wanted.call();
                    var ending = adapter.ending();
                    if (value == null && ending != null) {
                        throw Clause.HEARTBEAT.broken(ending);
                    }
                    return value;
                },
                limits.patience());
        if (found == null) {
            throw otherwise.broken(ledger.read(missing));
        }
        return found;
    }

    List<String> alive(Instance instance) {
        return world.alive(instance, ledger.read(() -> List.copyOf(instance.urls())));
    }

    /**
     * Lets the adapter get past all that was sent before, where it has an operation to tell by: an instance's commands are carried out in
     * order. How the operation ends is not what is tried here.
     */
    void pass(Instance instance) throws Exception {
        var operation = profile.operation();
        if (operation != null && profile.claims().contains("operations")) {
            var fence = operate(instance, operation.name(), operation.input());
            var ignored = ledger.await(fence::end, limits.patience());
        }
    }

    /** Gives what must not happen time to happen: {@code now} has to stay as it is. */
    void staysSo(Instance instance, List<String> alive, Clause clause, String what) {
        var end = System.nanoTime() + limits.settle().toNanos();
        do {
            var now = alive(instance);
            if (!now.equals(alive)) {
                throw clause.broken(what + ": there was " + alive + ", now there is " + now);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (System.nanoTime() < end);
    }

    /** Waits until there is as much as is right of the instance. */
    void becomes(Instance instance, Predicate<List<String>> right, Clause clause, String what) {
        var end = System.nanoTime() + limits.patience().toNanos();
        var now = alive(instance);
        while (!right.test(now)) {
            if (System.nanoTime() > end) {
                throw clause.broken(what + ": there is " + now);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            now = alive(instance);
        }
    }

    void kill() throws Exception {
        adapter.kill();
    }

    void restart() throws Exception {
        adapter.kill();
        start();
    }

    /** Starts the adapter unless it runs, and lets it get as far as its first call. */
    void start() throws Exception {
        var before = calls.getAsInt();
        if (adapter.start()) {
            var ignored = ledger.await(
                    () -> (calls.getAsInt() > before || adapter.ending() != null) ? true : null, limits.start());
        }
    }

    private static String heard(Command command) {
        var types = command.reports().stream().map(Report::plain).toList();
        return types.isEmpty() ? "nothing" : String.join(", ", types);
    }
}
