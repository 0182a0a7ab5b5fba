package dev.slipway.audit.log;

import dev.slipway.audit.log.CheckpointStore.PendingCosignature;
import dev.slipway.audit.log.WitnessClient.WitnessResponse;
import dev.slipway.audit.log.domain.ProofPlan;
import dev.slipway.audit.log.domain.SignedNote;
import dev.slipway.audit.log.domain.Witness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.regex.Pattern;

/** Requests cosignatures of the newest checkpoint of every log from the configured witnesses, and stores the valid ones. */
public final class Cosigner {
    private static final Logger LOG = LoggerFactory.getLogger(Cosigner.class);
    private static final long INTERVAL_MS = 5_000;
    private static final int MAX_LOGS = 50;
    private static final int OK = 200;
    private static final int CONFLICT = 409;
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");

    private final Vertx vertx;
    private final CheckpointStore store;
    private final TreeReader trees;
    private final WitnessClient client;
    private final List<Witness> witnesses;
    private boolean busy;

    public Cosigner(
            Vertx vertx, CheckpointStore store, TreeReader trees, WitnessClient client, List<Witness> witnesses) {
        this.vertx = vertx;
        this.store = store;
        this.trees = trees;
        this.client = client;
        this.witnesses = List.copyOf(witnesses);
    }

    public void start() {
        if (!witnesses.isEmpty()) {
            vertx.setPeriodic(INTERVAL_MS, timer -> {
                if (!busy) {
                    busy = true;
                    run().onComplete(done -> busy = false);
                }
            });
        }
    }

    /** Asks every witness once for every log that has grown. Failures are logged and retried at the next run. */
    Future<Void> run() {
        var chain = Future.<Void>succeededFuture();
        for (var witness : witnesses) {
            chain = chain.compose(ok -> run(witness)).recover(e -> {
                LOG.atWarn()
                        .addKeyValue("witness", witness.key().name())
                        .setCause(e)
                        .log("checkpoint not cosigned; retrying");
                return Future.succeededFuture();
            });
        }
        return chain;
    }

    private Future<Void> run(Witness witness) {
        return store.findUncosigned(witness.key().name(), MAX_LOGS).compose(pending -> {
            var chain = Future.<Void>succeededFuture();
            for (var each : pending) {
                chain = chain.compose(ok -> cosign(witness, each, each.cosignedSize(), true));
            }
            return chain;
        });
    }

    /** A witness that has seen another size says which, and gets the proof from there. */
    private Future<Void> cosign(Witness witness, PendingCosignature pending, long oldSize, boolean mayRetry) {
        return send(witness, pending, oldSize).compose(response -> {
            if (response.status() == OK) {
                return insert(witness, pending, response.body());
            }
            var size = response.body().strip();
            if (response.status() == CONFLICT && mayRetry && SIZE.matcher(size).matches()) {
                var seen = Long.parseLong(size);
                if (seen <= pending.size()) {
                    return cosign(witness, pending, seen, false);
                }
            }
            LOG.atError()
                    .addKeyValue("witness", witness.key().name())
                    .addKeyValue("log", pending.logId().name())
                    .addKeyValue("size", pending.size())
                    .addKeyValue("status", response.status())
                    .log(
                            "witness refused a checkpoint; if it has seen a larger log, the database may have been restored");
            return Future.succeededFuture();
        });
    }

    private Future<WitnessResponse> send(Witness witness, PendingCosignature pending, long oldSize) {
        var plan = ProofPlan.consistency(oldSize, pending.size());
        return trees.resolve(pending.logId(), List.of(plan))
                .compose(hashes -> client.addCheckpoint(
                        witness, Witness.addCheckpointBody(oldSize, hashes.get(0), pending.note())));
    }

    private Future<Void> insert(Witness witness, PendingCosignature pending, String response) {
        var text = SignedNote.parse(pending.note()).text();
        return store.insertCosignature(pending, witness.key().name(), witness.requireCosignature(text, response));
    }
}
