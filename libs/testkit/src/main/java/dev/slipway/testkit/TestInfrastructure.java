package dev.slipway.testkit;

import dev.slipway.embedded.EmbeddedInfrastructure;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.PostgreSQLContainer;
import org.testcontainers.kafka.KafkaContainer;

/**
 * Real Kafka and PostgreSQL for tests. The build starts one instance for all modules and passes its addresses; without the build, a
 * test process starts its own, in containers if a Docker engine is available, else embedded.
 */
public record TestInfrastructure(String kafkaBootstrap, String databaseUrl) {
    static final String KAFKA = "slipway.test.kafka";
    static final String DATABASE = "slipway.test.database";

    private static final class SharedHolder {
        private static final TestInfrastructure INSTANCE = find();

        private static TestInfrastructure find() {
            var kafka = System.getProperty(KAFKA);
            var database = System.getProperty(DATABASE);
            return kafka != null && database != null ? new TestInfrastructure(kafka, database) : start();
        }
    }

    public static TestInfrastructure shared() {
        return SharedHolder.INSTANCE;
    }

    /** Starts infrastructure that ends with this process. */
    static TestInfrastructure start() {
        return DockerClientFactory.instance().isDockerAvailable() ? startContainers() : startEmbedded();
    }

    @SuppressWarnings("resource") // Testcontainers' own reaper ends them with the process
    private static TestInfrastructure startContainers() {
        var kafka = new KafkaContainer("apache/kafka:4.3.1");
        var postgres = new PostgreSQLContainer<>("postgres:18").withCommand("postgres", "-c", "max_connections=400");
        kafka.start();
        postgres.start();
        return new TestInfrastructure(
                kafka.getBootstrapServers(),
                "postgresql://" + postgres.getUsername() + ":" + postgres.getPassword() + "@" + postgres.getHost() + ":"
                        + postgres.getFirstMappedPort() + "/" + postgres.getDatabaseName());
    }

    private static TestInfrastructure startEmbedded() {
        var directory = TemporaryDirectory.named("slipway-test");
        var embeddedInfrastructure = EmbeddedInfrastructure.start(directory.path(), 0, 0);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            embeddedInfrastructure.close();
            directory.close();
        }));
        return new TestInfrastructure(
                embeddedInfrastructure.kafka().bootstrap(),
                embeddedInfrastructure.postgres().uri());
    }
}
