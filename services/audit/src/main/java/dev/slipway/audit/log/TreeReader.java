package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.ProofPlan;
import dev.slipway.audit.log.domain.Subtree;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.audit.log.domain.TileRange;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/** Computes proofs from the stored hashes of a log. */
public final class TreeReader {
    private final AuditEntryStore store;

    /** A tile with its hashes. */
    record StoredTile(Tile tile, List<Hash> hashes) {
        /** Returns the content of the tile: the hashes one after the other. */
        byte[] encode() {
            return Hash.concatenate(hashes);
        }
    }

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
                .map(plan -> plan.resolve(range -> hashes(stored, range)))
                .toList());
    }

    /** Returns the tiles with one query, without those of which a stored hash is missing: the log was then changed. */
    Future<List<StoredTile>> findTiles(LogId logId, List<Tile> tiles) {
        return store.findHashes(logId, tiles.stream().map(Tile::range).toList()).map(stored -> tiles.stream()
                .filter(tile -> isComplete(stored, tile.range()))
                .map(tile -> new StoredTile(tile, hashes(stored, tile.range())))
                .toList());
    }

    private static boolean isComplete(Map<Subtree, Hash> stored, TileRange range) {
        return LongStream.range(range.from(), range.to())
                .allMatch(index -> stored.containsKey(new Subtree(range.level() * Tile.HEIGHT, index)));
    }

    private static List<Hash> hashes(Map<Subtree, Hash> stored, TileRange range) {
        return LongStream.range(range.from(), range.to())
                .mapToObj(index -> requireHash(stored, range.level(), index))
                .toList();
    }

    private static Hash requireHash(Map<Subtree, Hash> stored, int tileLevel, long index) {
        return Objects.requireNonNull(
                stored.get(new Subtree(tileLevel * Tile.HEIGHT, index)), "a hash of the log is missing");
    }
}
