package dev.slipway.audit.log.domain;

import java.util.List;

/** Verifies the proofs of RFC 9162, sections 2.1.3.2 and 2.1.4.2. */
public final class ProofVerifier {
    private ProofVerifier() {}

    /** Returns whether the leaf is at {@code index} in the tree of the given size and root. */
    public static boolean isIncluded(Hash leaf, long index, long size, List<Hash> proof, Hash root) {
        if (index < 0 || index >= size) {
            return false;
        }
        var node = index;
        var last = size - 1;
        var hash = leaf;
        for (var step : proof) {
            if (last == 0) {
                return false;
            }
            if ((node & 1) == 1 || node == last) {
                hash = MerkleTree.nodeHash(step, hash);
                while ((node & 1) == 0 && node != 0) {
                    node >>>= 1;
                    last >>>= 1;
                }
            } else {
                hash = MerkleTree.nodeHash(hash, step);
            }
            node >>>= 1;
            last >>>= 1;
        }
        return last == 0 && hash.equals(root);
    }

    /** Returns whether the first tree is the beginning of the second. The empty tree is the beginning of every tree. */
    public static boolean isConsistent(long fromSize, Hash fromRoot, long toSize, Hash toRoot, List<Hash> proof) {
        if (fromSize < 0 || fromSize > toSize) {
            return false;
        }
        if (fromSize == toSize) {
            return proof.isEmpty() && fromRoot.equals(toRoot);
        }
        if (fromSize == 0) {
            return proof.isEmpty() && fromRoot.equals(MerkleTree.emptyRoot());
        }
        // If the older tree is a complete subtree, its root is not part of the proof.
        var complete = Long.bitCount(fromSize) == 1;
        if (!complete && proof.isEmpty()) {
            return false;
        }
        var node = fromSize - 1;
        var last = toSize - 1;
        while ((node & 1) == 1) {
            node >>>= 1;
            last >>>= 1;
        }
        var from = complete ? fromRoot : proof.get(0);
        var to = from;
        for (var step : complete ? proof : proof.subList(1, proof.size())) {
            if (last == 0) {
                return false;
            }
            if ((node & 1) == 1 || node == last) {
                from = MerkleTree.nodeHash(step, from);
                to = MerkleTree.nodeHash(step, to);
                while ((node & 1) == 0 && node != 0) {
                    node >>>= 1;
                    last >>>= 1;
                }
            } else {
                to = MerkleTree.nodeHash(to, step);
            }
            node >>>= 1;
            last >>>= 1;
        }
        return last == 0 && from.equals(fromRoot) && to.equals(toRoot);
    }
}
