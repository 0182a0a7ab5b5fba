package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.EventTap.Seen;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventuallyGet;

/** Reports as anybody could write them to the broker: about whatever, with whatever token. */
record RawReports(PlatformUnderTest platform) {
    /** The first command of a kind for an instance, such as {@code deploy}. */
    Seen command(String kind, String instance) {
        return eventuallyGet(() -> platform.events()
                .where(seen -> seen.type().equals("runtime.command." + kind)
                        && seen.key().equals(instance))
                .get(0));
    }

    Seen command(String kind, String instance, String operation) {
        return eventuallyGet(() -> platform.events()
                .where(seen -> seen.type().equals("runtime.command." + kind)
                        && seen.key().equals(instance)
                        && seen.payload().path("operation_id").asText().equals(operation))
                .get(0));
    }

    /** What every report on a command has. */
    static ObjectNode about(Seen command) {
        var payload = command.payload();
        return Json.object()
                .put("org_id", payload.path("org_id").asText())
                .put("project_id", payload.path("project_id").asText())
                .put("app_instance_id", command.key())
                .put("command_id", command.event().path("event_id").asText())
                .put("generation", payload.path("generation").asInt())
                .put("operation_id", payload.path("operation_id").asText());
    }

    /** A token for one command, as the demo's adapter gets it. */
    String token(String instance, String command) {
        return token(Demo.ADAPTER, PlatformUnderTest.ADAPTER_SECRET, instance, command);
    }

    String token(UUID adapterId, String secret, String instance, String command) {
        return platform.anonymous()
                .call("exchangeOperatorToken")
                .body(Json.object()
                        .put("adapter_id", adapterId.toString())
                        .put("adapter_secret", secret)
                        .put("app_instance_id", instance)
                        .put("command_id", command))
                .send()
                .expect(200)
                .text("access_token");
    }

    /** Sends a report with the demo's adapter's own token for its command. */
    @CanIgnoreReturnValue
    UUID send(String type, ObjectNode payload) {
        var instance = payload.path("app_instance_id").asText();
        return send(type, payload, token(instance, payload.path("command_id").asText()));
    }

    @CanIgnoreReturnValue
    UUID send(String type, ObjectNode payload, @Nullable String token) {
        var instance = payload.path("app_instance_id").asText();
        var event = new Envelope(Ids.next(), type, Instant.now(), 1, "forged-report", payload);
        var sent = new ProducerRecord<>(platform.topicPrefix() + "runtime.reports", instance, event.toBytes());
        if (token != null) {
            sent.headers().add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        }
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", platform.kafkaBootstrap()),
                new StringSerializer(),
                new ByteArraySerializer())) {
            var unused = producer.send(sent);
        }
        return event.eventId();
    }

    /** What became of a report that was refused. */
    Seen rejection(UUID report) {
        return eventuallyGet(() -> platform.events()
                .where(seen -> seen.type().equals("runtime.report.rejected")
                        && seen.payload().path("report_event_id").asText().equals(report.toString()))
                .get(0));
    }
}
