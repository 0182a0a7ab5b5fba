package dev.slipway.embedded;

import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Kafka and PostgreSQL together under one directory that no other process uses meanwhile. */
public final class Infrastructure implements AutoCloseable {
    private final DataDirectory directory;
    private final EmbeddedKafka kafka;
    private final EmbeddedPostgres postgres;

    private Infrastructure(DataDirectory directory, EmbeddedKafka kafka, EmbeddedPostgres postgres) {
        this.directory = directory;
        this.kafka = kafka;
        this.postgres = postgres;
    }

    /** Starts both at once, as either takes seconds; a port of 0 means a free one. */
    public static Infrastructure start(Path root, int kafkaPort, int postgresPort) {
        var directory = DataDirectory.open(root);
        var path = directory.path();
        // Not before the directory is ours, for the log is in it; and not by two threads at once, of which SLF4J
        // complains.
        LoggerFactory.getLogger(Infrastructure.class).debug("starting");
        var kafka = new FutureTask<>(() -> EmbeddedKafka.start(path.resolve("kafka"), kafkaPort));
        new Thread(kafka, "embedded-kafka-start").start();
        try {
            var postgres = EmbeddedPostgres.start(path.resolve("postgres"), path.resolve("binaries"), postgresPort);
            try {
                return new Infrastructure(directory, result(kafka), postgres);
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
