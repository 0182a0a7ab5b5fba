package dev.slipway.embedded;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
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
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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

    @Test
    void newMemberOfAnInProcessGroup_getsItsPartitions_afterTheProcessWasKilled() throws Exception {
        var data = directory.resolve("kafka");
        var access = new BrokerAccess(
                Map.of("writer", "secret-1", "reader", "secret-2"),
                Set.of(
                        WRITE_EVENTS,
                        acl("writer", ResourceType.TOPIC, TOPIC, AclOperation.CREATE),
                        acl("reader", ResourceType.TOPIC, TOPIC, AclOperation.READ),
                        acl("reader", ResourceType.GROUP, "service.events", AclOperation.READ)),
                Set.of("service."));
        KafkaConsumer<String, String> killed;
        try (var broker = EmbeddedKafka.start(data, 0, access)) {
            createTopic(broker);
            send(broker, login("writer", "secret-1"));
            killed = consumer(broker);
            assertThat(read(killed)).isEqualTo("value");
        }
        killed.close(CloseOptions.timeout(Duration.ZERO)); // its broker is gone, so it cannot leave the group

        try (var broker = EmbeddedKafka.start(data, 0, access);
                var next = consumer(broker)) {
            assertThat(read(next)).isEqualTo("value");
        }
    }

    private static void createTopic(EmbeddedKafka broker) throws Exception {
        var settings = new HashMap<String, Object>(login("writer", "secret-1"));
        settings.put("bootstrap.servers", broker.bootstrap());
        try (var admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
        }
    }

    /** Its session outlasts the test, and it commits no offset. */
    private static KafkaConsumer<String, String> consumer(EmbeddedKafka broker) {
        var settings = new HashMap<String, Object>(login("reader", "secret-2"));
        settings.putAll(Map.of(
                "bootstrap.servers", broker.bootstrap(),
                "group.id", "service.events",
                "session.timeout.ms", "300000",
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false"));
        var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(TOPIC));
        return consumer;
    }

    private static String read(KafkaConsumer<String, String> consumer) {
        var deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < deadlineNs) {
            for (var received : consumer.poll(Duration.ofMillis(200))) {
                return received.value();
            }
        }
        throw new AssertionError("the consumer received nothing");
    }

    private static AclBinding writeEvents(String user) {
        return acl(user, ResourceType.TOPIC, TOPIC, AclOperation.WRITE);
    }

    private static AclBinding acl(String user, ResourceType type, String name, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
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
