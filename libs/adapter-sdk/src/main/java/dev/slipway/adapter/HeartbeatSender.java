package dev.slipway.adapter;

import dev.slipway.adapter.PlatformClient.PlatformResponseException;
import dev.slipway.adapter.ReportPayload.HeartbeatPayload;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;

/** Sends heartbeats at a fixed interval. A failed heartbeat is not retried, because the next one follows soon. */
final class HeartbeatSender {
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);
    private static final int MAX_TEXT = 120;
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,64}");

    private final Vertx vertx;
    private final AdapterConfig config;
    private final RuntimeAdapter adapter;
    private final TokenClient tokenClient;
    private final ReportSender sender;
    private final IntSupplier instances;
    private final IntSupplier waiting;
    private final Instant startedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private long timer = -1;
    private boolean sending;
    private int failures;

    HeartbeatSender(
            Vertx vertx,
            AdapterConfig config,
            RuntimeAdapter adapter,
            TokenClient tokenClient,
            ReportSender sender,
            IntSupplier instances,
            IntSupplier waiting) {
        this.vertx = vertx;
        this.config = config;
        this.adapter = adapter;
        this.tokenClient = tokenClient;
        this.sender = sender;
        this.instances = instances;
        this.waiting = waiting;
    }

    void start() {
        send();
        timer = vertx.setPeriodic(Math.max(1, config.heartbeatInterval().toMillis()), ignored -> send());
    }

    void stop() {
        vertx.cancelTimer(timer);
    }

    private void send() {
        if (sending) {
            return;
        }
        sending = true;
        tokenClient
                .heartbeatToken()
                .compose(token -> sender.send(config.adapterId().toString(), createMessage(), token))
                .onComplete(done -> {
                    sending = false;
                    failures = done.succeeded() ? 0 : failures + 1;
                    if (done.failed() && Integer.bitCount(failures) == 1) {
                        logFailure(done.cause());
                    }
                });
    }

    private void logFailure(Throwable failure) {
        var unsupported = failure instanceof PlatformResponseException response && response.isEndpointMissing();
        (unsupported ? LOG.atInfo() : LOG.atWarn())
                .addKeyValue("attempt", failures)
                .log("sending a heartbeat failed: {}", failure.toString());
    }

    private Message createMessage() {
        var version = adapter.version();
        var sourceCommit = adapter.sourceCommit();
        return ReportMessages.heartbeat(new HeartbeatPayload(
                config.adapterId(),
                adapter.backend(),
                startedAt,
                truncate(adapter.software()),
                version == null || version.isEmpty() ? null : truncate(version),
                sourceCommit != null && COMMIT.matcher(sourceCommit).matches() ? sourceCommit : null,
                instances.getAsInt(),
                waiting.getAsInt()));
    }

    private static String truncate(String text) {
        return text.substring(0, Math.min(MAX_TEXT, text.length()));
    }
}
