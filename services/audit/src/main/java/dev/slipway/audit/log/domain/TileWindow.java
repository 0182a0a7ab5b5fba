package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The hashes of the newest tile of each level of a growing tree, with which given tiles are compared. */
public final class TileWindow {
    private final Map<Integer, Row> rows = new HashMap<>();

    private static final class Row {
        private long size;
        private final List<Hash> newest = new ArrayList<>();

        void add(Hash hash) {
            if (newest.size() == Tile.FULL_WIDTH) {
                newest.clear();
            }
            newest.add(hash);
            size++;
        }

        boolean hasNewest(Tile tile) {
            return size > 0 && tile.index() == (size - 1) >>> Tile.HEIGHT && tile.width() <= newest.size();
        }
    }

    public void addLeaf(Hash leaf) {
        rows.computeIfAbsent(0, level -> new Row()).add(leaf);
    }

    /** Adds the root of a subtree above the leaves, which {@link Frontier#append} completed. */
    public void addCompleted(Subtree subtree, Hash hash) {
        if (subtree.level() % Tile.HEIGHT == 0) {
            rows.computeIfAbsent(subtree.level() / Tile.HEIGHT, level -> new Row())
                    .add(hash);
        }
    }

    /** Returns whether the tile is the newest of its level and has these hashes. */
    public boolean matches(Tile tile, byte[] hashes) {
        var row = rows.get(tile.level());
        return row != null
                && row.hasNewest(tile)
                && Arrays.equals(Hash.concatenate(row.newest.subList(0, tile.width())), hashes);
    }
}
