package dev.slipway.testkit;

import dev.slipway.adapter.AdapterConfig;
import dev.slipway.adapter.AdapterHost;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * An adapter on the real broker, for hundreds of instances that are nothing but a line in a file each. The files are the world: they
 * outlive the adapter, so that what it did twice shows, whoever was killed meanwhile.
 */
public final class SimulatedAdapter implements AutoCloseable {
    private static final String BACKEND = "bare_metal";
    private static final String DEPLOYED = "deployed";
    private static final String DELETED = "deleted";

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
    private final World world;
    private final AdapterHost host;
    private volatile Promise<Void> gate = Promise.promise();
    private volatile boolean failing;

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

    /** What was done to instances: a file for each, a line for each time that the adapter was asked. */
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
            return asked(instance).stream().filter(DEPLOYED::equals).count();
        }

        private void add(UUID instance, String line) throws IOException {
            Files.createDirectories(directory);
            Files.writeString(
                    directory.resolve(instance.toString()),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    private SimulatedAdapter(Place place) {
        world = new World(place.directory.resolve("world"));
        host = new AdapterHost(vertx, place.config(), telemetry.traces(), new Simulation());
        gate.complete();
    }

    public static SimulatedAdapter start(Place place) {
        var adapter = new SimulatedAdapter(place);
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

    /** Deployments are taken up, and take until {@link #release}. */
    public void hold() {
        gate = Promise.promise();
    }

    public void release() {
        gate.tryComplete();
    }

    /** Whether deployments fail from now on. */
    public void fail(boolean whether) {
        failing = whether;
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

    private final class Simulation implements RuntimeAdapter {
        @Override
        public String backend() {
            return BACKEND;
        }

        @Override
        public Future<Outcome> deploy(DeployCommand command, Progress progress) {
            var instance = command.task().appInstanceId();
            return Future.any(gate.future(), progress.cancelled())
                    .compose(ok -> write(instance, DEPLOYED))
                    .map(ok -> failing
                            ? new Outcome.Failed("told to fail")
                            : new Outcome.Running(
                                    List.of(new Outcome.Endpoint("http", "http://simulated.invalid/" + instance))));
        }

        @Override
        public Future<Outcome> delete(DeleteCommand command, Progress progress) {
            return write(command.task().appInstanceId(), DELETED).map(ok -> new Outcome.Deleted());
        }

        private Future<Void> write(UUID instance, String line) {
            return vertx.executeBlocking(() -> {
                world.add(instance, line);
                return null;
            });
        }
    }
}
