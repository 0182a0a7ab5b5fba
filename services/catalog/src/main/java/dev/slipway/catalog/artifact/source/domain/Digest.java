package dev.slipway.catalog.artifact.source.domain;

import java.util.HexFormat;
import java.util.regex.Pattern;

/** A SHA-256 digest in its canonical form: {@code sha256:} and 64 lower-case hexadecimal digits. */
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
