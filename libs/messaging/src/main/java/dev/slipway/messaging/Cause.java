package dev.slipway.messaging;

import io.opentelemetry.context.Context;

/** Why something is being done: the correlation id it carries on, and the trace it belongs to. */
public record Cause(String correlationId, Context trace) {}
