package dev.slipway.telemetry;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.core.JsonGenerator;
import io.opentelemetry.context.Context;
import net.logstash.logback.composite.AbstractJsonProvider;

import java.io.IOException;

/**
 * Adds correlation_id and trace_id from the tracing context to every log line that does not have them as keys of its own. An MDC would be lost in
 * asynchronous code.
 */
public final class CorrelationLogProvider extends AbstractJsonProvider<ILoggingEvent> {
    @Override
    public void writeTo(JsonGenerator json, ILoggingEvent event) throws IOException {
        var correlationId = Correlation.of(Context.current());
        if (correlationId != null && !hasKey(event, "correlation_id")) {
            json.writeStringField("correlation_id", correlationId);
        }
        var traceId = Traces.currentTraceId();
        if (traceId != null && !hasKey(event, "trace_id")) {
            json.writeStringField("trace_id", traceId);
        }
    }

    /** A field that occurs twice makes the line unreadable for strict parsers. */
    private static boolean hasKey(ILoggingEvent event, String key) {
        var pairs = event.getKeyValuePairs();
        return pairs != null && pairs.stream().anyMatch(pair -> pair.key.equals(key));
    }
}
