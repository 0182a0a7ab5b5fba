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
 * One answer that goes on. The service is asked for what follows, again and again: each time it waits a while for something to happen,
 * and each time its caller's token and permissions are judged anew. Lives on the event loop of its request.
 */
final class EventStream {
    /** A service that has nothing to say and does not wait is not asked more often than this. */
    private static final long PAUSE_MS = 1_000;

    private static final int MAX_UNREAD_BYTES = 256 * 1024;
    private static final String STILL_HERE = ": nothing new\n\n";

    private final Vertx vertx;
    private final Context context;
    private final Exchange exchange;
    private final Call call;
    private final Waits waits;
    private final Function<Call, Future<Reply>> service;
    private final Streams streams;
    private String position = "";
    private boolean begun;
    private boolean over;
    private long askedNs;

    /**
     * @param quietMs how long a service waits for something to happen: as long as one stays who may not see it any more
     * @param slowMs who has not read what was sent by then is let go; they can come back with the last id they saw
     */
    record Waits(long quietMs, long slowMs) {}

    EventStream(
            Vertx vertx,
            Exchange exchange,
            Call call,
            Waits waits,
            Function<Call, Future<Reply>> service,
            Streams streams) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.exchange = exchange;
        this.call = call;
        this.waits = waits;
        this.service = service;
        this.streams = streams;
    }

    void start() {
        response().closeHandler(closed -> over(null));
        response().exceptionHandler(broken -> over(null));
        ask(call);
    }

    /** Ends it from outside; on any thread. */
    void end(Problem why) {
        context.runOnContext(now -> complain(why));
    }

    private void ask(Call next) {
        if (!over) {
            askedNs = System.nanoTime();
            service.apply(next).onComplete(done -> took(done.result()));
        }
    }

    private void took(Reply reply) {
        if (over) {
            return;
        }
        var problem = reply.problem();
        if (problem != null) {
            complain(problem);
            return;
        }
        var body = Json.node(reply.body());
        position = body.path("position").asText();
        begin();
        var events = body.path("events");
        var ignored = response().write(events.isEmpty() ? STILL_HERE : frames(events));
        if (response().writeQueueFull()) {
            whenRead();
        } else if (events.isEmpty() && System.nanoTime() - askedNs < PAUSE_MS * 1_000_000) {
            vertx.setTimer(PAUSE_MS, timer -> ask(next()));
        } else {
            ask(next());
        }
    }

    private void begin() {
        if (!begun) {
            begun = true;
            exchange.stream().setWriteQueueMaxSize(MAX_UNREAD_BYTES);
        }
    }

    /** Nothing more is fetched for one who does not read. */
    private void whenRead() {
        var timer = vertx.setTimer(waits.slowMs, late -> {
            if (!over) {
                streams.dropped();
                over("slow_reader");
                exchange.drop();
            }
        });
        response().drainHandler(read -> {
            if (vertx.cancelTimer(timer)) {
                ask(next());
            }
        });
    }

    private Call next() {
        var query = new HashMap<>(call.query());
        query.put(Call.STREAM_POSITION, position);
        query.put(Call.STREAM_WAIT_MS, String.valueOf(waits.quietMs));
        return new Call(
                call.operationId(),
                call.correlationId(),
                call.token(),
                call.path(),
                query,
                call.headers(),
                call.body());
    }

    /** Before the first event it is an answer like any other; after it, an event that says why there are no more. */
    private void complain(Problem problem) {
        if (over) {
            return;
        }
        if (!begun) {
            over = true;
            streams.left(this);
            exchange.answer(Reply.of(problem));
            return;
        }
        var data = Json.text(ErrorEnvelope.body(problem, exchange.correlationId()));
        over(problem.code().code());
        var ignored = response().end("event: error\ndata: " + data + "\n\n");
    }

    private void over(@Nullable String code) {
        if (!over) {
            over = true;
            streams.left(this);
            if (begun) {
                exchange.streamed(code);
            }
        }
    }

    private HttpServerResponse response() {
        return exchange.request().response();
    }

    private static String frames(JsonNode events) {
        var text = new StringBuilder();
        for (var event : events) {
            text.append("event: ")
                    .append(event.path("event").asText())
                    .append("\nid: ")
                    .append(event.path("id").asText())
                    .append("\ndata: ")
                    .append(Json.text(event.path("data"))) // on one line: JSON writes a line break as \n
                    .append("\n\n");
        }
        return text.toString();
    }
}
