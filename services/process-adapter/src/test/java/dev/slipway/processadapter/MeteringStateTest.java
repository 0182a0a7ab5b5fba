package dev.slipway.processadapter;

import dev.slipway.contract.Ids;
import dev.slipway.processadapter.MeteringState.MeteringMark;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class MeteringStateTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

    @Test
    void createUsage_addsUp_overAdjoiningWindows() {
        var instance = Ids.next();
        var sum = BigDecimal.ZERO;
        var from = START;
        for (var i = 0; i < 1_000; i++) {
            var to = from.plusMillis(61_234);
            sum = sum.add(MeteringState.createUsage(instance, from, to).quantity());
            from = to;
        }

        assertThat(sum)
                .isEqualByComparingTo(
                        MeteringState.createUsage(instance, START, from).quantity());
    }

    @Test
    void createUsage_returnsSameId_forSameWindow() {
        var instance = Ids.next();
        var id = MeteringState.createUsage(instance, START, START.plusSeconds(60))
                .usageId();

        assertThat(MeteringState.createUsage(instance, START, START.plusSeconds(60))
                        .usageId())
                .isEqualTo(id);
        assertThat(MeteringState.createUsage(instance, START.plusSeconds(60), START.plusSeconds(120))
                        .usageId())
                .isNotEqualTo(id);
        assertThat(MeteringState.createUsage(Ids.next(), START, START.plusSeconds(60))
                        .usageId())
                .isNotEqualTo(id);
    }

    @Test
    void lastWholeWindowEnd_returnsEndOfLastCompleteWindow() {
        var window = Duration.ofMinutes(1);

        assertThat(MeteringState.lastWholeWindowEnd(START, START.plusSeconds(59), window))
                .isNull();
        assertThat(MeteringState.lastWholeWindowEnd(START, START.plusSeconds(150), window))
                .isEqualTo(START.plusSeconds(120));
        assertThat(MeteringState.lastWholeWindowEnd(START, START.minusSeconds(150), window))
                .as("the clock was set back")
                .isNull();
    }

    @Test
    void meteringMark_roundTrips() {
        assertThat(MeteringMark.of(new MeteringMark(START, null).text())).isEqualTo(new MeteringMark(START, null));
        assertThat(MeteringMark.of(new MeteringMark(START, START.plusSeconds(1)).text()))
                .isEqualTo(new MeteringMark(START, START.plusSeconds(1)));
    }
}
