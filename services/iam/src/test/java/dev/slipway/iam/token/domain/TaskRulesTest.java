package dev.slipway.iam.token.domain;

import dev.slipway.iam.token.domain.TaskRules.Refusal;
import org.junit.jupiter.api.Test;

import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class TaskRulesTest {
    private static final Instant NOW = Instant.parse("2026-11-17T12:00:00Z");

    @Test
    void check_refuses_whenCommandIsUnknownOrEndedADayAgo() {
        assertThat(TaskRules.check(false, null, NOW)).isEqualTo(Refusal.COMMAND_UNKNOWN);
        assertThat(TaskRules.check(true, NOW.minusSeconds(86_401), NOW)).isEqualTo(Refusal.COMMAND_ENDED);
    }

    @Test
    void check_allows_whenCommandIsOpenOrEndedRecently() {
        assertThat(TaskRules.check(true, null, NOW)).isNull();
        assertThat(TaskRules.check(true, NOW.minusSeconds(86_400), NOW)).isNull();
    }
}
