package dev.slipway.audit.status.incident.domain;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class AlertGroupTest {
    private static final Instant START = Instant.parse("2026-11-18T10:00:00Z");
    private static final Instant NOW = START.plusSeconds(600);

    @Test
    void merge_changesNothing_whenDeliveredTwice() {
        var once = empty().merge(List.of(firing("a", START)), false, NOW);
        var twice = once.merge(List.of(firing("a", START)), false, NOW.plusSeconds(5));
        assertThat(twice.hasSameStates(once)).isTrue();
        assertThat(once.hasSameStates(empty())).isFalse();
    }

    @Test
    void merge_resolvesTheGroup_whenItsLastAlertEnds() {
        var group = empty().merge(List.of(firing("a", START), firing("b", START)), false, NOW);
        var partly = group.merge(List.of(resolved("a", START), firing("b", START)), false, NOW);
        assertThat(partly.isResolved()).isFalse();
        assertThat(partly.firing()).isEqualTo(1);
        assertThat(partly.merge(List.of(resolved("b", START)), false, NOW).isResolved())
                .isTrue();
    }

    @Test
    void merge_ignoresALateNotification_ofAnAlertThatEnded() {
        var ended = empty().merge(List.of(resolved("a", START)), false, NOW);
        assertThat(ended.merge(List.of(firing("a", START)), false, NOW).isResolved())
                .isTrue();
        assertThat(ended.merge(List.of(firing("a", START.plusSeconds(60))), false, NOW)
                        .isResolved())
                .isFalse();
    }

    @Test
    void merge_ignoresAnOldEnd_ofAnAlertThatFiresAgain() {
        var again = empty().merge(List.of(firing("a", START.plusSeconds(60))), false, NOW);
        assertThat(again.merge(List.of(resolved("a", START)), true, NOW).isResolved())
                .isFalse();
    }

    @Test
    void merge_resolvesTruncatedAlerts_whenTheWholeGroupIsResolved() {
        var group = empty().merge(List.of(firing("a", START), firing("b", START)), false, NOW);
        var resolved = group.merge(List.of(resolved("a", START)), true, NOW);
        assertThat(resolved.isResolved()).isTrue();
    }

    @Test
    void merge_limitsTheNumberOfAlerts() {
        var many = IntStream.range(0, 500).mapToObj(i -> firing("f" + i, START)).toList();
        assertThat(empty().merge(many, false, NOW).alerts()).hasSize(AlertGroup.MAX_ALERTS);
    }

    private static AlertGroup empty() {
        return AlertGroup.of(List.of());
    }

    private static Alert firing(String fingerprint, Instant start) {
        return new Alert(fingerprint, "name", true, Map.of(), start, null);
    }

    private static Alert resolved(String fingerprint, Instant start) {
        return new Alert(fingerprint, "name", false, Map.of(), start, start.plusSeconds(30));
    }
}
