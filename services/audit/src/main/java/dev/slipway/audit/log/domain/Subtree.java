package dev.slipway.audit.log.domain;

import java.util.ArrayList;
import java.util.List;

/** A complete subtree: the leaves from {@code index << level}, of which there are {@code 1 << level}. */
public record Subtree(int level, long index) {

    /** Returns the fewest complete subtrees that cover the leaves from {@code from} to before {@code to}, in order. */
    static List<Subtree> cover(long from, long to) {
        var subtrees = new ArrayList<Subtree>();
        var next = from;
        while (next < to) {
            var largest = Long.SIZE - 1 - Long.numberOfLeadingZeros(to - next);
            var level = next == 0 ? largest : Math.min(largest, Long.numberOfTrailingZeros(next));
            subtrees.add(new Subtree(level, next >>> level));
            next += 1L << level;
        }
        return subtrees;
    }
}
