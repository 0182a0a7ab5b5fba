package dev.slipway.tenants.deployment.domain;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Composes names of constraints and indexes. */
final class SqlNames {
    /** PostgreSQL cuts identifiers after 63 bytes; two that differ only after that would collide. */
    private static final int MAX_LENGTH = 63;

    private SqlNames() {}

    /** Joins the parts with underscores. A name that is too long is shortened and gets a checksum, so that it stays unique. */
    static String join(String... parts) {
        var name = String.join("_", parts);
        if (name.length() <= MAX_LENGTH) {
            return name;
        }
        var checksum = new CRC32();
        checksum.update(name.getBytes(StandardCharsets.UTF_8));
        return "%s_%08x".formatted(name.substring(0, MAX_LENGTH - 9), checksum.getValue());
    }
}
