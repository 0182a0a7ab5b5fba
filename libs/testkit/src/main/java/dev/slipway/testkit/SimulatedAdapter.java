package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.AdapterConfig;
import dev.slipway.adapter.AdapterHost;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.UsageWindow;
import dev.slipway.contract.domain.TextEnum;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * An adapter on the real broker whose instances are one file each. The files outlive the adapter, so that repeated work is visible
 * after a kill. Commands complete immediately, unless the test calls {@link #hold}, {@link #delay} or {@link #fail}. A held
 * command reports the blocker {@code held} and can be canceled.
 */
public final class SimulatedAdapter implements AutoCloseable {
    public static final String VERSION = "3.2.1";
    public static final String SOURCE_COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8";

    private static final String DEFAULT_BACKEND = "bare_metal";

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(1)).build();
    private final InstanceFiles instanceFiles;
    private final SimulatedRuntime simulatedRuntime;
    private final AdapterHost host;

    /**
     * The address of the platform and the identity of the adapter; {@code directory} contains the instance files and the adapter's
     * journal.
     */
    public record AdapterSettings(
            String baseUrl,
            String kafkaBootstrap,
            String topicPrefix,
            Map<String, String> kafkaClient,
            UUID adapterId,
            Path secretFile,
            Path directory) {

        public AdapterSettings(
                String baseUrl,
                String kafkaBootstrap,
                String topicPrefix,
                UUID adapterId,
                Path secretFile,
                Path directory) {
            this(baseUrl, kafkaBootstrap, topicPrefix, Map.of(), adapterId, secretFile, directory);
        }

        private AdapterConfig config() {
            var client = new HashMap<>(kafkaClient);
            client.putAll(Map.of("session.timeout.ms", "4000", "heartbeat.interval.ms", "1000")); // tests kill it
            return new AdapterConfig(
                    URI.create(baseUrl),
                    kafkaBootstrap,
                    topicPrefix,
                    client,
                    adapterId,
                    secretFile,
                    directory.resolve("journal"),
                    1_000);
        }
    }

    /**
     * One file per instance with one line per command: {@code deployed}, {@code deleted}, {@code upgraded VERSION}, {@code rolled back
     * VERSION}, {@code member OPERATION MEMBER_ID} and {@code operated NAME}.
     */
    public record InstanceFiles(Path directory) {
        /** Returns the commands for the instance, in order. */
        public List<String> requests(UUID instance) {
            try {
                return Files.readAllLines(directory.resolve(instance.toString()));
            } catch (NoSuchFileException e) {
                return List.of();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        public long timesDeployed(UUID instance) {
            return requests(instance).stream()
                    .filter(SimulatedRuntime.DEPLOYED::equals)
                    .count();
        }

        void append(UUID instance, String line) throws IOException {
            Files.createDirectories(directory);
            Files.writeString(
                    directory.resolve(instance.toString()),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    private SimulatedAdapter(AdapterSettings adapterSettings, String backend) {
        instanceFiles = new InstanceFiles(adapterSettings.directory.resolve("world"));
        simulatedRuntime = new SimulatedRuntime(vertx, instanceFiles, backend);
        host = new AdapterHost(vertx, adapterSettings.config(), telemetry.traces(), simulatedRuntime);
    }

    public static SimulatedAdapter start(AdapterSettings adapterSettings) {
        return start(adapterSettings, DEFAULT_BACKEND);
    }

    public static SimulatedAdapter start(AdapterSettings adapterSettings, String backend) {
        var adapter = new SimulatedAdapter(adapterSettings, backend);
        await(adapter.host.start());
        return adapter;
    }

    /** Runs as a separate process: {@code baseUrl bootstrap prefix adapterId secretFile directory}. */
    public static void main(String[] args) {
        var adapterSettings = new AdapterSettings(
                args[0], args[1], args[2], UUID.fromString(args[3]), Path.of(args[4]), Path.of(args[5]));
        var adapter = new SimulatedAdapter(adapterSettings, DEFAULT_BACKEND);
        // Before the start, which continues the commands of a killed process.
        adapter.replyWith((operation, input) -> ((ObjectNode) input).deepCopy().put("member", "simulated"));
        await(adapter.host.start());
        System.out.println("adapter takes commands: " + adapter.instanceFiles);
    }

    public InstanceFiles instanceFiles() {
        return instanceFiles;
    }

    /** Holds all commands except deletes until {@link #release}. */
    public void hold() {
        simulatedRuntime.commandPause.hold();
    }

    /** Holds deletes until {@link #release}. */
    public void holdDeletes() {
        simulatedRuntime.deletePause.hold();
    }

    public void release() {
        simulatedRuntime.commandPause.release();
        simulatedRuntime.deletePause.release();
    }

    /** Makes all commands except deletes fail with {@code failure requested}. */
    public void fail(boolean whether) {
        simulatedRuntime.failing = whether;
    }

    public void failDeletes(boolean whether) {
        simulatedRuntime.failingDeletes = whether;
    }

    /** Delays all commands except deletes, and reports progress halfway. */
    public void delay(Duration duration) {
        simulatedRuntime.delay = duration;
    }

    /** Sets the result of declared operations, computed from name and input; by default it is the input. */
    public void replyWith(BiFunction<String, JsonNode, ObjectNode> answers) {
        simulatedRuntime.replies = answers;
    }

    /** Reports the state of a member without a command: joining, ready, draining, removed or failed. */
    public void reportMember(UUID instance, UUID memberId, int generation, String state, String reason) {
        var memberRef = new MemberRef(memberId, "unsaid", generation, null);
        var parsed = TextEnum.parse(MemberState.State.class, state);
        await(host.reportMembers(
                instance, List.of(SimulatedRuntime.state(memberRef, parsed).withReason(reason))));
    }

    /** Reports usage of an instance under the given id. */
    public void reportUsage(UUID instance, UUID usageId, String unit, String quantity, Instant from, Instant to) {
        await(host.reportUsage(instance, new UsageWindow(usageId, unit, new BigDecimal(quantity), from, to)));
    }

    /** Reports that a running instance has failed. */
    public void reportFailure(UUID instance, String reason) {
        await(host.reportOutcome(instance, new Outcome.Failed(reason)));
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
