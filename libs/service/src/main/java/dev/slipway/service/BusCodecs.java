package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** How calls and replies travel: by reference within a process, as JSON between processes. */
public final class BusCodecs {
    static final MessageCodec<Call, Call> CALLS = new Codec<>("slipway.call", BusCodecs::encode, BusCodecs::decodeCall);
    static final MessageCodec<Reply, Reply> REPLIES =
            new Codec<>("slipway.reply", BusCodecs::encode, BusCodecs::decodeReply);

    private BusCodecs() {}

    public static void register(Vertx vertx) {
        vertx.eventBus().registerDefaultCodec(Call.class, CALLS).registerDefaultCodec(Reply.class, REPLIES);
    }

    private static ObjectNode encode(Call call) {
        var node = Json.object();
        node.put("operation_id", call.operationId());
        node.put("correlation_id", call.correlationId());
        node.put("token", call.token());
        node.set("path", object(call.path()));
        node.set("query", object(call.query()));
        node.set("headers", object(call.headers()));
        if (call.body() != null) {
            node.set("body", call.body());
        }
        return node;
    }

    private static Call decodeCall(JsonNode node) {
        return new Call(
                node.path("operation_id").asText(),
                node.path("correlation_id").asText(),
                node.path("token").textValue(),
                map(node.path("path")),
                map(node.path("query")),
                map(node.path("headers")),
                node.get("body"));
    }

    private static ObjectNode encode(Reply reply) {
        var node = Json.object();
        var problem = reply.problem();
        if (problem != null) {
            node.put("code", problem.code().code());
            node.put("message", problem.message());
            node.set("details", problem.details());
        }
        node.put("body", Base64.getEncoder().encodeToString(reply.body()));
        node.put("location", reply.location());
        node.put("revision", reply.revision());
        node.put("etag", reply.etag());
        return node;
    }

    private static Reply decodeReply(JsonNode node) {
        var problem = node.has("code")
                ? new Problem(
                        ErrorCode.of(node.path("code").asText()),
                        node.path("message").asText(),
                        (ObjectNode) node.path("details"))
                : null;
        return new Reply(
                problem,
                Base64.getDecoder().decode(node.path("body").asText()),
                node.path("location").textValue(),
                node.path("revision").isNumber() ? node.path("revision").longValue() : null,
                node.path("etag").textValue());
    }

    private static ObjectNode object(Map<String, String> map) {
        var node = Json.object();
        map.forEach(node::put);
        return node;
    }

    private static Map<String, String> map(JsonNode node) {
        var map = new HashMap<String, String>();
        node.properties().forEach(e -> map.put(e.getKey(), e.getValue().asText()));
        return map;
    }

    private record Codec<T>(String name, Function<T, ObjectNode> encoder, Function<JsonNode, T> decoder)
            implements MessageCodec<T, T> {
        @Override
        public void encodeToWire(Buffer buffer, T message) {
            var bytes = Json.bytes(encoder.apply(message));
            buffer.appendInt(bytes.length).appendBytes(bytes);
        }

        @Override
        public T decodeFromWire(int position, Buffer buffer) {
            var start = position + Integer.BYTES;
            try {
                return decoder.apply(Json.parseOwn(buffer.getBytes(start, start + buffer.getInt(position))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public T transform(T message) {
            return message; // immutable, so it may be shared
        }

        @Override
        public byte systemCodecID() {
            return -1;
        }
    }
}
