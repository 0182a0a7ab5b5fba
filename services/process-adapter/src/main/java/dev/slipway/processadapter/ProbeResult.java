package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

/** The result of a health probe: the port of a healthy process, or the reason of the failure. */
record ProbeResult(int port, @Nullable String failure) {

    static ProbeResult failed(String reason) {
        return new ProbeResult(-1, reason);
    }
}
