package dev.slipway.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.function.Function;

/** Encodes calls and replies on the event bus: passed by reference within a process, as JSON between processes. */
public final class BusCodecs {
    static final MessageCodec<Call, Call> CALLS =
            new Codec<>("slipway.call", CallMessage::of, node -> Json.toRecord(node, CallMessage.class)
                    .toCall());
    static final MessageCodec<Reply, Reply> REPLIES =
            new Codec<>("slipway.reply", ReplyMessage::of, node -> Json.toRecord(node, ReplyMessage.class)
                    .toReply());

    private BusCodecs() {}

    public static void register(Vertx vertx) {
        vertx.eventBus().registerDefaultCodec(Call.class, CALLS).registerDefaultCodec(Reply.class, REPLIES);
    }

    /** A call between processes. */
    private record CallMessage(
            String operationId,
            String correlationId,
            @Nullable String token,
            Map<String, String> path,
            Map<String, String> query,
            Map<String, String> headers,
            @JsonInclude(Include.NON_NULL) @Nullable JsonNode body) {

        static CallMessage of(Call call) {
            return new CallMessage(
                    call.operationId(),
                    call.correlationId(),
                    call.token(),
                    call.path(),
                    call.query(),
                    call.headers(),
                    call.body());
        }

        Call toCall() {
            return new Call(operationId, correlationId, token, path, query, headers, body);
        }
    }

    /** A reply between processes; code, message and details are those of a problem. */
    private record ReplyMessage(
            @JsonInclude(Include.NON_NULL) @Nullable String code,
            @JsonInclude(Include.NON_NULL) @Nullable String message,
            @JsonInclude(Include.NON_NULL) @Nullable ObjectNode details,
            byte[] body,
            @Nullable String location,
            @Nullable Long revision,
            @Nullable String etag,
            @JsonInclude(Include.NON_EMPTY) @Nullable Map<String, String> headers) {

        static ReplyMessage of(Reply reply) {
            var problem = reply.problem();
            return new ReplyMessage(
                    problem == null ? null : problem.code().code(),
                    problem == null ? null : problem.message(),
                    problem == null ? null : problem.details(),
                    reply.body(),
                    reply.location(),
                    reply.revision(),
                    reply.etag(),
                    reply.headers());
        }

        Reply toReply() {
            var problem = code == null || message == null || details == null
                    ? null
                    : new Problem(ErrorCode.of(code), message, details);
            return new Reply(problem, body, location, revision, etag, headers == null ? Map.of() : headers);
        }
    }

    private record Codec<T>(String name, Function<T, Record> encoder, Function<JsonNode, T> decoder)
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
                return decoder.apply(Json.parseInternal(buffer.getBytes(start, start + buffer.getInt(position))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public T transform(T message) {
            return message; // immutable, so it can be shared
        }

        @Override
        public byte systemCodecID() {
            return -1;
        }
    }
}
