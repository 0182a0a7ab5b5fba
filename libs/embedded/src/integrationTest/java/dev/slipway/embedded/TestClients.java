package dev.slipway.embedded;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Minimal Kafka and JDBC clients. */
final class TestClients {
    private static final int LIMIT_S = 20;

    private TestClients() {}

    static void createTopic(String bootstrap, String topic) throws Exception {
        try (var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get(LIMIT_S, TimeUnit.SECONDS);
        }
    }

    static void produce(String bootstrap, String topic, String value) throws Exception {
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrap, "acks", "all");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "key", value)).get(LIMIT_S, TimeUnit.SECONDS);
        }
    }

    /** Reads in a consumer group, which also tests the group coordinator. */
    static String consume(String bootstrap, String topic) {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrap, "group.id", "readers-" + topic, "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            var deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
            while (System.nanoTime() < deadlineNs) {
                for (var received : consumer.poll(Duration.ofMillis(200))) {
                    return received.value();
                }
            }
            throw new AssertionError("no record in " + topic);
        }
    }

    static Connection connect(EmbeddedPostgres postgres) throws SQLException {
        return connect(postgres.uri());
    }

    /** Connects with a URI of the form {@code postgresql://user:password@host:port/database}. */
    static Connection connect(String uri) throws SQLException {
        var at = uri.indexOf('@');
        var login = uri.substring("postgresql://".length(), at).split(":", 2);
        return DriverManager.getConnection("jdbc:postgresql://" + uri.substring(at + 1), login[0], login[1]);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String query(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
