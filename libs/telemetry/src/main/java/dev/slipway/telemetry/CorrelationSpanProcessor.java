package dev.slipway.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;

/** Adds the correlation id to every span, including those of libraries. */
final class CorrelationSpanProcessor implements SpanProcessor {
    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        var id = Correlation.of(parent);
        if (id != null) {
            span.setAttribute(Correlation.KEY, id);
        }
    }

    @Override
    public boolean isStartRequired() {
        return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {}

    @Override
    public boolean isEndRequired() {
        return false;
    }
}
