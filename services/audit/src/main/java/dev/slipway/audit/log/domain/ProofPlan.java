package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The subtrees whose hashes make up a proof of RFC 9162, section 2.1.3 or 2.1.4, in the order of the proof. Each hash of the proof is the
 * root above one range of leaves, which is computed from complete subtrees.
 */
public record ProofPlan(List<List<Subtree>> path) {

    /** Plans the proof that the leaf at {@code index} is in the tree of size {@code size}. */
    public static ProofPlan inclusion(long index, long size) {
        if (index < 0 || index >= size) {
            throw new IllegalArgumentException("a tree of size " + size + " has no leaf " + index);
        }
        var ranges = new ArrayList<List<Subtree>>();
        addInclusion(ranges, index, 0, size);
        return new ProofPlan(ranges);
    }

    /** Plans the proof that the tree of size {@code from} is the beginning of the tree of size {@code to}. */
    public static ProofPlan consistency(long from, long to) {
        if (from < 0 || from > to) {
            throw new IllegalArgumentException("a tree of size " + from + " is not the beginning of one of " + to);
        }
        var ranges = new ArrayList<List<Subtree>>();
        if (from > 0) {
            addConsistency(ranges, from, 0, to, true);
        }
        return new ProofPlan(ranges);
    }

    /** Plans the computation of the root of the tree of a size. */
    public static ProofPlan root(long size) {
        return new ProofPlan(List.of(Subtree.cover(0, size)));
    }

    /** Returns the stored hashes that the proof needs, each range once. */
    public List<TileRange> storedHashes() {
        return path.stream().flatMap(List::stream).map(TileRange::of).distinct().toList();
    }

    /** Computes the proof; {@code stored} returns the hashes of a range of {@link #storedHashes}. */
    public List<Hash> resolve(Function<TileRange, List<Hash>> stored) {
        return path.stream()
                .map(subtrees -> Frontier.fold(subtrees.stream()
                        .map(subtree -> TileRange.root(stored.apply(TileRange.of(subtree))))
                        .collect(Collectors.toList())))
                .toList();
    }

    /** {@code index} is relative to {@code from}; {@code to - from} is the size of the subtree. */
    private static void addInclusion(List<List<Subtree>> ranges, long index, long from, long to) {
        var size = to - from;
        if (size <= 1) {
            return;
        }
        var split = splitOf(size);
        if (index < split) {
            addInclusion(ranges, index, from, from + split);
            ranges.add(Subtree.cover(from + split, to));
        } else {
            addInclusion(ranges, index - split, from + split, to);
            ranges.add(Subtree.cover(from, from + split));
        }
    }

    /** {@code older} is relative to {@code from}; {@code known} means that the verifier knows the root of the older tree here. */
    private static void addConsistency(List<List<Subtree>> ranges, long older, long from, long to, boolean known) {
        var size = to - from;
        if (older == size) {
            if (!known) {
                ranges.add(Subtree.cover(from, to));
            }
            return;
        }
        var split = splitOf(size);
        if (older <= split) {
            addConsistency(ranges, older, from, from + split, known);
            ranges.add(Subtree.cover(from + split, to));
        } else {
            addConsistency(ranges, older - split, from + split, to, false);
            ranges.add(Subtree.cover(from, from + split));
        }
    }

    /** Returns the largest power of two below the size. */
    private static long splitOf(long size) {
        return Long.highestOneBit(size - 1);
    }
}
