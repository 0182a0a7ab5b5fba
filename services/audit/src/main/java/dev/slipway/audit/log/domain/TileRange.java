package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive stored hashes. Only the hashes at the heights of tiles are stored; a subtree of another height is computed from at most 128 of
 * them.
 *
 * @param level the level of the tile
 * @param to the position after the last hash
 */
public record TileRange(int level, long from, long to) {

    /** Returns the stored hashes from which the root of a subtree is computed. */
    static TileRange of(Subtree subtree) {
        var above = subtree.level() % Tile.HEIGHT;
        return new TileRange(subtree.level() / Tile.HEIGHT, subtree.index() << above, (subtree.index() + 1) << above);
    }

    /** Returns the root above the hashes of this range. */
    static Hash root(List<Hash> hashes) {
        var row = hashes;
        while (row.size() > 1) {
            var above = new ArrayList<Hash>(row.size() / 2);
            for (var i = 0; i < row.size(); i += 2) {
                above.add(MerkleTree.nodeHash(row.get(i), row.get(i + 1)));
            }
            row = above;
        }
        return row.get(0);
    }
}
