package dev.slipway.metering.rating.domain;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Incremental rating equals a rebuild from raw facts, for random histories. */
class RatingPropertiesTest {
    private static final int STEPS = 40;

    static LongStream seeds() {
        return LongStream.range(0, 150);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void incrementalRating_equalsTheRebuild_asOfEveryStep(long seed) {
        var history = new RandomHistory(seed);
        for (var step = 0; step < STEPS; step++) {
            history.step();
            var rebuilt = history.rebuild();
            assertThat(history.booked())
                    .as("charges per period, seed %d, step %d", seed, step)
                    .isEqualTo(rebuilt.charges());
            assertThat(history.lineAmounts()).isEqualTo(RandomHistory.amounts(rebuilt.lines()));
            assertThat(history.chargesPerLine())
                    .as("charges sum to their lines")
                    .isEqualTo(history.lineAmounts());
        }
    }
}
