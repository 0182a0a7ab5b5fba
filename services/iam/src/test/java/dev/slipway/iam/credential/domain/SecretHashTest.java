package dev.slipway.iam.credential.domain;

import org.junit.jupiter.api.Test;

import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class SecretHashTest {
    private static final byte[] FIRST = SecretHash.of("first");
    private static final byte[] SECOND = SecretHash.of("second");

    /** A longer duration would tell an existing owner from an unknown one, or the first credential from the second. */
    @Test
    void indexOf_makesTheSameNumberOfComparisons_regardlessOfResult() {
        assertFound(-1, List.of(), "first");
        assertFound(-1, List.of(FIRST), "wrong");
        assertFound(-1, List.of(FIRST, SECOND), "wrong");
        assertFound(0, List.of(FIRST), "first");
        assertFound(0, List.of(FIRST, SECOND), "first");
        assertFound(1, List.of(FIRST, SECOND), "second");
    }

    private static void assertFound(int index, List<byte[]> hashes, String secret) {
        var comparisons = new AtomicInteger();
        var found = SecretHash.indexOf(hashes, secret, (expected, given) -> {
            comparisons.incrementAndGet();
            assertThat(given).hasSameSizeAs(expected);
            return MessageDigest.isEqual(expected, given);
        });
        assertThat(found).isEqualTo(index);
        assertThat(comparisons).hasValue(2);
    }
}
