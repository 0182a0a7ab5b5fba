package dev.slipway.metering.usage.domain;

import dev.slipway.metering.usage.domain.FactDecision.Rejected;
import dev.slipway.metering.usage.domain.FactDecision.Valid;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.domain.FactRulesFixture.NOW;
import static dev.slipway.metering.usage.domain.FactRulesFixture.ORG;
import static dev.slipway.metering.usage.domain.FactRulesFixture.PROJECT;
import static dev.slipway.metering.usage.domain.FactRulesFixture.SIBLING;
import static dev.slipway.metering.usage.domain.FactRulesFixture.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

class CorrectionRulesTest {
    private static final Instant START = NOW.minusSeconds(86_400);
    private static final FactAttribution MODEL = FactAttribution.ofResource("model", "llama");
    private static final AttributedFact FACT = ((Valid) FactRules.validate(
                    FactRulesFixture.fact(2, "token", START, MODEL),
                    new ProjectReporter(ORG, PROJECT),
                    FactRulesFixture.context(),
                    NOW))
            .fact();

    @Test
    void correct_checksThePrecision_whenItNamesNoUnit() {
        var decision = correct(correction(null, null, null, MODEL, "1.5"));

        assertThat(((Rejected) decision).field()).isEqualTo("adjustment");
        assertThat(((Rejected) decision).problem()).contains("precision");
    }

    @Test
    void correct_isRejected_whenAFieldDiffersFromTheFact() {
        assertThat(field(correction("call", null, null, MODEL, "1"))).isEqualTo("unit");
        assertThat(field(correction(null, 1, null, MODEL, "1"))).isEqualTo("unit_version");
        assertThat(field(correction(null, null, START.plusSeconds(1), MODEL, "1")))
                .isEqualTo("window_start");
        assertThat(field(correction(null, null, null, FactAttribution.ofResource("model", "mistral"), "1")))
                .isEqualTo("resource_id");
        assertThat(field(correction(null, null, null, ofProject(SIBLING), "1"))).isEqualTo("project_id");
        assertThat(field(correction(null, null, null, FactAttribution.ofInstance(new UUID(9, 9)), "1")))
                .isEqualTo("app_instance_id");
    }

    @Test
    void correct_isValid_whenItRepeatsTheFieldsOfTheFact() {
        var decision = correct(correction("token", 2, START, MODEL, "-3"));

        var valid = ((Valid) decision).fact();
        assertThat(valid.quantity()).isEqualByComparingTo("-3");
        assertThat(valid.period()).isEqualTo(LocalDate.parse("2026-08-01"));
        assertThat(valid.corrects()).isEqualTo(FACT.key());
    }

    @Test
    void correct_isRejected_whenTheTotalBecomesNegative() {
        assertThat(field(correction(null, null, null, MODEL, "-11"))).isEqualTo("adjustment");
    }

    private static FactAttribution ofProject(UUID projectId) {
        return new FactAttribution(projectId, null, null, null, null, null, null, null, null, null, null, null);
    }

    private static ReportedFact correction(
            @Nullable String unit,
            @Nullable Integer unitVersion,
            @Nullable Instant start,
            FactAttribution attribution,
            String adjustment) {
        return new ReportedFact(
                "source",
                "fix",
                unit,
                unitVersion,
                null,
                new BigDecimal(adjustment),
                start,
                null,
                null,
                attribution,
                null,
                "id");
    }

    private static String field(ReportedFact correction) {
        return ((Rejected) correct(correction)).field();
    }

    private static FactDecision correct(ReportedFact correction) {
        return CorrectionRules.correct(
                correction,
                FACT,
                FACT.quantity(),
                Map.of("token", TOKEN),
                new BookingPeriods(LocalDate.parse("2026-07-01")));
    }
}
