package dev.slipway.processadapter;

import dev.slipway.contract.Ids;
import dev.slipway.processadapter.Metering.Mark;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class MeteringTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

    @Test
    void usage_ofManyWindows_addsUpToThatOfAll() {
        var instance = Ids.next();
        var sum = BigDecimal.ZERO;
        var from = START;
        for (var i = 0; i < 1_000; i++) {
            var to = from.plusMillis(61_234);
            sum = sum.add(Metering.usage(instance, from, to).quantity());
            from = to;
        }

        assertThat(sum)
                .isEqualByComparingTo(Metering.usage(instance, START, from).quantity());
    }

    @Test
    void usage_hasTheSameId_forTheSameWindowOfTheSameInstance() {
        var instance = Ids.next();
        var id = Metering.usage(instance, START, START.plusSeconds(60)).usageId();

        assertThat(Metering.usage(instance, START, START.plusSeconds(60)).usageId())
                .isEqualTo(id);
        assertThat(Metering.usage(instance, START.plusSeconds(60), START.plusSeconds(120))
                        .usageId())
                .isNotEqualTo(id);
        assertThat(Metering.usage(Ids.next(), START, START.plusSeconds(60)).usageId())
                .isNotEqualTo(id);
    }

    @Test
    void wholeWindows_endsWithTheLastThatIsOver() {
        var window = Duration.ofMinutes(1);

        assertThat(Metering.wholeWindows(START, START.plusSeconds(59), window)).isNull();
        assertThat(Metering.wholeWindows(START, START.plusSeconds(150), window)).isEqualTo(START.plusSeconds(120));
        assertThat(Metering.wholeWindows(START, START.minusSeconds(150), window))
                .as("the clock was set back")
                .isNull();
    }

    @Test
    void mark_isReadAsItWasWritten() {
        assertThat(Mark.of(new Mark(START, null).text())).isEqualTo(new Mark(START, null));
        assertThat(Mark.of(new Mark(START, START.plusSeconds(1)).text()))
                .isEqualTo(new Mark(START, START.plusSeconds(1)));
    }
}
