package dev.slipway.metering.runtimehours.domain;

import dev.slipway.metering.runtimehours.domain.RuntimeHours.HourBucket;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.Outage;
import dev.slipway.metering.runtimehours.domain.RuntimeHours.RunningInterval;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

class RuntimeHoursTest {
    private static final Instant START = Instant.parse("2026-10-05T10:30:00Z");

    @Test
    void emit_returnsNothing_beforeTheHourIsConfirmed() {
        var emission = RuntimeHours.emit(new RunningInterval(START, null, null), START.plusSeconds(1_850), List.of());

        assertThat(emission.buckets()).isEmpty();
        assertThat(emission.emittedUntil()).isEqualTo(START);
    }

    @Test
    void emit_waitsForTheConfirmationOfTheEnd() {
        var end = START.plusSeconds(600);

        var emission = RuntimeHours.emit(new RunningInterval(START, end, null), end.minusSeconds(1), List.of());

        assertThat(emission.buckets()).isEmpty();
    }

    @Test
    void emit_returnsADay_ofALongInterval() {
        var end = START.plus(400, ChronoUnit.DAYS);

        var emission = RuntimeHours.emit(new RunningInterval(START, end, null), end, List.of());

        assertThat(emission.buckets()).hasSize(RuntimeHours.MAX_HOURS);
        assertThat(emission.emittedUntil()).isEqualTo(Instant.parse("2026-10-06T10:00:00Z"));
    }

    @Test
    void emit_endsABucketWithTheMonth() {
        var newMonth = Instant.parse("2026-11-01T00:00:00Z");
        var interval = new RunningInterval(newMonth.minusSeconds(5_400), newMonth.plusSeconds(4_500), null);

        var buckets = RuntimeHours.emit(interval, newMonth.plusSeconds(4_500), List.of())
                .buckets();

        var before = buckets.stream()
                .filter(bucket -> !bucket.end().isAfter(newMonth))
                .toList();
        var after = buckets.stream()
                .filter(bucket -> !bucket.start().isBefore(newMonth))
                .toList();
        assertThat(before.size() + after.size()).isEqualTo(buckets.size());
        assertThat(sum(before)).isEqualByComparingTo("1.5");
        assertThat(sum(after)).isEqualByComparingTo("1.25");
    }

    /** However often and at whatever times an interval is emitted, the sum is that of the whole interval. */
    @RepeatedTest(200)
    void emit_sumsToTheRunningTime_howeverItIsDivided(RepetitionInfo repetition) {
        var random = new Random(repetition.getCurrentRepetition());
        var end = START.plus(random.nextLong(1, 200_000_000_000L), ChronoUnit.MICROS);
        var outages = new ArrayList<Outage>();
        var micros = ChronoUnit.MICROS.between(START, end);
        for (var at = START.minusSeconds(5_000); at.isBefore(end); ) {
            var from = at.plus(random.nextLong(1, 60_000_000_000L), ChronoUnit.MICROS);
            at = from.plus(random.nextLong(31_000_000, 20_000_000_000L), ChronoUnit.MICROS);
            outages.add(new Outage(from, at));
            micros -= Math.max(0, ChronoUnit.MICROS.between(max(from, START), min(at, end)));
        }
        var total = BigDecimal.ZERO;
        var interval = new RunningInterval(START, null, null);
        var heard = START;
        while (heard.isBefore(end)) {
            heard = heard.plus(random.nextLong(1, 30_000_000_000L), ChronoUnit.MICROS);
            var known = heard.isBefore(end) || random.nextBoolean() ? null : end;
            var emission =
                    RuntimeHours.emit(new RunningInterval(START, known, interval.emittedUntil()), heard, outages);
            total = total.add(sum(emission.buckets()));
            interval = new RunningInterval(START, known, emission.emittedUntil());
        }
        // The end arrives, perhaps after hours beyond it were emitted.
        var last = interval.emittedUntil();
        while (!end.equals(last)) {
            var emission = RuntimeHours.emit(new RunningInterval(START, end, last), heard, outages);
            total = total.add(sum(emission.buckets()));
            assertThat(emission.buckets()).hasSizeLessThanOrEqualTo(RuntimeHours.MAX_HOURS + 1);
            assertThat(emission.emittedUntil()).isNotEqualTo(last);
            last = emission.emittedUntil();
        }

        assertThat(total)
                .isEqualByComparingTo(
                        new BigDecimal(micros).divide(new BigDecimal(3_600_000_000L), 6, RoundingMode.HALF_UP));
        assertThat(RuntimeHours.emit(new RunningInterval(START, end, end), heard, outages)
                        .buckets())
                .isEmpty();
    }

    private static BigDecimal sum(List<HourBucket> buckets) {
        return buckets.stream().map(HourBucket::quantity).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static Instant max(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static Instant min(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
