package dev.slipway.audit.log.domain;

import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** A SHA-256 hash. */
public final class Hash {
    public static final int BYTES = 32;

    private final byte[] bytes;

    private Hash(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Copies the bytes of a hash. Throws an {@link IllegalArgumentException} if there are not 32. */
    public static Hash of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a SHA-256 hash has 32 bytes, not " + bytes.length);
        }
        return new Hash(bytes.clone());
    }

    public static Hash ofHex(String hex) {
        return of(HexFormat.of().parseHex(hex));
    }

    public static Hash ofBase64(String base64) {
        return of(Base64.getDecoder().decode(base64));
    }

    /** Hashes the concatenation of the parts. */
    public static Hash sha256(byte[]... parts) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var part : parts) {
                digest.update(part);
            }
            return new Hash(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /** Returns the bytes of all hashes, one after the other. */
    public static byte[] concatenate(List<Hash> hashes) {
        var all = new byte[hashes.size() * BYTES];
        for (var i = 0; i < hashes.size(); i++) {
            System.arraycopy(hashes.get(i).bytes, 0, all, i * BYTES, BYTES);
        }
        return all;
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    public String base64() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Hash hash && Arrays.equals(bytes, hash.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return hex();
    }
}
