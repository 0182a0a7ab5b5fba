package dev.slipway.audit.status.slo.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;

/** The result of an objective, from the events of its windows. */
public enum SloResult implements TextEnum {
    MET,
    AT_RISK,
    VIOLATED,
    NO_DATA,
    NOT_MEASURED;

    /** The window over which the objective applies. */
    public static final Duration PERIOD = Duration.ofDays(30);

    /** Burn rates that use 2 % of the budget of the period in an hour, or 5 % in six hours. */
    private static final Map<Duration, Double> FAST_BURN = Map.of(Duration.ofHours(1), 14.4, Duration.ofHours(6), 6.0);

    /** Evaluates an objective; {@code windows} has the events by window, including the {@link #PERIOD}. */
    public static SloResult of(Slo slo, Map<Duration, SloEvents> windows) {
        if (!slo.isMeasured()) {
            return NOT_MEASURED;
        }
        var ratio = windows.getOrDefault(PERIOD, SloEvents.NONE).ratio();
        if (ratio == null) {
            return NO_DATA;
        }
        if (ratio < slo.objective()) {
            return VIOLATED;
        }
        return burnsFast(slo, windows) ? AT_RISK : MET;
    }

    private static boolean burnsFast(Slo slo, Map<Duration, SloEvents> windows) {
        return FAST_BURN.entrySet().stream()
                .anyMatch(limit -> isAtLeast(
                        windows.getOrDefault(limit.getKey(), SloEvents.NONE).burnRate(slo.objective()),
                        limit.getValue()));
    }

    private static boolean isAtLeast(@Nullable Double rate, double limit) {
        return rate != null && rate >= limit;
    }
}
