package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvelopeTest {
    private static final Envelope EVENT = new Envelope(
            Ids.next(),
            "apps.instance.running",
            Instant.parse("2026-01-02T03:04:05.678901Z"),
            1,
            "c-1",
            Json.object().put("sequence", 7));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not json",
                "null",
                "[]",
                "{}",
                "\"text\"",
                "{\"payload\":{}}",
                "{\"payload\":{}} trailing",
                "{\"payload\":{},\"payload\":{}}"
            })
    void fromBytes_throws_whenNotAnEnvelope(String text) {
        assertThatThrownBy(() -> Envelope.fromBytes(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedEnvelopeException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"event_id", "event_type", "occurred_at", "version", "correlation_id", "payload"})
    void fromBytes_throws_whenAFieldIsMissingOrOfAnotherType(String field) throws IOException {
        var without = (ObjectNode) Json.parse(EVENT.toBytes());
        without.remove(field);
        var wrong = (ObjectNode) Json.parse(EVENT.toBytes());
        wrong.putArray(field);

        assertThatThrownBy(() -> Envelope.fromBytes(Json.bytes(without)))
                .isInstanceOf(MalformedEnvelopeException.class);
        assertThatThrownBy(() -> Envelope.fromBytes(Json.bytes(wrong))).isInstanceOf(MalformedEnvelopeException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"event_id", "occurred_at"})
    void fromBytes_throws_whenAFieldCannotBeParsed(String field) throws IOException {
        var wrong = (ObjectNode) Json.parse(EVENT.toBytes());
        wrong.put(field, "yesterday");

        assertThatThrownBy(() -> Envelope.fromBytes(Json.bytes(wrong))).isInstanceOf(MalformedEnvelopeException.class);
    }

    @Test
    void fromBytes_throws_whenTheVersionIsNotAPositiveInteger() throws IOException {
        for (var version : new String[] {"0", "-1", "1.5", "\"1\"", "99999999999", "null"}) {
            var wrong = (ObjectNode) Json.parse(EVENT.toBytes());
            wrong.set("version", Json.parse(version.getBytes(StandardCharsets.UTF_8)));

            assertThatThrownBy(() -> Envelope.fromBytes(Json.bytes(wrong)))
                    .as("version %s", version)
                    .isInstanceOf(MalformedEnvelopeException.class);
        }
    }

    @Test
    void fromBytes_roundTrips() {
        assertThat(Envelope.fromBytes(EVENT.toBytes())).isEqualTo(EVENT);
    }

    @Test
    @Proves("1.70")
    void toBytes_writesExactlyTheContractFields() throws IOException {
        var written = (ObjectNode) Json.parse(EVENT.toBytes());

        assertThat(written.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "event_id", "event_type", "occurred_at", "version", "correlation_id", "payload");
    }

    @Test
    void fromBytes_acceptsTheMaximumClientNesting_withinThePayload() throws IOException {
        var deepest = Json.parse(JsonTest.nested(Json.MAX_DEPTH));
        var payload = Json.object();
        payload.set("config", deepest);
        var event = new Envelope(Ids.next(), "t", Instant.EPOCH, 1, "c-1", payload);

        assertThat(Envelope.fromBytes(event.toBytes()).payload().path("config")).isEqualTo(deepest);
    }
}
