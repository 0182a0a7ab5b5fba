package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.ProofPlan;
import dev.slipway.audit.log.domain.Subtree;
import dev.slipway.audit.log.domain.Tile;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/** Computes proofs from the stored hashes of a log. */
public final class TreeReader {
    private final AuditEntryStore store;

    public TreeReader(AuditEntryStore store) {
        this.store = store;
    }

    /** Returns the hashes of each plan, with one query. */
    Future<List<List<Hash>>> resolve(LogId logId, List<ProofPlan> plans) {
        var ranges = plans.stream()
                .flatMap(plan -> plan.storedHashes().stream())
                .distinct()
                .toList();
        return store.findHashes(logId, ranges).map(stored -> plans.stream()
                .map(plan -> plan.resolve(range -> LongStream.range(range.from(), range.to())
                        .mapToObj(index -> requireHash(stored, range.level(), index))
                        .toList()))
                .toList());
    }

    private static Hash requireHash(Map<Subtree, Hash> stored, int tileLevel, long index) {
        return Objects.requireNonNull(
                stored.get(new Subtree(tileLevel * Tile.HEIGHT, index)), "a hash of the log is missing");
    }
}
