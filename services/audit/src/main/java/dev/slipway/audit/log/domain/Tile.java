package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.Comparator;
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

    /** Returns the full tiles that a tree completes while it grows, in the order of their completion. */
    public static List<Tile> completedBetween(long fromSize, long toSize) {
        var tiles = new ArrayList<Tile>();
        var level = 0;
        for (var shift = HEIGHT; shift < Long.SIZE && toSize >>> shift > 0; shift += HEIGHT) {
            for (var index = fromSize >>> shift; index < toSize >>> shift; index++) {
                tiles.add(new Tile(level, index, FULL_WIDTH));
            }
            level++;
        }
        tiles.sort(Comparator.comparingLong(Tile::leaves).thenComparingInt(Tile::level));
        return tiles;
    }

    /** Returns the partial tiles of a tree, those of the leaves first. */
    public static List<Tile> partial(long treeSize) {
        var tiles = new ArrayList<Tile>();
        var level = 0;
        for (var hashes = treeSize; hashes > 0; hashes >>>= HEIGHT) {
            var width = (int) (hashes % FULL_WIDTH);
            if (width > 0) {
                tiles.add(new Tile(level, hashes >>> HEIGHT, width));
            }
            level++;
        }
        return tiles;
    }

    /** Returns the size of the smallest tree that has this tile. */
    public long leaves() {
        return range().to() << (level * HEIGHT);
    }

    /** Returns the stored hashes of this tile. */
    public TileRange range() {
        var from = index << HEIGHT;
        return new TileRange(level, from, from + width);
    }

    /** Returns whether a tree of this size has the tile. */
    public boolean isPartOf(long treeSize) {
        var shift = level * HEIGHT;
        var hashes = shift < Long.SIZE ? treeSize >>> shift : 0;
        return index <= hashes >>> HEIGHT && range().to() <= hashes;
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
