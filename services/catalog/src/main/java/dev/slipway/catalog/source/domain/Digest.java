package dev.slipway.catalog.source.domain;

import java.util.HexFormat;
import java.util.regex.Pattern;

/** What an artifact is known by: {@code sha256:} and 64 hexadecimal digits in lower case, the one way to write it. */
public record Digest(String text) {
    private static final Pattern CANONICAL = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final String PREFIX = "sha256:";

    public Digest {
        if (!isCanonical(text)) {
            throw new IllegalArgumentException("not a canonical SHA-256 digest: " + text);
        }
    }

    public static boolean isCanonical(String text) {
        return CANONICAL.matcher(text).matches();
    }

    /** Of a hash that was taken. */
    public static Digest of(byte[] sha256) {
        return new Digest(PREFIX + HexFormat.of().formatHex(sha256));
    }

    public String hex() {
        return text.substring(PREFIX.length());
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex());
    }

    @Override
    public String toString() {
        return text;
    }
}
