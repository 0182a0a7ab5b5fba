package dev.slipway.metering.ledger.domain;

import dev.slipway.metering.ledger.domain.BillingAccount.State;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class BillingAccountTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void stopAt_beginsWithTheChangeOfThePolicy_whenTheBalanceWasDepletedBefore() {
        var depletedForAMonth = account(LimitAction.WARN, NOW.minus(Duration.ofDays(30)));
        assertThat(depletedForAMonth.stopAt()).isNull();

        var changed =
                depletedForAMonth.withSettings(BigDecimal.ZERO, BigDecimal.ZERO, LimitAction.STOP_INSTANCES, DAY, NOW);

        assertThat(changed.stopAt()).isEqualTo(NOW.plus(DAY));
    }

    @Test
    void stopAt_isNotPostponed_whenOtherSettingsChange() {
        var stopping = account(LimitAction.STOP_INSTANCES, NOW.minusSeconds(60));

        var changed = stopping.withSettings(BigDecimal.ZERO, BigDecimal.ONE, LimitAction.STOP_INSTANCES, DAY, NOW);

        assertThat(changed.stopAt()).isEqualTo(NOW.minusSeconds(60).plus(DAY));
    }

    private static BillingAccount account(LimitAction atZero, Instant depletedSince) {
        return new BillingAccount(
                new UUID(0, 1),
                "EUR",
                BigDecimal.ZERO,
                BigDecimal.ZERO,
                atZero,
                DAY,
                State.DEPLETED,
                depletedSince,
                0,
                1);
    }
}
