package dev.slipway.embedded;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests the broker with users, on data that an open broker has written. */
class BrokerAccessTest {
    private static final String TOPIC = "events";
    private static final AclBinding WRITE_EVENTS = writeEvents("writer");

    @TempDir
    Path directory;

    @Test
    void onlyUsersWithAnAcl_canWrite() throws Exception {
        var data = directory.resolve("kafka");
        try (var open = EmbeddedKafka.start(data, 0);
                var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", open.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
        }
        var access = new BrokerAccess(Map.of("writer", "secret-1", "reader", "secret-2"), Set.of(WRITE_EVENTS));

        try (var broker = EmbeddedKafka.start(data, 0, access)) {
            send(broker, login("writer", "secret-1"));

            assertThatThrownBy(() -> send(broker, login("reader", "secret-2")))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(TopicAuthorizationException.class);
            assertThatThrownBy(() -> send(broker, login("writer", "secret-2")))
                    .hasRootCauseInstanceOf(SaslAuthenticationException.class);
            assertThatThrownBy(() -> send(broker, Map.of())).hasRootCauseInstanceOf(TimeoutException.class);
            broker.add(new BrokerAccess(Map.of("late", "secret-3"), Set.of(writeEvents("late"))));
            send(broker, login("late", "secret-3"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwx------");
    }

    @Test
    void accessIsReplaced_whenBrokerIsStartedAgain() throws Exception {
        var data = directory.resolve("kafka");
        var before = new BrokerAccess(Map.of("writer", "secret-1", "reader", "secret-2"), Set.of(WRITE_EVENTS));
        try (var broker = EmbeddedKafka.start(data, 0, before)) {
            assertThat(broker.bootstrap()).isNotBlank();
        }

        try (var broker = EmbeddedKafka.start(data, 0, new BrokerAccess(Map.of("writer", "changed"), Set.of()))) {
            assertThatThrownBy(() -> send(broker, login("writer", "secret-1")))
                    .hasRootCauseInstanceOf(SaslAuthenticationException.class);
            assertThatThrownBy(() -> send(broker, login("writer", "changed")))
                    .hasRootCauseInstanceOf(TopicAuthorizationException.class);
        }
    }

    private static AclBinding writeEvents(String user) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, TOPIC, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", AclOperation.WRITE, AclPermissionType.ALLOW));
    }

    private static Map<String, String> login(String user, String password) {
        return Map.of(
                "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", "SCRAM-SHA-256",
                "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + user
                                + "\" password=\"" + password + "\";");
    }

    private static void send(EmbeddedKafka broker, Map<String, String> client) throws Exception {
        var settings = new HashMap<String, Object>(client);
        settings.put("bootstrap.servers", broker.bootstrap());
        settings.put("max.block.ms", client.isEmpty() ? "3000" : "30000"); // a refused connection is retried until then
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(TOPIC, "key", "value")).get(40, TimeUnit.SECONDS);
        }
    }
}
