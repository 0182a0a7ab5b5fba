package dev.slipway.contract;

import java.security.SecureRandom;
import java.util.UUID;

/** Makes ids: UUID version 7, so that they sort by the time they were made. */
public final class Ids {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Ids() {}

    public static UUID next() {
        return at(System.currentTimeMillis());
    }

    static UUID at(long epochMs) {
        var random = new byte[10];
        RANDOM.nextBytes(random);
        var high = (epochMs << 16) | 0x7000 | ((random[0] & 0x0fL) << 8) | (random[1] & 0xffL);
        var low = 0L;
        for (var i = 2; i < 10; i++) {
            low = (low << 8) | (random[i] & 0xffL);
        }
        return new UUID(high, (low & 0x3fffffffffffffffL) | 0x8000000000000000L);
    }
}
