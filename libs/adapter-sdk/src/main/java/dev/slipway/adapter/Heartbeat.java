package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.AnswerException;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.IntSupplier;

/** Says again and again that the adapter is alive. One that could not be said is not made up for: the next is soon. */
final class Heartbeat {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final int SOFTWARE_MAX = 120;

    private final Vertx vertx;
    private final AdapterConfig config;
    private final RuntimeAdapter adapter;
    private final Tokens tokens;
    private final ReportSender sender;
    private final IntSupplier instances;
    private final IntSupplier waiting;
    private final Instant startedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private long timer = -1;
    private boolean sending;
    private int failures;

    Heartbeat(
            Vertx vertx,
            AdapterConfig config,
            RuntimeAdapter adapter,
            Tokens tokens,
            ReportSender sender,
            IntSupplier instances,
            IntSupplier waiting) {
        this.vertx = vertx;
        this.config = config;
        this.adapter = adapter;
        this.tokens = tokens;
        this.sender = sender;
        this.instances = instances;
        this.waiting = waiting;
    }

    void start() {
        beat();
        timer = vertx.setPeriodic(Math.max(1, config.heartbeatEvery().toMillis()), ignored -> beat());
    }

    void stop() {
        vertx.cancelTimer(timer);
    }

    private void beat() {
        if (sending) {
            return;
        }
        sending = true;
        tokens.own()
                .compose(token -> sender.send(config.adapterId().toString(), word(), token))
                .onComplete(done -> {
                    sending = false;
                    failures = done.succeeded() ? 0 : failures + 1;
                    if (done.failed() && Integer.bitCount(failures) == 1) {
                        complain(done.cause());
                    }
                });
    }

    private void complain(Throwable failure) {
        var old = failure instanceof AnswerException answer && answer.isUnknownThere();
        (old ? LOG.atInfo() : LOG.atWarn())
                .addKeyValue("attempt", failures)
                .log("the platform does not hear that this adapter is alive: {}", failure.toString());
    }

    private Message word() {
        var software = adapter.software();
        var payload = Json.object()
                .put("adapter_id", config.adapterId().toString())
                .put("runtime_backend", adapter.backend())
                .put("started_at", startedAt.toString())
                .put("software", software.substring(0, Math.min(SOFTWARE_MAX, software.length())))
                .put("instances", instances.getAsInt())
                .put("waiting", waiting.getAsInt());
        var id = Ids.next();
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        return new Message(new Envelope(id, "runtime.report.heartbeat", now, 1, "heartbeat-" + id, payload), Map.of());
    }
}
