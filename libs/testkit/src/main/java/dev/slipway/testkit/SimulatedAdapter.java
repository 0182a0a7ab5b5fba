package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.AdapterConfig;
import dev.slipway.adapter.AdapterHost;
import dev.slipway.adapter.Member;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Usage;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * An adapter on the real broker, for hundreds of instances that are nothing but a line in a file each. The files are the world: they
 * outlive the adapter, so that what it did twice shows, whoever was killed meanwhile.
 *
 * <p>It does at once what it is asked, unless it is told to {@link #hold}, {@link #slow} down or {@link #fail}. What is held says so in a
 * blocker, {@code held}, and ends as canceled when it is canceled.
 */
public final class SimulatedAdapter implements AutoCloseable {
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
    private final World world;
    private final Simulation simulation;
    private final AdapterHost host;

    /** Where the platform is, and who the adapter is to it; {@code directory} keeps the world and the adapter's journal. */
    public record Place(
            String baseUrl,
            String kafkaBootstrap,
            String topicPrefix,
            UUID adapterId,
            Path secretFile,
            Path directory) {

        private AdapterConfig config() {
            return new AdapterConfig(
                    URI.create(baseUrl),
                    kafkaBootstrap,
                    topicPrefix,
                    Map.of("session.timeout.ms", "4000", "heartbeat.interval.ms", "1000"), // tests kill it
                    adapterId,
                    secretFile,
                    directory.resolve("journal"),
                    1_000);
        }
    }

    /**
     * What was done to instances: a file for each, a line for each time that the adapter was asked. Beside {@code deployed} and {@code
     * deleted} these are {@code upgraded VERSION}, {@code rolled back VERSION}, {@code member OPERATION MEMBER_ID} and {@code operated NAME}.
     */
    public record World(Path directory) {
        /** What the adapter was asked to do with the instance, in order. */
        public List<String> asked(UUID instance) {
            try {
                return Files.readAllLines(directory.resolve(instance.toString()));
            } catch (NoSuchFileException e) {
                return List.of();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        public long timesDeployed(UUID instance) {
            return asked(instance).stream().filter(Simulation.DEPLOYED::equals).count();
        }

        void add(UUID instance, String line) throws IOException {
            Files.createDirectories(directory);
            Files.writeString(
                    directory.resolve(instance.toString()),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    private SimulatedAdapter(Place place, String backend) {
        world = new World(place.directory.resolve("world"));
        simulation = new Simulation(vertx, world, backend);
        host = new AdapterHost(vertx, place.config(), telemetry.traces(), simulation);
    }

    public static SimulatedAdapter start(Place place) {
        return start(place, "bare_metal");
    }

    public static SimulatedAdapter start(Place place, String backend) {
        var adapter = new SimulatedAdapter(place, backend);
        await(adapter.host.start());
        return adapter;
    }

    /** Runs as a process of its own, to be killed: {@code baseUrl bootstrap prefix adapterId secretFile directory}. */
    public static void main(String[] args) {
        var adapter = start(
                new Place(args[0], args[1], args[2], UUID.fromString(args[3]), Path.of(args[4]), Path.of(args[5])));
        System.out.println("adapter takes commands: " + adapter.world);
    }

    public World world() {
        return world;
    }

    /** What is asked from now on, deletes excepted, is taken up and takes until {@link #release}. */
    public void hold() {
        simulation.gate.hold();
    }

    /** Deletes that are asked for from now on take until {@link #release}. */
    public void holdDeletes() {
        simulation.deleteGate.hold();
    }

    public void release() {
        simulation.gate.release();
        simulation.deleteGate.release();
    }

    /** Whether what is asked from now on, deletes excepted, fails: {@code told to fail}. */
    public void fail(boolean whether) {
        simulation.failing = whether;
    }

    public void failDeletes(boolean whether) {
        simulation.failingDeletes = whether;
    }

    /** What is asked from now on, deletes excepted, takes so long, and says on its way that it is half done. */
    public void slow(Duration duration) {
        simulation.slowness = duration;
    }

    /** What declared operations answer from now on, from their name and their input; else they answer their input. */
    public void answer(BiFunction<String, JsonNode, ObjectNode> answers) {
        simulation.answers = answers;
    }

    /** Says what became of a member, with nobody asking: {@code state} is one of joining, ready, draining, removed, failed. */
    public void member(UUID instance, UUID memberId, int generation, String state, String reason) {
        var member = new Member(memberId, "unsaid", generation, null);
        var parsed = MemberState.State.valueOf(state.toUpperCase(Locale.ROOT));
        await(host.members(instance, List.of(Simulation.state(member, parsed).because(reason))));
    }

    /** Reports usage of an instance, under an id of the caller's. */
    public void usage(UUID instance, UUID usageId, String unit, String quantity, Instant from, Instant to) {
        await(host.usage(instance, new Usage(usageId, unit, new BigDecimal(quantity), from, to)));
    }

    /** Says that a running instance has failed. */
    public void failed(UUID instance, String reason) {
        await(host.report(instance, new Outcome.Failed(reason)));
    }

    @Override
    public void close() {
        release();
        await(host.stop());
        await(vertx.close());
        telemetry.close();
    }

    private static void await(Future<?> future) {
        try {
            var ignored = future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the simulated adapter", e);
        }
    }
}
