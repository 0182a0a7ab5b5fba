package dev.slipway.iam.credential;

import io.vertx.core.buffer.Buffer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.function.BiPredicate;

/** Secrets, and how they are kept. They are long and random, made by us: a plain hash is enough. */
public final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;
    /** As many as an owner has live credentials at the most. */
    private static final int LOOKS = CredentialStore.MAX_LIVE;

    private static final byte[] NOBODYS = new byte[32];

    private Secrets() {}

    /** A new one. Its beginning tells scanners for leaked secrets what it is. */
    public static String next() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return "sws_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static Buffer hash(String secret) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return Buffer.buffer(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /** Which of the hashes is the secret's, or -1. Looks as often for a wrong secret, and where there is none: the time must not tell. */
    public static int indexOf(List<Buffer> hashes, String secret) {
        return indexOf(hashes, secret, MessageDigest::isEqual);
    }

    static int indexOf(List<Buffer> hashes, String secret, BiPredicate<byte[], byte[]> equal) {
        var hash = hash(secret).getBytes();
        var found = -1;
        for (var i = 0; i < Math.max(LOOKS, hashes.size()); i++) {
            var there = i < hashes.size();
            found = equal.test(there ? hashes.get(i).getBytes() : NOBODYS, hash) && there ? i : found;
        }
        return found;
    }
}
