package dev.slipway.adapter;

import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.RecordLoop;
import dev.slipway.messaging.Topics;
import dev.slipway.telemetry.Traces;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Connects an adapter to the platform: commands in, reports out, nothing lost in between. */
public final class AdapterHost implements Reports {
    private static final Logger LOG = LoggerFactory.getLogger(AdapterHost.class);
    private static final int MAX_BATCH = 200;
    private static final long STOP_PATIENCE_MS = 3_000;
    private static final long HOUSEKEEPING_EVERY_MS = 3_600_000;
    /** Topics keep their records for 30 days: after that a command cannot come a second time. */
    private static final Duration REMEMBER = Duration.ofDays(35);

    private final Vertx vertx;
    private final ContextInternal context;
    private final AdapterConfig config;
    private final RuntimeAdapter adapter;
    private final Journal journal;
    private final PlatformClient platform;
    private final Tokens tokens;
    private final ReportSender sender;
    private final Stopping stopping = new Stopping();
    private final Shop shop;
    private final Lanes lanes = new Lanes(this::lane);
    private final Heartbeat heartbeat;
    private @Nullable RecordLoop commands;
    private long housekeeping = -1;

    public AdapterHost(Vertx vertx, AdapterConfig config, Traces traces, RuntimeAdapter adapter) {
        this.vertx = vertx;
        this.context = ((ContextInternal) vertx.getOrCreateContext()).unwrap();
        this.config = config;
        this.adapter = adapter;
        this.journal = new Journal(config.journalDir());
        this.platform = new PlatformClient(vertx, config);
        this.tokens = new Tokens(platform);
        this.sender = new ReportSender(vertx, config.kafka(), traces, adapter.backend());
        this.shop = new Shop(vertx, traces, adapter, config.maxConcurrent(), stopping);
        this.heartbeat = new Heartbeat(
                vertx, config, adapter, tokens, sender, () -> lanes.deployed().size(), shop::waiting);
    }

    /** Takes up what the journal holds, then takes commands. */
    public Future<Void> start() {
        return onContext(this::open).recover(e -> stop().transform(stopped -> Future.failedFuture(e)));
    }

    private Future<Void> open() {
        return blocking(journal::open)
                .compose(logs -> {
                    logs.forEach(lanes::open);
                    return adapter.start(this);
                })
                .compose(ok -> {
                    lanes.all().forEach(Lane::resume);
                    housekeeping = vertx.setPeriodic(HOUSEKEEPING_EVERY_MS, timer -> forget());
                    var loop = new RecordLoop(
                            vertx,
                            config.kafkaNamed(journal.id()),
                            "adapter." + adapter.backend(),
                            List.of(Topics.runtimeCommands(adapter.backend())),
                            MAX_BATCH,
                            this::accept);
                    return loop.start().onSuccess(started -> commands = loop);
                })
                .onSuccess(ok -> {
                    heartbeat.start();
                    if (config.reconciles()) {
                        new Reconciliation(vertx, platform, tokens, adapter, lanes, stopping).start();
                    }
                    LOG.atInfo()
                            .addKeyValue("backend", adapter.backend())
                            .addKeyValue("instances", lanes.all().size())
                            .log("adapter takes commands");
                });
    }

    /** Takes no more commands, gives those in progress a moment, and ends. What is not over is in the journal. */
    public Future<Void> stop() {
        return onContext(() -> {
            stopping.begin();
            heartbeat.stop();
            vertx.cancelTimer(housekeeping);
            return (commands == null ? Future.<Void>succeededFuture() : commands.stop())
                    .transform(ok -> idle(System.nanoTime() + STOP_PATIENCE_MS * 1_000_000))
                    .transform(ok -> adapter.stop())
                    .eventually(sender::close)
                    .eventually(platform::close)
                    .eventually(() ->
                            Future.join(lanes.all().stream().map(Lane::saved).toList()))
                    .eventually(() -> blocking(() -> {
                        journal.close();
                        return null;
                    }));
        });
    }

    @Override
    public Future<Void> report(UUID appInstanceId, Outcome outcome) {
        return onContext(() -> lanes.of(appInstanceId).report(outcome));
    }

    @Override
    public Future<Void> members(UUID appInstanceId, List<MemberState> members) {
        return onContext(() -> lanes.of(appInstanceId).members(members));
    }

    @Override
    public Future<Void> usage(UUID appInstanceId, Usage usage) {
        return onContext(() -> lanes.of(appInstanceId).usage(usage));
    }

    /** Done when the whole batch is on disk: only then do the offsets move. */
    private Future<Void> accept(List<Incoming> batch) {
        var accepted = new ArrayList<Future<Void>>(batch.size());
        for (var record : batch) {
            try {
                var command = Message.command(record.envelope(), record.headers());
                accepted.add(lanes.of(command.task().appInstanceId()).accept(command));
            } catch (MalformedEnvelopeException | IllegalArgumentException e) {
                skip(record, String.valueOf(e.getMessage()));
            }
        }
        return accepted.isEmpty()
                ? Future.succeededFuture()
                : Future.join(accepted).mapEmpty();
    }

    /** What is no command stays where it is, in the topic: nobody could be told of its outcome. */
    private static void skip(Incoming record, String reason) {
        LOG.atError()
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .log("a record is not a command and is skipped: {}", reason);
    }

    private Lane lane(InstanceLog log) {
        var ledger = new Ledger(vertx, journal, stopping, log);
        return new Lane(shop, ledger, new ReportQueue(vertx, ledger, tokens, sender, stopping));
    }

    private Future<Void> idle(long deadlineNanos) {
        var over = shop.inUse() == 0 || System.nanoTime() > deadlineNanos;
        return over ? Future.succeededFuture() : vertx.timer(25).compose(ok -> idle(deadlineNanos));
    }

    private void forget() {
        var settled = lanes.forget(Instant.now().minus(REMEMBER));
        blocking(() -> {
                    for (var id : settled) {
                        journal.remove(id);
                    }
                    return null;
                })
                .onFailure(e -> LOG.atWarn().setCause(e).log("housekeeping failed; the next start repeats it"));
    }

    private <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    /** Everything here happens on one event loop, so that nothing needs a lock. */
    private <T> Future<T> onContext(Supplier<Future<T>> work) {
        var promise = context.<T>promise();
        context.runOnContext(ignored -> {
            try {
                work.get().onComplete(promise);
            } catch (RuntimeException e) {
                promise.fail(e);
            }
        });
        return promise.future();
    }
}
