package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The right edge of a tree: the roots of the complete subtrees that cover its leaves, the largest first. It is all that an append needs, so
 * an append takes O(log n) hashes.
 */
public record Frontier(long size, List<Hash> roots) {
    public static final Frontier EMPTY = new Frontier(0, List.of());

    public Frontier {
        if (size < 0 || Long.bitCount(size) != roots.size()) {
            throw new IllegalArgumentException("a tree of size " + size + " has " + Long.bitCount(size)
                    + " complete subtrees, not " + roots.size());
        }
        roots = List.copyOf(roots);
    }

    /** Restores a frontier from its size and {@link #encodeRoots}. */
    public static Frontier decode(long size, byte[] encodedRoots) {
        var roots = new ArrayList<Hash>();
        for (var from = 0; from < encodedRoots.length; from += Hash.BYTES) {
            roots.add(Hash.of(Arrays.copyOfRange(encodedRoots, from, from + Hash.BYTES)));
        }
        return new Frontier(size, roots);
    }

    public byte[] encodeRoots() {
        return Hash.concatenate(roots);
    }

    public Frontier append(Hash leaf) {
        return append(leaf, (subtree, hash) -> {});
    }

    /** Appends a leaf and passes each subtree above the leaves that it completes to {@code completed}, the smallest first. */
    public Frontier append(Hash leaf, BiConsumer<Subtree, Hash> completed) {
        var next = new ArrayList<>(roots);
        var hash = leaf;
        var level = 0;
        for (var rest = size; (rest & 1) == 1; rest >>>= 1) {
            hash = MerkleTree.nodeHash(next.remove(next.size() - 1), hash);
            level++;
            completed.accept(new Subtree(level, size >>> level), hash);
        }
        next.add(hash);
        return new Frontier(size + 1, next);
    }

    public Hash root() {
        return fold(roots);
    }

    /** Returns the root above adjacent subtrees, the largest first. */
    static Hash fold(List<Hash> roots) {
        if (roots.isEmpty()) {
            return MerkleTree.emptyRoot();
        }
        var hash = roots.get(roots.size() - 1);
        for (var i = roots.size() - 2; i >= 0; i--) {
            hash = MerkleTree.nodeHash(roots.get(i), hash);
        }
        return hash;
    }
}
