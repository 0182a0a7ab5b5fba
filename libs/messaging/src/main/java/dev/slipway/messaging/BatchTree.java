package dev.slipway.messaging;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * A hash tree over the records of one batch, so that one signature covers all of them and each record can be verified alone. A node without
 * a sibling moves up unchanged.
 */
final class BatchTree {
    static final int HASH_LENGTH = 32;
    private static final byte LEAF = 0;
    private static final byte NODE = 1;
    /** The side of a sibling, in a path. */
    private static final byte LEFT = 0;

    private static final byte RIGHT = 1;
    private static final int STEP_LENGTH = 1 + HASH_LENGTH;
    /** More than the depth of the largest batch. */
    private static final int MAX_PATH_LENGTH = 32 * STEP_LENGTH;

    private final List<List<byte[]>> levels = new ArrayList<>();

    /** Builds the tree of at least one leaf hash. */
    BatchTree(List<byte[]> leaves) {
        levels.add(leaves);
        while (top().size() > 1) {
            levels.add(parents(top()));
        }
    }

    byte[] root() {
        return top().get(0);
    }

    /** Returns the siblings on the way from the leaf to the root, each after a byte for its side. */
    byte[] path(int leaf) {
        var path = new ByteArrayOutputStream();
        var index = leaf;
        for (var level : levels.subList(0, levels.size() - 1)) {
            var sibling = index ^ 1;
            if (sibling < level.size()) {
                path.write(sibling < index ? LEFT : RIGHT);
                path.writeBytes(level.get(sibling));
            }
            index /= 2;
        }
        return path.toByteArray();
    }

    /** Returns the root that a leaf and its path lead to. Throws IllegalArgumentException if the path is malformed. */
    static byte[] root(byte[] leaf, byte[] path) {
        if (path.length % STEP_LENGTH != 0 || path.length > MAX_PATH_LENGTH) {
            throw new IllegalArgumentException("a path of " + path.length + " bytes");
        }
        var hash = leaf;
        for (var at = 0; at < path.length; at += STEP_LENGTH) {
            var digest = sha256();
            digest.update(NODE);
            if (path[at] == RIGHT) {
                digest.update(hash);
            }
            digest.update(path, at + 1, HASH_LENGTH);
            if (path[at] != RIGHT) {
                digest.update(hash);
            }
            hash = digest.digest();
        }
        return hash;
    }

    /** Starts the hash of a leaf; the caller adds its content. */
    static MessageDigest leafDigest() {
        var digest = sha256();
        digest.update(LEAF);
        return digest;
    }

    private List<byte[]> top() {
        return levels.get(levels.size() - 1);
    }

    private static List<byte[]> parents(List<byte[]> level) {
        var parents = new ArrayList<byte[]>((level.size() + 1) / 2);
        for (var i = 0; i < level.size(); i += 2) {
            if (i + 1 == level.size()) {
                parents.add(level.get(i));
                continue;
            }
            var digest = sha256();
            digest.update(NODE);
            digest.update(level.get(i));
            parents.add(digest.digest(level.get(i + 1)));
        }
        return parents;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
