package dev.slipway.audit.status.slo.domain;

import dev.slipway.audit.status.slo.domain.Slo.Indicator;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class SloResultTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void of_isNotMeasured_withoutAnIndicator() {
        assertThat(SloResult.of(slo(Indicator.Kind.NONE), Map.of())).isEqualTo(SloResult.NOT_MEASURED);
    }

    @Test
    void of_isNoData_withoutEvents() {
        assertThat(SloResult.of(measured(), Map.of())).isEqualTo(SloResult.NO_DATA);
    }

    @Test
    void of_isViolated_whenThePeriodHasTooFewGoodEvents() {
        assertThat(SloResult.of(measured(), period(989, 1_000))).isEqualTo(SloResult.VIOLATED);
        assertThat(SloResult.of(measured(), period(990, 1_000))).isEqualTo(SloResult.MET);
    }

    @Test
    void of_isAtRisk_whenAnHourBurnsTheBudgetTooFast() {
        var fast = new SloEvents(855, 1_000); // more than 14.4 times the 1 % that the objective allows
        var slow = new SloEvents(860, 1_000);
        assertThat(SloResult.of(measured(), Map.of(SloResult.PERIOD, new SloEvents(99_900, 100_000), HOUR, fast)))
                .isEqualTo(SloResult.AT_RISK);
        assertThat(SloResult.of(measured(), Map.of(SloResult.PERIOD, new SloEvents(99_900, 100_000), HOUR, slow)))
                .isEqualTo(SloResult.MET);
    }

    @Test
    void between_countsTheGrowth_andNothingAfterAReset() {
        assertThat(SloEvents.between(new SloEvents(5, 6), new SloEvents(7, 9))).isEqualTo(new SloEvents(2, 3));
        assertThat(SloEvents.between(new SloEvents(5, 6), new SloEvents(5, 6))).isEqualTo(SloEvents.NONE);
        assertThat(SloEvents.between(new SloEvents(5, 6), new SloEvents(1, 1))).isEqualTo(SloEvents.NONE);
    }

    @Test
    void burnRate_isOne_whenExactlyTheBudgetIsUsed() {
        assertThat(new SloEvents(99, 100).burnRate(0.99)).isCloseTo(1.0, within(1e-9));
        assertThat(SloEvents.NONE.burnRate(0.99)).isNull();
        assertThat(SloEvents.NONE.ratio()).isNull();
    }

    private static Map<Duration, SloEvents> period(long good, long total) {
        return Map.of(SloResult.PERIOD, new SloEvents(good, total));
    }

    private static Slo measured() {
        return slo(Indicator.Kind.LATENCY);
    }

    private static Slo slo(Indicator.Kind kind) {
        return new Slo(
                "id",
                1,
                "service",
                "title",
                "behaviour",
                "target",
                0.99,
                new Indicator(kind, "name", 20L),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }
}
