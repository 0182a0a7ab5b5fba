package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

/** What became of a young process: it answers at its port, or there is a reason why not. */
record Health(int port, long pid, @Nullable String failure) {

    static Health failed(String reason) {
        return new Health(-1, -1, reason);
    }
}
