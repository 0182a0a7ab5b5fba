package dev.slipway.audit.log;

import dev.slipway.audit.log.CheckpointStore.StoredCheckpoint;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Signs a checkpoint of every log that has grown, and publishes it. */
public final class CheckpointSigner {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointSigner.class);
    /** A checkpoint is due within a second of an append. */
    private static final long INTERVAL_MS = 200;
    /** Finds entries whose checkpoint was not signed before a process ended. */
    private static final long IDLE_INTERVAL_MS = 5_000;
    /** Outlasts the transaction that appends entries. */
    private static final int RUNS_AFTER_APPEND = 25;

    private static final long KEY_CHECK_INTERVAL_MS = 60_000;
    private static final int MAX_LOGS = 200;

    private final Vertx vertx;
    private final CheckpointStore store;
    private final AuditLogStore logs;
    private final LogKeyRing keys;
    private final Outbox outbox;
    private final Clock clock;
    private final io.vertx.core.Context context;
    private int frequentRuns;
    private long timer = -1;
    private boolean signing;
    private volatile boolean stopped;

    /** The payload of {@code audit.checkpoint.signed}. */
    private record CheckpointPayload(
            String log,
            @Nullable UUID orgId,
            String origin,
            long treeSize,
            String rootHash,
            String note,
            Instant signedAt) {}

    public CheckpointSigner(
            Vertx vertx, CheckpointStore store, AuditLogStore logs, LogKeyRing keys, Outbox outbox, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.logs = logs;
        this.keys = keys;
        this.outbox = outbox;
        this.clock = clock;
        this.context = vertx.getOrCreateContext();
    }

    /** Completes when there is a key. Checkpoints follow. */
    public Future<Void> start() {
        return keys.refresh().compose(ok -> createPartitions()).onSuccess(ok -> {
            onAppending();
            vertx.setPeriodic(KEY_CHECK_INTERVAL_MS, id -> Future.join(keys.refresh(), createPartitions())
                    .onFailure(e -> LOG.atWarn().setCause(e).log("checkpoint keys not refreshed; retrying")));
        });
    }

    public void stop() {
        stopped = true;
    }

    /** Looks for new entries more often for a while. Called before the entries are committed. */
    public void onAppending() {
        context.runOnContext(ignored -> {
            // A run that is due soon is not postponed: under steady load it would never start.
            var isDueSoon = signing || frequentRuns > 0;
            frequentRuns = RUNS_AFTER_APPEND;
            if (!isDueSoon) {
                schedule(INTERVAL_MS);
            }
        });
    }

    private void schedule(long delayMs) {
        vertx.cancelTimer(timer);
        timer = vertx.setTimer(delayMs, id -> run());
    }

    private Future<Void> createPartitions() {
        var today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return logs.createPartition(today).compose(ok -> logs.createPartition(today.plusMonths(1)));
    }

    private void run() {
        if (stopped) {
            return;
        }
        signing = true;
        signAll()
                .onFailure(e -> LOG.atWarn().setCause(e).log("checkpoints not signed; retrying"))
                .onComplete(done -> {
                    signing = false;
                    frequentRuns--;
                    schedule(frequentRuns > 0 ? INTERVAL_MS : IDLE_INTERVAL_MS);
                });
    }

    private Future<Void> signAll() {
        return store.findUnsignedHeads(MAX_LOGS)
                .compose(heads -> heads.isEmpty()
                        ? Future.succeededFuture()
                        : vertx.executeBlocking(() -> sign(heads)).compose(this::insert));
    }

    /** In the order of the heads, so that processes that sign the same logs lock them in the same order. */
    private Map<LogId, StoredCheckpoint> sign(Map<LogId, Frontier> heads) {
        var signed = new LinkedHashMap<LogId, StoredCheckpoint>();
        heads.forEach((logId, head) -> {
            var checkpoint = new Checkpoint(keys.origin(logId), head.size(), head.root());
            var note = keys.sign(logId, checkpoint.text()).encode();
            signed.put(logId, new StoredCheckpoint(checkpoint.size(), checkpoint.root(), note, clock.instant()));
        });
        return signed;
    }

    private Future<Void> insert(Map<LogId, StoredCheckpoint> signed) {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> store.insert(unit, signed).map(inserted -> {
            signed.forEach((logId, checkpoint) -> {
                if (inserted.contains(logId)) {
                    var payload = Json.toObject(payload(logId, checkpoint));
                    unit.publish(Topics.AUDIT_CHECKPOINTS, logId.name(), "audit.checkpoint.signed", payload);
                }
            });
            return null;
        }));
    }

    private CheckpointPayload payload(LogId logId, StoredCheckpoint checkpoint) {
        return new CheckpointPayload(
                logId.name(),
                logId.equals(LogId.PLATFORM) ? null : logId.value(),
                keys.origin(logId),
                checkpoint.size(),
                checkpoint.root().hex(),
                checkpoint.note(),
                checkpoint.signedAt());
    }
}
