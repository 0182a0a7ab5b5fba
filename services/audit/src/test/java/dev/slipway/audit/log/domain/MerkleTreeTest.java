package dev.slipway.audit.log.domain;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MerkleTreeTest {
    /** Larger than two full tiles, so that proofs cross tiles of two levels. */
    private static final int LARGE = 2 * Tile.FULL_WIDTH + 77;

    private static final int SMALL = 40;

    /** The entries and roots of the reference implementation of Certificate Transparency. */
    private static final List<String> ENTRIES =
            List.of("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f");

    private static final List<String> ROOTS = List.of(
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");

    @Test
    void root_matchesReferenceVectors() {
        assertThat(MerkleTree.emptyRoot().hex())
                .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        var leaves = ENTRIES.stream()
                .map(hex -> MerkleTree.leafHash(HexFormat.of().parseHex(hex)))
                .toList();
        for (var size = 1; size <= leaves.size(); size++) {
            assertThat(MerkleTree.root(leaves.subList(0, size)).hex()).isEqualTo(ROOTS.get(size - 1));
        }
    }

    @Test
    void root_matchesRecursiveDefinition() {
        var leaves = leaves(LARGE);
        for (var size : List.of(1, 2, 3, 5, 31, 32, 33, 255, 256, 257, 511, 512, LARGE)) {
            assertThat(MerkleTree.root(leaves.subList(0, size))).isEqualTo(definition(leaves.subList(0, size)));
        }
    }

    @Test
    void frontier_isRestored_fromItsEncoding() {
        var leaves = leaves(SMALL);
        var frontier = Frontier.EMPTY;
        for (var leaf : leaves) {
            frontier = Frontier.decode(frontier.size(), frontier.encodeRoots()).append(leaf);
        }
        assertThat(frontier.root()).isEqualTo(definition(leaves));
        var roots = frontier.encodeRoots();
        assertThatThrownBy(() -> Frontier.decode(SMALL + 1, roots)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void inclusionProof_isValid_forEveryLeafOfEverySmallTree() {
        var log = new TileLog(leaves(SMALL));
        for (var size = 1; size <= SMALL; size++) {
            for (var index = 0; index < size; index++) {
                assertInclusion(log, index, size);
            }
        }
    }

    @Test
    void consistencyProof_isValid_forEveryPairOfSmallTrees() {
        var log = new TileLog(leaves(SMALL));
        for (var to = 0; to <= SMALL; to++) {
            for (var from = 0; from <= to; from++) {
                assertConsistency(log, from, to);
            }
        }
    }

    @Test
    void proofs_areValid_acrossTiles() {
        var log = new TileLog(leaves(LARGE));
        for (var index : List.of(0, 1, 127, 128, 255, 256, 257, 400, 511, 512, LARGE - 1)) {
            assertInclusion(log, index, LARGE);
            assertConsistency(log, index, LARGE);
        }
        assertThat(ProofPlan.inclusion(0, LARGE).storedHashes())
                .allSatisfy(range -> assertThat(range.to() - range.from()).isLessThanOrEqualTo(Tile.FULL_WIDTH / 2));
    }

    @Test
    void inclusionProof_isInvalid_whenAnyPartChanges() {
        var size = 11;
        var log = new TileLog(leaves(size));
        for (var index = 0; index < size; index++) {
            var proof = log.resolve(ProofPlan.inclusion(index, size));
            var leaf = log.leaves.get(index);
            var root = log.root(size);
            var other = MerkleTree.leafHash(new byte[] {1, 2, 3});
            assertThat(ProofVerifier.isIncluded(other, index, size, proof, root))
                    .isFalse();
            assertThat(ProofVerifier.isIncluded(leaf, index, size, proof, other))
                    .isFalse();
            assertThat(ProofVerifier.isIncluded(leaf, (index + 1) % size, size, proof, root))
                    .isFalse();
            assertThat(ProofVerifier.isIncluded(leaf, size, size, proof, root)).isFalse();
            assertThat(ProofVerifier.isIncluded(leaf, index, size, proof.subList(1, proof.size()), root))
                    .isFalse();
            for (var i = 0; i < proof.size(); i++) {
                var changed = new ArrayList<>(proof);
                changed.set(i, other);
                assertThat(ProofVerifier.isIncluded(leaf, index, size, changed, root))
                        .isFalse();
            }
            var longer = new ArrayList<>(proof);
            longer.add(other);
            assertThat(ProofVerifier.isIncluded(leaf, index, size, longer, root))
                    .isFalse();
        }
    }

    @Test
    void consistencyProof_isInvalid_whenHistoryIsRewritten() {
        var size = 13;
        var log = new TileLog(leaves(size));
        for (var rewritten = 0; rewritten < size; rewritten++) {
            var leaves = new ArrayList<>(log.leaves);
            leaves.set(rewritten, MerkleTree.leafHash(new byte[] {9}));
            var other = new TileLog(leaves);
            for (var from = rewritten + 1; from < size; from++) {
                var proof = other.resolve(ProofPlan.consistency(from, size));
                assertThat(ProofVerifier.isConsistent(from, log.root(from), size, other.root(size), proof))
                        .isFalse();
            }
        }
        assertThat(ProofVerifier.isConsistent(5, log.root(5), 4, log.root(4), List.of()))
                .isFalse();
        assertThat(ProofVerifier.isConsistent(5, log.root(5), 13, log.root(13), List.of()))
                .isFalse();
        assertThat(ProofVerifier.isConsistent(4, log.root(4), 13, log.root(13), List.of()))
                .isFalse();
    }

    @Test
    void plan_isRejected_outsideTheTree() {
        assertThatThrownBy(() -> ProofPlan.inclusion(3, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ProofPlan.inclusion(-1, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ProofPlan.consistency(4, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertInclusion(TileLog log, int index, int size) {
        var proof = log.resolve(ProofPlan.inclusion(index, size));
        assertThat(ProofVerifier.isIncluded(log.leaves.get(index), index, size, proof, log.root(size)))
                .as("leaf %s of %s", index, size)
                .isTrue();
    }

    private static void assertConsistency(TileLog log, int from, int to) {
        var proof = log.resolve(ProofPlan.consistency(from, to));
        assertThat(ProofVerifier.isConsistent(from, log.root(from), to, log.root(to), proof))
                .as("from %s to %s", from, to)
                .isTrue();
    }

    private static List<Hash> leaves(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> MerkleTree.leafHash(("entry " + i).getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    /** Section 2.1.1 of RFC 9162, literally. */
    private static Hash definition(List<Hash> leaves) {
        if (leaves.size() == 1) {
            return leaves.get(0);
        }
        var split = Integer.highestOneBit(leaves.size() - 1);
        return MerkleTree.nodeHash(
                definition(leaves.subList(0, split)), definition(leaves.subList(split, leaves.size())));
    }

    /** Stores only the hashes that tiles contain, like the database. */
    private static final class TileLog {
        private final List<Hash> leaves;
        private final Map<Subtree, Hash> stored = new HashMap<>();

        TileLog(List<Hash> leaves) {
            this.leaves = leaves;
            var frontier = Frontier.EMPTY;
            for (var leaf : leaves) {
                stored.put(new Subtree(0, frontier.size()), leaf);
                frontier = frontier.append(leaf, (subtree, hash) -> {
                    if (subtree.level() % Tile.HEIGHT == 0) {
                        stored.put(subtree, hash);
                    }
                });
            }
        }

        List<Hash> resolve(ProofPlan plan) {
            return plan.resolve(range -> {
                assertThat(plan.storedHashes()).contains(range);
                return LongStream.range(range.from(), range.to())
                        .mapToObj(index -> stored.get(new Subtree(range.level() * Tile.HEIGHT, index)))
                        .toList();
            });
        }

        Hash root(int size) {
            return MerkleTree.root(leaves.subList(0, size));
        }
    }
}
