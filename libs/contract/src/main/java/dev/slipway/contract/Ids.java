package dev.slipway.contract;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;

/** Makes ids: UUID version 7, so that they sort by the time they were made. */
public final class Ids {
    /**
     * An id is no secret, it only has to be unlike every other: a generator per thread, seeded from the system's randomness, makes one
     * without the lock and the hashing that a secure one costs every time.
     */
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
