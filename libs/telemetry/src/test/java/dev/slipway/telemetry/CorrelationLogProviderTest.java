package dev.slipway.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import net.logstash.logback.encoder.LogstashEncoder;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class CorrelationLogProviderTest {
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    private final LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final LogstashEncoder encoder = encoder();

    @Test
    void line_hasNoIds_outsideOfRequest() {
        assertThat(line()).doesNotContain("correlation_id").doesNotContain("trace_id");
    }

    @Test
    void line_hasCorrelationAndTraceId_inRequest() {
        var span = SpanContext.create(TRACE_ID, "b7ad6b7169203331", TraceFlags.getDefault(), TraceState.getDefault());
        var request = Correlation.with(Context.root().with(Span.wrap(span)), "my-launch");

        try (var scope = request.makeCurrent()) {
            assertThat(scope).isNotNull();
            assertThat(line())
                    .contains("\"correlation_id\":\"my-launch\"")
                    .contains("\"trace_id\":\"" + TRACE_ID + "\"");
        }
    }

    /** The report of an adapter can belong to another request than the context in which it is sent. */
    @Test
    void line_hasOneCorrelationId_whenItIsAKeyOfTheLine() {
        var logger = loggers.getLogger("some.library");
        var event = new LoggingEvent("fqcn", logger, Level.INFO, "hello", null, null);
        event.addKeyValuePair(new KeyValuePair("correlation_id", "of-the-report"));

        try (var scope = Correlation.with(Context.root(), "of-the-context").makeCurrent()) {
            assertThat(scope).isNotNull();
            assertThat(new String(encoder.encode(event), StandardCharsets.UTF_8))
                    .containsOnlyOnce("correlation_id")
                    .contains("\"correlation_id\":\"of-the-report\"");
        }
    }

    @Test
    void isValid_isFalse_whenIdContainsUnsafeCharacters() {
        assertThat(Correlation.isValid("a b")).isFalse();
        assertThat(Correlation.isValid("a\nb")).isFalse();
        assertThat(Correlation.isValid("")).isFalse();
        assertThat(Correlation.isValid("x".repeat(129))).isFalse();
        assertThat(Correlation.isValid(null)).isFalse();
        assertThat(Correlation.isValid("my-first.launch_1:2")).isTrue();
    }

    private String line() {
        var logger = loggers.getLogger("some.library");
        var event = new LoggingEvent("fqcn", logger, Level.INFO, "hello", null, null);
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    private LogstashEncoder encoder() {
        var created = new LogstashEncoder();
        created.setContext(loggers);
        created.addProvider(new CorrelationLogProvider());
        created.start();
        return created;
    }
}
