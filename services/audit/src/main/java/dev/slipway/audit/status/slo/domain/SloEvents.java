package dev.slipway.audit.status.slo.domain;

import org.jspecify.annotations.Nullable;

/** Good and total events of a time window. */
public record SloEvents(long good, long total) {
    public static final SloEvents NONE = new SloEvents(0, 0);

    /** Returns the events that a total grew by. A total that shrank belongs to another process: then nothing is known. */
    public static SloEvents between(SloEvents before, SloEvents after) {
        var total = after.total - before.total;
        var good = after.good - before.good;
        return total <= 0 || good < 0 ? NONE : new SloEvents(Math.min(good, total), total);
    }

    /** Returns the share of good events, or null if there were none. */
    public @Nullable Double ratio() {
        return total == 0 ? null : (double) good / total;
    }

    /** Returns how fast the error budget is used: 1 uses exactly the budget. Null if there were no events. */
    public @Nullable Double burnRate(double objective) {
        return total == 0 ? null : (1 - (double) good / total) / (1 - objective);
    }
}
