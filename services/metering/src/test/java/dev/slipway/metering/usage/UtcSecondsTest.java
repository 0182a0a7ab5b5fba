package dev.slipway.metering.usage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UtcSecondsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-31T23:59:59.5Z",
                "2026-01-31T23:59Z",
                "2026-01-31T23:59:59+01:00",
                "2026-01-31T24:00:00Z",
                "2026-01-31T23:60:00Z",
                "2026-01-31T23:59:60Z",
                "2026-01-31t23:59:59Z",
                "2026-01-31T23:59:5/Z",
                "２026-01-31T23:59:59Z",
                ""
            })
    void parse_leavesOtherForms_toTheParserOfTheJdk(String text) {
        assertThat(UtcSeconds.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2026-02-29T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-04-31T00:00:00Z"})
    void parse_refusesDaysThatDoNotExist(String text) {
        assertThatThrownBy(() -> UtcSeconds.parse(text)).isInstanceOf(DateTimeException.class);
        assertThatThrownBy(() -> OffsetDateTime.parse(text)).isInstanceOf(DateTimeException.class);
    }

    @Test
    void parse_returnsTheTimeOfTheJdk() {
        var random = new Random(7);
        for (var i = 0; i < 10_000; i++) {
            var time = Instant.ofEpochSecond(random.nextLong(-62_167_219_200L, 253_402_300_800L));
            assertThat(UtcSeconds.parse(time.toString())).isEqualTo(time);
        }
    }
}
