package dev.slipway.adapter;

import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.messaging.PollLoop;
import dev.slipway.messaging.ReceivedRecord;
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

/** Connects an adapter to the platform: consumes commands, journals them on disk and sends reports, without losing any of them. */
public final class AdapterHost implements InstanceReporter {
    private static final Logger LOG = LoggerFactory.getLogger(AdapterHost.class);
    private static final int MAX_BATCH = 200;
    private static final long STOP_TIMEOUT_MS = 3_000;
    private static final long HOUSEKEEPING_INTERVAL_MS = 3_600_000;
    /** Topics retain records for 30 days. After that a command cannot be redelivered. */
    private static final Duration RETENTION = Duration.ofDays(35);

    private final Vertx vertx;
    private final ContextInternal context;
    private final AdapterConfig config;
    private final RuntimeAdapter adapter;
    private final Journal journal;
    private final PlatformClient platform;
    private final TokenClient tokenClient;
    private final ReportSender sender;
    private final ShutdownFlag shutdown = new ShutdownFlag();
    private final HostResources resources;
    private final InstanceQueues queues = new InstanceQueues(this::createQueue);
    private final HeartbeatSender heartbeatSender;
    private @Nullable PollLoop commandLoop;
    private long housekeeping = -1;

    public AdapterHost(Vertx vertx, AdapterConfig config, Traces traces, RuntimeAdapter adapter) {
        this.vertx = vertx;
        this.context = ((ContextInternal) vertx.getOrCreateContext()).unwrap();
        this.config = config;
        this.adapter = adapter;
        this.journal = new Journal(config.journalDir());
        this.platform = new PlatformClient(vertx, config);
        this.tokenClient = new TokenClient(platform);
        this.sender = new ReportSender(vertx, config.kafka(), traces, adapter.backend());
        this.resources = new HostResources(vertx, traces, adapter, config.maxConcurrent(), shutdown);
        this.heartbeatSender = new HeartbeatSender(
                vertx,
                config,
                adapter,
                tokenClient,
                sender,
                () -> queues.deployedIds().size(),
                resources::waiting);
    }

    /** Resumes the commands in the journal, then consumes new commands. */
    public Future<Void> start() {
        return onContext(this::startParts).recover(e -> stop().transform(stopped -> Future.failedFuture(e)));
    }

    private Future<Void> startParts() {
        return runBlocking(journal::open)
                .compose(logs -> {
                    logs.forEach(queues::add);
                    return adapter.start(this);
                })
                .compose(ok -> {
                    queues.all().forEach(InstanceQueue::resume);
                    housekeeping = vertx.setPeriodic(HOUSEKEEPING_INTERVAL_MS, timer -> deleteSettledLogs());
                    var loop = new PollLoop(
                            vertx,
                            config.kafkaWithMemberId(journal.id()),
                            "adapter." + adapter.backend(),
                            List.of(Topics.runtimeCommands(adapter.backend())),
                            MAX_BATCH,
                            this::accept);
                    return loop.start().onSuccess(started -> commandLoop = loop);
                })
                .onSuccess(ok -> {
                    heartbeatSender.start();
                    if (config.reconcileOnStart()) {
                        new Reconciler(vertx, platform, tokenClient, adapter, queues, shutdown).start();
                    }
                    LOG.atInfo()
                            .addKeyValue("backend", adapter.backend())
                            .addKeyValue("instances", queues.all().size())
                            .log("adapter started");
                });
    }

    /** Stops consuming, waits briefly for running commands and closes. Unfinished commands stay in the journal. */
    public Future<Void> stop() {
        return onContext(() -> {
            shutdown.set();
            heartbeatSender.stop();
            vertx.cancelTimer(housekeeping);
            return (commandLoop == null ? Future.<Void>succeededFuture() : commandLoop.stop())
                    .transform(ok -> awaitIdle(System.nanoTime() + STOP_TIMEOUT_MS * 1_000_000))
                    .transform(ok -> adapter.stop())
                    .eventually(sender::close)
                    .eventually(platform::close)
                    .eventually(() -> Future.join(queues.all().stream()
                            .map(InstanceQueue::awaitWrites)
                            .toList()))
                    .eventually(() -> runBlocking(() -> {
                        journal.close();
                        return null;
                    }));
        });
    }

    @Override
    public Future<Void> reportOutcome(UUID appInstanceId, Outcome outcome) {
        return onContext(() -> queues.getOrCreate(appInstanceId).reportOutcome(outcome));
    }

    @Override
    public Future<Void> reportMembers(UUID appInstanceId, List<MemberState> members) {
        return onContext(() -> queues.getOrCreate(appInstanceId).reportMemberStates(members));
    }

    @Override
    public Future<Void> reportUsage(UUID appInstanceId, UsageWindow usageWindow) {
        return onContext(() -> queues.getOrCreate(appInstanceId).reportUsage(usageWindow));
    }

    /** Completes when the whole batch is on disk, so that offsets are committed only then. */
    private Future<Void> accept(List<ReceivedRecord> batch) {
        var accepted = new ArrayList<Future<Void>>(batch.size());
        for (var record : batch) {
            try {
                var command = Message.parseCommand(record.envelope(), record.headers());
                accepted.add(queues.getOrCreate(command.task().subjectId()).accept(command));
            } catch (MalformedEnvelopeException | IllegalArgumentException e) {
                skip(record, String.valueOf(e.getMessage()));
            }
        }
        return accepted.isEmpty()
                ? Future.succeededFuture()
                : Future.join(accepted).mapEmpty();
    }

    /** A record that is not a command cannot be reported on; it stays in the topic. */
    private static void skip(ReceivedRecord record, String reason) {
        LOG.atError()
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .log("skipped a record that is not a valid command: {}", reason);
    }

    private InstanceQueue createQueue(InstanceLog log) {
        var instanceLogWriter = new InstanceLogWriter(vertx, journal, shutdown, log);
        return new InstanceQueue(
                resources, instanceLogWriter, new ReportQueue(vertx, instanceLogWriter, tokenClient, sender, shutdown));
    }

    private Future<Void> awaitIdle(long deadlineNanos) {
        var done = resources.inUse() == 0 || System.nanoTime() > deadlineNanos;
        return done ? Future.succeededFuture() : vertx.timer(25).compose(ok -> awaitIdle(deadlineNanos));
    }

    private void deleteSettledLogs() {
        var settled = queues.removeSettledBefore(Instant.now().minus(RETENTION));
        runBlocking(() -> {
                    for (var id : settled) {
                        journal.remove(id);
                    }
                    return null;
                })
                .onFailure(
                        e -> LOG.atWarn().setCause(e).log("deleting old journal files failed; the next run retries"));
    }

    private <T> Future<T> runBlocking(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    /** Runs all work on one event loop, so that no locks are needed. */
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
