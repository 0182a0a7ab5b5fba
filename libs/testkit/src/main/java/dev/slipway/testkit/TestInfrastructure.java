package dev.slipway.testkit;

import dev.slipway.embedded.Infrastructure;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.PostgreSQLContainer;
import org.testcontainers.kafka.KafkaContainer;

/**
 * Real Kafka and PostgreSQL for tests. The build starts one for all modules and hands its addresses over; without the build (in an IDE, say)
 * a test process starts its own: in containers where a Docker engine answers, else embedded.
 */
public record TestInfrastructure(String kafkaBootstrap, String databaseUrl) {
    static final String KAFKA = "slipway.test.kafka";
    static final String DATABASE = "slipway.test.database";

    private static final class Shared {
        private static final TestInfrastructure INSTANCE = find();

        private static TestInfrastructure find() {
            var kafka = System.getProperty(KAFKA);
            var database = System.getProperty(DATABASE);
            return kafka != null && database != null ? new TestInfrastructure(kafka, database) : start();
        }
    }

    public static TestInfrastructure shared() {
        return Shared.INSTANCE;
    }

    /** Starts what ends with this process. */
    static TestInfrastructure start() {
        return DockerClientFactory.instance().isDockerAvailable() ? inContainers() : embedded();
    }

    @SuppressWarnings("resource") // Testcontainers' own reaper ends them with the process
    private static TestInfrastructure inContainers() {
        var kafka = new KafkaContainer("apache/kafka:4.1.0");
        var postgres = new PostgreSQLContainer<>("postgres:18").withCommand("postgres", "-c", "max_connections=400");
        kafka.start();
        postgres.start();
        return new TestInfrastructure(
                kafka.getBootstrapServers(),
                "postgresql://" + postgres.getUsername() + ":" + postgres.getPassword() + "@" + postgres.getHost() + ":"
                        + postgres.getFirstMappedPort() + "/" + postgres.getDatabaseName());
    }

    private static TestInfrastructure embedded() {
        var directory = TemporaryDirectory.named("slipway-test");
        var infrastructure = Infrastructure.start(directory.path(), 0, 0);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            infrastructure.close();
            directory.close();
        }));
        return new TestInfrastructure(
                infrastructure.kafka().bootstrap(), infrastructure.postgres().uri());
    }
}
