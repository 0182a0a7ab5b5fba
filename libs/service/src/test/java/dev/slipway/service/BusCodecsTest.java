package dev.slipway.service;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BusCodecsTest {
    @Test
    void decodeFromWire_throws_whenBytesAreMalformed() {
        var buffer = Buffer.buffer().appendInt(3).appendString("no!");

        assertThatThrownBy(() -> BusCodecs.CALLS.decodeFromWire(0, buffer)).hasMessageContaining("no");
    }

    @Test
    void call_isEqual_afterEncoding() {
        var body = Json.object().put("text", "ü\n\"").put("n", 1);
        var call = new Call(
                "createAppInstance",
                "c-1",
                "a.b.c",
                Map.of("project_id", "p"),
                Map.of("limit", "5", "cursor", "x=y&z"),
                Map.of("idempotency-key", "k"),
                body);

        assertThat(overTheWire(BusCodecs.CALLS, call)).isEqualTo(call);
    }

    @Test
    void call_isEqual_afterEncoding_whenEmpty() {
        var call = new Call("getJwks", "c-1", null, Map.of(), Map.of(), Map.of(), null);

        assertThat(overTheWire(BusCodecs.CALLS, call)).isEqualTo(call);
    }

    @Test
    void call_isEqual_afterEncoding_whenBodyIsNull() {
        var call = new Call("getJwks", "c-1", null, Map.of(), Map.of(), Map.of(), NullNode.getInstance());

        assertThat(overTheWire(BusCodecs.CALLS, call)).isEqualTo(call);
    }

    @Test
    void call_isEqual_afterEncoding_whenBodyHasMaximumDepth() throws IOException {
        var depth = 64;
        var body = Json.parse(
                ("{\"a\":".repeat(depth - 1) + "{}" + "}".repeat(depth - 1)).getBytes(StandardCharsets.UTF_8));
        var call = new Call("createAppInstance", "c-1", null, Map.of(), Map.of(), Map.of(), body);

        assertThat(overTheWire(BusCodecs.CALLS, call)).isEqualTo(call);
    }

    @Test
    void reply_isEqual_afterEncoding() {
        var back = overTheWire(
                BusCodecs.REPLIES,
                Reply.of(Json.object().put("a", "ü"), "/here")
                        .withRevision(7_000_000_000L)
                        .withETag("\"3\"")
                        .withHeaders(Map.of("X-As-Of", "now")));

        assertThat(back.problem()).isNull();
        assertThat(new String(back.body(), StandardCharsets.UTF_8)).isEqualTo("{\"a\":\"ü\"}");
        assertThat(back.location()).isEqualTo("/here");
        assertThat(back.revision()).isEqualTo(7_000_000_000L);
        assertThat(back.etag()).isEqualTo("\"3\"");
        assertThat(back.headers()).isEqualTo(Map.of("X-As-Of", "now"));
    }

    @ParameterizedTest
    @EnumSource
    void reply_isEqual_afterEncoding_forEveryProblem(ErrorCode code) {
        var problem = new Problem(code, "what happened", Json.object().put("field", "x"));

        var back = overTheWire(BusCodecs.REPLIES, Reply.of(problem));

        assertThat(back.problem()).isEqualTo(problem);
        assertThat(back.body()).isEmpty();
        assertThat(back.location()).isNull();
        assertThat(back.revision()).isNull();
        assertThat(back.etag()).isNull();
        assertThat(back.headers()).isEmpty();
    }

    private static <T> T overTheWire(MessageCodec<T, T> codec, T message) {
        var before = "what Vert.x wrote before";
        var buffer = Buffer.buffer(before);
        codec.encodeToWire(buffer, message);
        buffer.appendString("and after");
        return codec.decodeFromWire(before.length(), buffer);
    }
}
