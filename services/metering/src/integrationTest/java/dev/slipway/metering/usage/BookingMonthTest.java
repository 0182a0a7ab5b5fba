package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

import static dev.slipway.metering.usage.UsageFixture.correction;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static dev.slipway.metering.usage.UsageFixture.outcomes;
import static org.assertj.core.api.Assertions.assertThat;

/** The month in which usage is booked if earlier months are closed. */
class BookingMonthTest {
    private final LocalDate thisMonth = LocalDate.now(ZoneOffset.UTC).withDayOfMonth(1);
    private final LocalDate oldMonth = thisMonth.minusMonths(20);

    private final UsageFixture fixture = new UsageFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void report_isBookedThisMonth_whenUsageIsFromBeforeTheInstallation() {
        assertThat(periods(reportIn(oldMonth, "first"))).containsExactly(oldMonth.toString());
        closeUpTo(thisMonth.minusMonths(1));

        var later = reportIn(oldMonth, "second");

        assertThat(outcomes(later)).containsExactly("accepted");
        assertThat(periods(later)).containsExactly(thisMonth.toString());
        assertThat(fixture.differences()).isEqualTo("0");
    }

    @Test
    void report_isNotBookedInAMonthWithoutUsage_whenALaterOneIsClosed() {
        closeUpTo(thisMonth.minusMonths(1));
        fixture.database.execute(
                "DELETE FROM metering.usage_periods WHERE period < '" + thisMonth.minusMonths(1) + "'");

        assertThat(periods(reportIn(oldMonth, "late"))).containsExactly(thisMonth.toString());

        assertThat(fixture.database.query(
                        "SELECT count(*) FROM metering.usage_periods WHERE closed_at IS NULL AND period < '" + thisMonth
                                + "'"))
                .isEqualTo("0");
    }

    @Test
    void correction_isBookedInAnOpenMonth_whenItsFactIsOlderThanReportsMayBe() {
        reportIn(oldMonth, "old");
        // Closed long ago, with all months up to now.
        closeUpTo(thisMonth.minusMonths(1));
        fixture.database.execute("""
                UPDATE metering.usage_facts SET window_start = window_start - interval '3 years', window_end = window_end - interval '3 years'
                """);

        var response = fixture.report(correction("fix", "old").put("quantity", "4"));

        assertThat(periods(response)).containsExactly(thisMonth.toString());
    }

    @Test
    void report_createsAllMonths_upToNow() {
        reportIn(oldMonth, "first");

        assertThat(fixture.database.query("SELECT count(*) FROM metering.usage_periods WHERE period BETWEEN '"
                        + oldMonth + "' AND '" + thisMonth + "'"))
                .isEqualTo("21");
    }

    @CanIgnoreReturnValue
    private JsonNode reportIn(LocalDate month, String id) {
        var end = month.plusDays(10).atStartOfDay(ZoneOffset.UTC).toInstant();
        return fixture.report(fact(id, "10", end.minus(1, ChronoUnit.HOURS), end));
    }

    private static List<String> periods(JsonNode response) {
        return response.path("items").findValuesAsText("period");
    }

    private void closeUpTo(LocalDate month) {
        fixture.database.execute("UPDATE metering.usage_periods SET closed_at = '" + Instant.now()
                + "' WHERE period <= '" + month + "'");
    }
}
