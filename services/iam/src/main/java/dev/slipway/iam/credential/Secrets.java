package dev.slipway.iam.credential;

import io.vertx.core.buffer.Buffer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Secrets, and how they are kept. They are long and random, made by us: a plain hash is enough. */
public final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

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

    /** Takes as long for a wrong secret as for the right one. */
    public static boolean matches(Buffer expectedHash, String secret) {
        return MessageDigest.isEqual(expectedHash.getBytes(), hash(secret).getBytes());
    }
}
