package dev.slipway.audit.log.domain;

import java.util.List;

/** Hashes of the Merkle tree of RFC 9162, section 2.1. */
public final class MerkleTree {
    private static final byte[] LEAF_PREFIX = {0};
    private static final byte[] NODE_PREFIX = {1};

    private MerkleTree() {}

    public static Hash emptyRoot() {
        return Hash.sha256();
    }

    public static Hash leafHash(byte[] entry) {
        return Hash.sha256(LEAF_PREFIX, entry);
    }

    public static Hash nodeHash(Hash left, Hash right) {
        return Hash.sha256(NODE_PREFIX, left.bytes(), right.bytes());
    }

    /** Returns the root of the tree with these leaf hashes. */
    public static Hash root(List<Hash> leaves) {
        var frontier = Frontier.EMPTY;
        for (var leaf : leaves) {
            frontier = frontier.append(leaf);
        }
        return frontier.root();
    }
}
