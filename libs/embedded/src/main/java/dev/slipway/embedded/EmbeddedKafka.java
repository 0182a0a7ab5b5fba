package dev.slipway.embedded;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import static java.util.Map.entry;

/**
 * Runs one Kafka node (broker and controller) in this JVM, on 127.0.0.1 only.
 *
 * <p>Acknowledged records survive the end of the process, including kill -9, but with a single replica not a power failure. Kafka ends the
 * JVM on fatal errors such as a full disk.
 *
 * <p>Its loggers are {@code org.apache.kafka}, {@code kafka} and {@code state.change.logger}. Level WARN is recommended.
 */
public final class EmbeddedKafka implements AutoCloseable {
    static final int GROUP_PARTITIONS = 4;

    private static final int NODE_ID = 1;
    private static final int ATTEMPTS = 3;

    private final KafkaRaftServer server;
    private final String bootstrap;
    private @Nullable BrokerUsers users;
    private boolean closed;

    private EmbeddedKafka(KafkaRaftServer server, String bootstrap) {
        this.server = server;
        this.bootstrap = bootstrap;
    }

    /**
     * Starts without authentication, with the existing data of the directory, or initializes it. For tests only: every process of the
     * machine can write to it.
     *
     * @param port 0 for any free port; the caller must pass the same port after a restart to keep it
     */
    public static EmbeddedKafka start(Path dataDirectory, int port) {
        return start(dataDirectory, port, Map.of());
    }

    /** Starts a broker that only the given users can use. Clients log in with SCRAM-SHA-256 over SASL_PLAINTEXT. */
    public static EmbeddedKafka start(Path dataDirectory, int port, BrokerAccess access) {
        var users = new BrokerUsers(access, dataDirectory);
        var started = start(dataDirectory, port, users.brokerSettings());
        try {
            users.apply(started.bootstrap());
            started.users = users;
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** Starts with additional broker settings, which override ours, for example for authentication. Clients use the listener CLIENT. */
    public static EmbeddedKafka start(Path dataDirectory, int port, Map<String, String> overrides) {
        var directory = dataDirectory.toAbsolutePath().normalize();
        format(directory);
        DataDirectory.restrictToOwner(directory); // also data of earlier versions
        for (var attempt = 1; ; attempt++) {
            if (port != 0) {
                LoopbackPort.requireFree(port);
            }
            try {
                return startOn(
                        directory, port == 0 ? LoopbackPort.findFree() : port, LoopbackPort.findFree(), overrides);
            } catch (KafkaStartException e) {
                // Another process may have taken a port meanwhile. The controller gets a new one for every attempt.
                if (attempt == ATTEMPTS) {
                    throw new EmbeddedException("Kafka did not start in " + directory + ": " + e.getMessage(), e);
                }
            }
        }
    }

    public String bootstrap() {
        return bootstrap;
    }

    /** Adds users and ACLs to those of the start, and waits until the broker applies them. Blocks. Pass them to the next start as well. */
    public void add(BrokerAccess more) {
        Objects.requireNonNull(users, "the broker was started without users").add(bootstrap, more);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.shutdown();
            server.awaitShutdown();
        }
    }

    /** Synchronized, because the exit procedure of Kafka is a setting of the whole JVM. */
    private static synchronized EmbeddedKafka startOn(
            Path directory, int port, int controllerPort, Map<String, String> overrides) throws KafkaStartException {
        // Otherwise Kafka would end the JVM if it cannot start.
        Exit.setExitProcedure((status, message) -> {
            throw new IllegalStateException("Kafka asked to exit with status " + status);
        });
        Exit.setHaltProcedure((status, message) -> {
            throw new IllegalStateException("Kafka asked to halt with status " + status);
        });
        KafkaRaftServer server = null;
        try {
            var settings = new HashMap<>(settings(directory, port, controllerPort));
            settings.putAll(overrides);
            server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
            server.startup();
            return new EmbeddedKafka(server, LoopbackPort.HOST + ":" + port);
        } catch (RuntimeException e) {
            if (server != null) {
                server.shutdown();
                server.awaitShutdown();
            }
            throw new KafkaStartException(e);
        } finally {
            Exit.resetExitProcedure();
            Exit.resetHaltProcedure();
        }
    }

    private static void format(Path directory) {
        if (Files.exists(directory.resolve("meta.properties"))) {
            return;
        }
        try (var discarded = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            Files.createDirectories(directory);
            new Formatter()
                    .setPrintStream(discarded)
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
                // Static voters are not stored, so the port of the controller can change with every start.
                entry("controller.quorum.voters", NODE_ID + "@127.0.0.1:" + controllerPort),
                entry("auto.create.topics.enable", "false"),
                entry("group.initial.rebalance.delay.ms", "0"),
                entry("group.min.session.timeout.ms", "1000"), // clients run on the same machine

                // After kill -9 the broker can register again only when its previous session has expired.
                entry("broker.session.timeout.ms", "3000"),
                entry("broker.heartbeat.interval.ms", "1000"),
                entry("server.max.startup.time.ms", "60000"),

                // The controller writes a no-op record at this interval, by default twice a second. Nothing waits for
                // it here.
                entry("metadata.max.idle.interval.ms", "10000"),

                // Internal topics have one replica.
                entry("offsets.topic.replication.factor", "1"),
                entry("offsets.topic.num.partitions", String.valueOf(GROUP_PARTITIONS)),
                entry("transaction.state.log.replication.factor", "1"),
                entry("transaction.state.log.min.isr", "1"),
                entry("transaction.state.log.num.partitions", "4"),
                entry("share.coordinator.state.topic.replication.factor", "1"),
                entry("share.coordinator.state.topic.min.isr", "1"),
                entry("share.coordinator.state.topic.num.partitions", "4"),

                // Small, because the broker shares the JVM with all services.
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

    /** A failure of the server itself. Only these are retried. */
    private static final class KafkaStartException extends Exception {
        KafkaStartException(RuntimeException cause) {
            super(root(cause).toString(), cause);
        }

        private static Throwable root(Throwable failure) {
            var cause = failure.getCause();
            return cause == null ? failure : root(cause);
        }
    }
}
