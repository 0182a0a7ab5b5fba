package dev.slipway.standalone.container;

import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestInfrastructure;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The test infrastructure runs in containers if a Docker engine is available. */
class TestInfrastructureTest {
    @BeforeAll
    static void prepareImages() {
        DockerCli.prepareImages("apache/kafka:4.3.1", "postgres:18");
    }

    @Test
    void shared_startsKafkaAndPostgresInContainers() throws Exception {
        var kafka = TestInfrastructure.shared().kafkaBootstrap();

        try (var database = FreshDatabase.create();
                var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            assertThat(database.query("SELECT split_part(version(), ' ', 2)")).startsWith("18");
            admin.createTopics(List.of(new NewTopic("in-a-container", 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
        assertThat(DockerCli.run("docker", "ps", "--format", "{{.Image}}")).contains("apache/kafka", "postgres");
    }
}
