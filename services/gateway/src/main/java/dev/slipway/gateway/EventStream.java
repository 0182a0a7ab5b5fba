package dev.slipway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.function.Function;

/**
 * One server-sent event stream, implemented as long polling over the event bus. Each poll waits in the service for new events, and each
 * poll verifies the token and the permissions again. Runs on the event loop of its request.
 */
final class EventStream {
    /** Pause before the next poll if a service returned no events without waiting. */
    private static final long PAUSE_MS = 1_000;

    private static final int MAX_UNREAD_BYTES = 256 * 1024;
    private static final String KEEP_ALIVE_COMMENT = ": nothing new\n\n";

    private final Vertx vertx;
    private final Context context;
    private final RequestContext request;
    private final Call call;
    private final StreamTimeouts timeouts;
    private final Function<Call, Future<Reply>> service;
    private final EventStreamRegistry registry;
    private String position = "";
    private boolean started;
    private boolean closed;
    private long polledNs;

    /**
     * The timeouts of a stream.
     *
     * @param pollWaitMs how long a poll waits for events; also how long a stream can outlive the permission to read it
     * @param slowReaderMs how long a client may take to read what was sent before it is disconnected
     */
    record StreamTimeouts(long pollWaitMs, long slowReaderMs) {}

    EventStream(
            Vertx vertx,
            RequestContext request,
            Call call,
            StreamTimeouts timeouts,
            Function<Call, Future<Reply>> service,
            EventStreamRegistry registry) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.request = request;
        this.call = call;
        this.timeouts = timeouts;
        this.service = service;
        this.registry = registry;
    }

    void start() {
        request.routing().addEndHandler(ended -> close(null));
        poll(call);
    }

    /** Ends the stream with an error event. Can be called on any thread. */
    void end(Problem reason) {
        context.runOnContext(now -> sendError(reason));
    }

    private void poll(Call next) {
        if (!closed) {
            polledNs = System.nanoTime();
            service.apply(next).onComplete(done -> onReply(done.result()));
        }
    }

    private void onReply(Reply reply) {
        if (closed) {
            return;
        }
        var problem = reply.problem();
        if (problem != null) {
            sendError(problem);
            return;
        }
        if (!started) {
            var refused = registry.countInOrganization(this, call.path());
            if (refused != null) {
                sendError(refused);
                return;
            }
        }
        var body = Json.parseTrusted(reply.body());
        position = body.path("position").asText();
        startResponse();
        var events = body.path("events");
        var ignored = response().write(events.isEmpty() ? KEEP_ALIVE_COMMENT : format(events));
        if (response().writeQueueFull()) {
            pollWhenDrained();
        } else if (events.isEmpty() && System.nanoTime() - polledNs < PAUSE_MS * 1_000_000) {
            vertx.setTimer(PAUSE_MS, timer -> poll(nextCall()));
        } else {
            poll(nextCall());
        }
    }

    private void startResponse() {
        if (!started) {
            started = true;
            request.startStream().setWriteQueueMaxSize(MAX_UNREAD_BYTES);
        }
    }

    /** Fetches nothing more for a client that does not read. */
    private void pollWhenDrained() {
        var timer = vertx.setTimer(timeouts.slowReaderMs, late -> {
            if (!closed) {
                registry.countDropped();
                close("slow_reader");
                request.abort();
            }
        });
        response().drainHandler(drained -> {
            if (vertx.cancelTimer(timer)) {
                poll(nextCall());
            }
        });
    }

    private Call nextCall() {
        var query = new HashMap<>(call.query());
        query.put(Call.STREAM_POSITION, position);
        query.put(Call.STREAM_WAIT_MS, String.valueOf(timeouts.pollWaitMs));
        return new Call(
                call.operationId(),
                call.correlationId(),
                call.token(),
                call.path(),
                query,
                call.headers(),
                call.body());
    }

    /** Sends an error response, or an error event if the stream has started. */
    private void sendError(Problem problem) {
        if (closed) {
            return;
        }
        close(problem.code().code());
        if (started) {
            var data = Json.text(ErrorEnvelope.of(problem, request.correlationId()));
            var ignored = response().end("event: error\ndata: " + data + "\n\n");
        } else {
            request.sendError(problem);
        }
    }

    private void close(@Nullable String code) {
        if (!closed) {
            closed = true;
            registry.remove(this);
            request.setErrorCode(code);
        }
    }

    private HttpServerResponse response() {
        return request.response();
    }

    private static String format(JsonNode events) {
        var text = new StringBuilder();
        for (var event : events) {
            text.append("event: ")
                    .append(event.path("event").asText())
                    .append("\nid: ")
                    .append(event.path("id").asText())
                    .append("\ndata: ")
                    .append(Json.text(event.path("data"))) // stays on one line: JSON escapes line breaks
                    .append("\n\n");
        }
        return text.toString();
    }
}
