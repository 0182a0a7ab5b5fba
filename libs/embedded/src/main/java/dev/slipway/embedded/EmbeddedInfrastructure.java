package dev.slipway.embedded;

import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Supplier;

/** Runs Kafka and PostgreSQL in one data directory, which is locked against other processes. */
public final class EmbeddedInfrastructure implements AutoCloseable {
    private final DataDirectory directory;
    private final EmbeddedKafka kafka;
    private final EmbeddedPostgres postgres;

    private EmbeddedInfrastructure(DataDirectory directory, EmbeddedKafka kafka, EmbeddedPostgres postgres) {
        this.directory = directory;
        this.kafka = kafka;
        this.postgres = postgres;
    }

    /** Starts both in parallel, Kafka without authentication, for tests. Port 0 means any free port. */
    public static EmbeddedInfrastructure start(Path root, int kafkaPort, int postgresPort) {
        return start(root, postgresPort, kafka -> EmbeddedKafka.start(kafka, kafkaPort));
    }

    /**
     * Starts both in parallel. Port 0 means any free port.
     *
     * @param access returns the users of Kafka; called when the directory is locked
     */
    public static EmbeddedInfrastructure start(
            Path root, int kafkaPort, int postgresPort, Supplier<BrokerAccess> access) {
        return start(root, postgresPort, kafka -> EmbeddedKafka.start(kafka, kafkaPort, access.get()));
    }

    private static EmbeddedInfrastructure start(Path root, int postgresPort, Function<Path, EmbeddedKafka> startKafka) {
        var directory = DataDirectory.open(root);
        var path = directory.path();
        // Initializes logging after the directory is locked, because the log file is in it, and before the second
        // thread starts,
        // because SLF4J warns about concurrent initialization.
        LoggerFactory.getLogger(EmbeddedInfrastructure.class).debug("starting");
        var kafka = new FutureTask<>(() -> startKafka.apply(path.resolve("kafka")));
        new Thread(kafka, "embedded-kafka-start").start();
        try {
            var postgres = EmbeddedPostgres.start(path.resolve("postgres"), path.resolve("binaries"), postgresPort);
            try {
                return new EmbeddedInfrastructure(directory, result(kafka), postgres);
            } catch (RuntimeException e) {
                postgres.close();
                throw e;
            }
        } catch (RuntimeException e) {
            try (directory) {
                result(kafka).close();
            } catch (RuntimeException alsoFailed) {
                if (alsoFailed != e) {
                    e.addSuppressed(alsoFailed);
                }
            }
            throw e;
        }
    }

    public EmbeddedKafka kafka() {
        return kafka;
    }

    public EmbeddedPostgres postgres() {
        return postgres;
    }

    @Override
    public void close() {
        var stopping = new FutureTask<>(kafka::close, true);
        new Thread(stopping, "embedded-kafka-stop").start();
        try (directory) {
            try {
                postgres.close();
            } finally {
                var unused = result(stopping);
            }
        }
    }

    private static <T> T result(FutureTask<T> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new EmbeddedException("Kafka failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while waiting for Kafka", e);
        }
    }
}
