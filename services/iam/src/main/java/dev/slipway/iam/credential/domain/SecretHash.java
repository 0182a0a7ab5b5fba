package dev.slipway.iam.credential.domain;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.BiPredicate;

/** Hashes of secrets. Secrets are long and random, so that a plain SHA-256 is enough. */
public final class SecretHash {
    private static final byte[] DUMMY_HASH = new byte[32];

    private SecretHash() {}

    public static byte[] of(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /**
     * Returns the index of the secret's hash, or -1. Makes the same number of comparisons for a wrong secret and for an owner without
     * credentials, so that the duration reveals nothing.
     */
    public static int indexOf(List<byte[]> hashes, String secret) {
        return indexOf(hashes, secret, MessageDigest::isEqual);
    }

    static int indexOf(List<byte[]> hashes, String secret, BiPredicate<byte[], byte[]> equal) {
        var hash = of(secret);
        var found = -1;
        for (var i = 0; i < Math.max(Credential.MAX_ACTIVE, hashes.size()); i++) {
            var exists = i < hashes.size();
            found = equal.test(exists ? hashes.get(i) : DUMMY_HASH, hash) && exists ? i : found;
        }
        return found;
    }
}
