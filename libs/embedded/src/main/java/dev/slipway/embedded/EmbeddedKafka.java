package dev.slipway.embedded;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static java.util.Map.entry;

/**
 * One Kafka node, broker and controller, in this JVM, on 127.0.0.1 only and without authentication.
 *
 * <p>What was acknowledged survives the end of the process, kill -9 included; like any Kafka with a single replica it
 * does not promise to survive a power cut. A fault that Kafka holds for fatal, such as a full disk, ends the JVM.
 *
 * <p>Its loggers are {@code org.apache.kafka}, {@code kafka} and {@code state.change.logger}: WARN is a good level, and
 * {@code org.apache.kafka.clients.NetworkClient} is noisy even there while the broker stops.
 */
public final class EmbeddedKafka implements AutoCloseable {
    private static final int NODE_ID = 1;
    private static final int ATTEMPTS = 3;

    private final KafkaRaftServer server;
    private final String bootstrap;
    private boolean closed;

    private EmbeddedKafka(KafkaRaftServer server, String bootstrap) {
        this.server = server;
        this.bootstrap = bootstrap;
    }

    /**
     * Starts on what the directory holds, or on nothing.
     *
     * @param port 0 for a free one; keeping it over restarts is the caller's matter
     */
    public static EmbeddedKafka start(Path dataDirectory, int port) {
        return start(dataDirectory, port, Map.of());
    }

    /** With broker settings over our own: one that asks its clients who they are, say. Its clients come in by the listener CLIENT. */
    public static EmbeddedKafka start(Path dataDirectory, int port, Map<String, String> more) {
        var directory = dataDirectory.toAbsolutePath().normalize();
        format(directory);
        for (var attempt = 1; ; attempt++) {
            if (port != 0) {
                LoopbackPort.requireFree(port);
            }
            try {
                return startOn(directory, port == 0 ? LoopbackPort.free() : port, LoopbackPort.free(), more);
            } catch (StartFailed e) {
                // A port that was free may have been taken meanwhile: the controller's is always a fresh one.
                if (attempt == ATTEMPTS) {
                    throw new EmbeddedException("Kafka did not start in " + directory + ": " + e.getMessage(), e);
                }
            }
        }
    }

    public String bootstrap() {
        return bootstrap;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.shutdown();
            server.awaitShutdown();
        }
    }

    /** One at a time in a JVM, as what Kafka does instead of exiting is a setting of the whole JVM. */
    private static synchronized EmbeddedKafka startOn(
            Path directory, int port, int controllerPort, Map<String, String> more) throws StartFailed {
        // Kafka would end the JVM when it cannot start.
        Exit.setExitProcedure((status, message) -> {
            throw new IllegalStateException("Kafka asked to exit with status " + status);
        });
        Exit.setHaltProcedure((status, message) -> {
            throw new IllegalStateException("Kafka asked to halt with status " + status);
        });
        KafkaRaftServer server = null;
        try {
            var settings = new HashMap<>(settings(directory, port, controllerPort));
            settings.putAll(more);
            server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
            server.startup();
            return new EmbeddedKafka(server, LoopbackPort.HOST + ":" + port);
        } catch (RuntimeException e) {
            if (server != null) {
                server.shutdown();
                server.awaitShutdown();
            }
            throw new StartFailed(e);
        } finally {
            Exit.resetExitProcedure();
            Exit.resetHaltProcedure();
        }
    }

    private static void format(Path directory) {
        if (Files.exists(directory.resolve("meta.properties"))) {
            return;
        }
        try (var nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            Files.createDirectories(directory);
            new Formatter()
                    .setPrintStream(nowhere)
                    .setNodeId(NODE_ID)
                    .setClusterId(Uuid.randomUuid().toString())
                    .addDirectory(directory.toString())
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName("CONTROLLER")
                    .run();
        } catch (IOException e) {
            throw new EmbeddedException("the Kafka directory " + directory + " is not writable", e);
        } catch (Exception e) {
            throw new EmbeddedException("the Kafka directory " + directory + " could not be prepared", e);
        }
    }

    private static Map<String, String> settings(Path directory, int port, int controllerPort) {
        return Map.ofEntries(
                entry("process.roles", "broker,controller"),
                entry("node.id", String.valueOf(NODE_ID)),
                entry("log.dirs", directory.toString()),
                entry("listeners", "CLIENT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort),
                entry("advertised.listeners", "CLIENT://127.0.0.1:" + port),
                entry("listener.security.protocol.map", "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                entry("inter.broker.listener.name", "CLIENT"),
                entry("controller.listener.names", "CONTROLLER"),
                // Static voters are not stored, so the controller's port may be another at every start.
                entry("controller.quorum.voters", NODE_ID + "@127.0.0.1:" + controllerPort),
                entry("auto.create.topics.enable", "false"),
                entry("group.initial.rebalance.delay.ms", "0"),
                entry("group.min.session.timeout.ms", "1000"), // its clients are on the same machine

                // After a kill -9 the controller lets the broker back in when its old session has ended.
                entry("broker.session.timeout.ms", "2000"),
                entry("broker.heartbeat.interval.ms", "250"),
                entry("server.max.startup.time.ms", "60000"),

                // There is one replica of everything.
                entry("offsets.topic.replication.factor", "1"),
                entry("offsets.topic.num.partitions", "4"),
                entry("transaction.state.log.replication.factor", "1"),
                entry("transaction.state.log.min.isr", "1"),
                entry("transaction.state.log.num.partitions", "4"),
                entry("share.coordinator.state.topic.replication.factor", "1"),
                entry("share.coordinator.state.topic.min.isr", "1"),
                entry("share.coordinator.state.topic.num.partitions", "4"),

                // Small: it shares a JVM with everything else, and many partitions have to stay cheap.
                entry("num.network.threads", "2"),
                entry("num.io.threads", "2"),
                entry("background.threads", "2"),
                entry("num.recovery.threads.per.data.dir", "2"),
                entry("group.coordinator.threads", "1"),
                entry("share.coordinator.threads", "1"),
                entry("log.cleaner.threads", "1"),
                entry("log.cleaner.dedupe.buffer.size", "16777216"),
                entry("log.segment.bytes", "33554432"),
                entry("log.index.size.max.bytes", "1048576"),
                entry("socket.send.buffer.bytes", "-1"),
                entry("socket.receive.buffer.bytes", "-1"));
    }

    /** Kept apart from {@link EmbeddedException} so that only failures of the server itself are tried again. */
    private static final class StartFailed extends Exception {
        StartFailed(RuntimeException cause) {
            super(root(cause).toString(), cause);
        }

        private static Throwable root(Throwable failure) {
            var cause = failure.getCause();
            return cause == null ? failure : root(cause);
        }
    }
}
