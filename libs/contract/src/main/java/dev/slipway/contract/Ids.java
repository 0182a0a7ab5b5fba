package dev.slipway.contract;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;

/** Generates ids: UUID version 7, which sort by creation time. */
public final class Ids {
    /** Ids are unique, not secret: a generator per thread, seeded by SecureRandom, avoids its lock and hashing on every call. */
    private static final ThreadLocal<SplittableRandom> RANDOM =
            ThreadLocal.withInitial(() -> new SplittableRandom(new SecureRandom().nextLong()));

    private Ids() {}

    public static UUID next() {
        return at(System.currentTimeMillis());
    }

    static UUID at(long epochMs) {
        var random = RANDOM.get();
        var high = (epochMs << 16) | 0x7000 | random.nextInt(0x1000);
        return new UUID(high, (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L);
    }
}
