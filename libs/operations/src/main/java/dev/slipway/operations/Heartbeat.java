package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The payload of {@code runtime.report.heartbeat}: the state of an adapter. */
@JsonIgnoreProperties(ignoreUnknown = true)
record Heartbeat(
        UUID adapterId,
        String runtimeBackend,
        String startedAt,
        @Nullable String software,
        @Nullable Integer instances,
        @Nullable Integer waiting) {
    static final String TYPE = "runtime.report.heartbeat";
    static final String ACTION = "runtime.adapter.report";
}
