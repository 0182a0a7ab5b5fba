package dev.slipway.catalog.releasegate.domain;

import dev.slipway.catalog.releasegate.domain.ReleaseGateRule.GateDecision;
import dev.slipway.catalog.releasegate.domain.ReleaseGateRule.GateDecision.Accepted;
import dev.slipway.catalog.releasegate.domain.ReleaseGateRule.GateDecision.Refused;
import dev.slipway.catalog.releasegate.domain.ReleaseVerdict.Verdict;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class ReleaseGateRuleTest {
    private static final Instant NOW = Instant.parse("2026-11-17T12:00:00Z");
    private static final UUID RELEASE = new UUID(0, 1);
    private static final UUID VERDICT = new UUID(0, 2);

    @Test
    void gatedProduct_isRefused_withoutAReleaseCandidate() {
        assertThat(code(decide(true, null, NOW))).isEqualTo("release_blocked");
    }

    @Test
    void gatedProduct_isRefused_withTheReleaseThatExplainsIt_whenBlocked() {
        var decision = decide(true, verdict("blocked", null), NOW);

        assertThat(decision).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo("release_blocked");
            assertThat(refused.releaseId()).isEqualTo(RELEASE);
            assertThat(refused.message()).contains("/api/v1/platform/releases/" + RELEASE);
        });
    }

    @Test
    void gatedProduct_isRefused_whenVerdictsAreStaleOrWereNeverReplicated() {
        var passed = verdict("pass", null);

        assertThat(code(decide(true, passed, null))).isEqualTo("evidence_stale");
        assertThat(code(decide(true, passed, NOW.minus(ReleaseGateRule.MAX_AGE).minusMillis(1))))
                .isEqualTo("evidence_stale");
        assertThat(decide(true, passed, NOW.minus(ReleaseGateRule.MAX_AGE))).isInstanceOf(Accepted.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pass", "waived"})
    void gatedProduct_isAccepted_withTheVerdict_whenItsGatesPassedOrAreWaived(String verdict) {
        assertThat(decide(true, verdict(verdict, NOW.plusSeconds(1)), NOW)).isEqualTo(new Accepted(VERDICT));
    }

    @Test
    void gatedProduct_isRefused_whenTheWaiverHasExpired() {
        assertThat(code(decide(true, verdict("waived", NOW), NOW))).isEqualTo("release_blocked");
    }

    @Test
    void ungatedProduct_isAccepted_withThePassedVerdictIfThereIsOne() {
        assertThat(decide(false, null, null)).isEqualTo(new Accepted(null));
        assertThat(decide(false, verdict("blocked", null), NOW)).isEqualTo(new Accepted(null));
        assertThat(decide(false, verdict("pass", null), null)).isEqualTo(new Accepted(VERDICT));
    }

    private static GateDecision decide(boolean gated, @Nullable ReleaseVerdict newest, @Nullable Instant replicatedAt) {
        return ReleaseGateRule.decide(gated, newest, replicatedAt, "echo 1.4.0", NOW);
    }

    private static String code(GateDecision decision) {
        return ((Refused) decision).code();
    }

    private static ReleaseVerdict verdict(String verdict, @Nullable Instant validUntil) {
        return new ReleaseVerdict(RELEASE, VERDICT, TextEnum.parse(Verdict.class, verdict), validUntil);
    }
}
