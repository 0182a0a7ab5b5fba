package dev.slipway.gateway;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TokenBucketsTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void tryConsume_returnsTheWaitingTime_whenTheBucketIsEmpty() {
        var tokenBuckets = new TokenBuckets(10, true);
        for (var i = 0; i < 20; i++) {
            assertThat(tokenBuckets.tryConsume("a", 1, 0)).isZero();
        }

        assertThat(tokenBuckets.tryConsume("a", 1, 0)).isEqualTo(100);
        assertThat(tokenBuckets.tryConsume("a", 5, 0)).isEqualTo(500);
        assertThat(tokenBuckets.tryConsume("b", 1, 0))
                .as("bucket of another key")
                .isZero();
        assertThat(tokenBuckets.tryConsume("a", 1, SECOND / 10)).isZero();
        assertThat(tokenBuckets.tryConsume("a", 1, SECOND / 10)).isEqualTo(100);
    }

    @Test
    void tryConsume_succeedsAfterOneCapacity_howeverLargeTheDebt() {
        var tokenBuckets = new TokenBuckets(10, true);
        for (var i = 0; i < 100; i++) {
            tokenBuckets.consume("a", 1_000, 0);
        }

        assertThat(tokenBuckets.tryConsume("a", 1, 0)).isEqualTo(2_100);
        assertThat(tokenBuckets.tryConsume("a", 1, 3 * SECOND)).isZero();
    }

    @Test
    void tryConsume_alwaysSucceeds_withoutALimit() {
        var tokenBuckets = new TokenBuckets(0, true);
        tokenBuckets.consume("a", 1_000, 0);
        for (var i = 0; i < 1_000; i++) {
            assertThat(tokenBuckets.tryConsume("a", 1, 0)).isZero();
        }
    }

    @Test
    void drainConsumed_returnsLocalUsageOnce() {
        var tokenBuckets = new TokenBuckets(10, true);
        assertThat(tokenBuckets.tryConsume("a", 1, 0)).isZero();
        assertThat(tokenBuckets.tryConsume("a", 1, 0)).isZero();
        tokenBuckets.consume("a", 5, 0);

        assertThat(tokenBuckets.drainConsumed()).containsOnly(java.util.Map.entry("a", 2));
        assertThat(tokenBuckets.drainConsumed()).isEmpty();
    }
}
