package dev.slipway.audit.log.domain;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The clear value of a personal field. The leaf contains only its salted hash, so the value can be deleted without changing the tree, and
 * cannot be guessed from the hash without the salt.
 *
 * @param salt in Base64
 */
public record PersonalValue(String salt, String value) {
    private static final String PREFIX = "sha256:";

    /** Returns the hash that represents the value in the leaf. */
    public String hash() {
        return PREFIX
                + Hash.sha256(Base64.getDecoder().decode(salt), value.getBytes(StandardCharsets.UTF_8))
                        .hex();
    }
}
