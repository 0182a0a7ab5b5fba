package dev.slipway.gateway;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketsTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void take_isRefused_whenTheBucketIsEmpty_andSaysUntilWhen() {
        var buckets = new Buckets(10, true);
        for (var i = 0; i < 20; i++) {
            assertThat(buckets.take("a", 1, 0)).isZero();
        }

        assertThat(buckets.take("a", 1, 0)).isEqualTo(100);
        assertThat(buckets.take("a", 5, 0)).isEqualTo(500);
        assertThat(buckets.take("b", 1, 0)).as("another's bucket").isZero();
        assertThat(buckets.take("a", 1, SECOND / 10)).isZero();
        assertThat(buckets.take("a", 1, SECOND / 10)).isEqualTo(100);
    }

    @Test
    void take_isRefused_forNoLongerThanOneFilling_howeverMuchOthersSpent() {
        var buckets = new Buckets(10, true);
        for (var i = 0; i < 100; i++) {
            buckets.spend("a", 1_000, 0);
        }

        assertThat(buckets.take("a", 1, 0)).isEqualTo(2_100);
        assertThat(buckets.take("a", 1, 3 * SECOND)).isZero();
    }

    @Test
    void take_isNeverRefused_withoutALimit() {
        var buckets = new Buckets(0, true);
        buckets.spend("a", 1_000, 0);
        for (var i = 0; i < 1_000; i++) {
            assertThat(buckets.take("a", 1, 0)).isZero();
        }
    }

    @Test
    void drainSpent_tellsWhatWasTakenHere_once() {
        var buckets = new Buckets(10, true);
        assertThat(buckets.take("a", 1, 0)).isZero();
        assertThat(buckets.take("a", 1, 0)).isZero();
        buckets.spend("a", 5, 0);

        assertThat(buckets.drainSpent()).containsOnly(java.util.Map.entry("a", 2));
        assertThat(buckets.drainSpent()).isEmpty();
    }
}
