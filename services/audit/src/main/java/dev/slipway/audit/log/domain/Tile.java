package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.List;

/**
 * A tile of a tree (C2SP tlog-tiles): up to 256 consecutive hashes of the tree at height {@code 8 * level}.
 *
 * @param level 0 for leaf hashes
 * @param width the number of hashes; 256 for a full tile
 */
public record Tile(int level, long index, int width) {
    /** The height of a tile: a full tile has {@code 1 << HEIGHT} hashes. */
    public static final int HEIGHT = 8;

    public static final int FULL_WIDTH = 1 << HEIGHT;
    private static final int MAX_LEVEL = 63;
    private static final int GROUP = 1_000;

    public Tile {
        if (level < 0 || level > MAX_LEVEL || index < 0 || width < 1 || width > FULL_WIDTH) {
            throw new IllegalArgumentException("there is no tile " + level + "/" + index + " of width " + width);
        }
    }

    /** Returns all tiles of a tree, those of the leaves first. Only the last tile of a level can be partial. */
    public static List<Tile> all(long treeSize) {
        var tiles = new ArrayList<Tile>();
        var level = 0;
        for (var hashes = treeSize; hashes > 0; hashes >>>= HEIGHT) {
            for (var index = 0L; index << HEIGHT < hashes; index++) {
                tiles.add(new Tile(level, index, (int) Math.min(FULL_WIDTH, hashes - (index << HEIGHT))));
            }
            level++;
        }
        return tiles;
    }

    /** Returns the path below the log's prefix, for example {@code tile/0/x001/234.p/5}. */
    public String path() {
        var groups = new StringBuilder(three(index % GROUP));
        for (var rest = index / GROUP; rest > 0; rest /= GROUP) {
            groups.insert(0, "x" + three(rest % GROUP) + "/");
        }
        return "tile/" + level + "/" + groups + (width == FULL_WIDTH ? "" : ".p/" + width);
    }

    /** Parses a {@link #path}. Throws an {@link IllegalArgumentException} if it is not one, or not in its only valid form. */
    public static Tile parse(String path) {
        var parts = path.split("/", -1);
        if (parts.length < 3 || !parts[0].equals("tile")) {
            throw new IllegalArgumentException(path + " is not a tile path");
        }
        var partial = parts[parts.length - 2].endsWith(".p");
        var width = partial ? Integer.parseInt(parts[parts.length - 1]) : FULL_WIDTH;
        var last = partial ? parts.length - 2 : parts.length - 1;
        var index = 0L;
        for (var i = 2; i <= last; i++) {
            var group = i == last ? parts[i].replace(".p", "") : parts[i].replaceFirst("^x", "");
            index = index * GROUP + Long.parseLong(group);
        }
        var tile = new Tile(Integer.parseInt(parts[1]), index, width);
        if (!tile.path().equals(path)) {
            throw new IllegalArgumentException(path + " is not a tile path");
        }
        return tile;
    }

    private static String three(long number) {
        return String.valueOf(GROUP + number).substring(1);
    }
}
