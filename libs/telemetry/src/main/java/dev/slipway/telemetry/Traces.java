package dev.slipway.telemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Propagates traces where Vert.x does not: through the outbox and into consumers.
 *
 * <p>In a request the trace is stored in the duplicated Vert.x context. These methods create such a context for other work.
 */
public final class Traces {
    private static final Pattern TRACEPARENT =
            Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");

    private final OpenTelemetry openTelemetry;
    private final Tracer tracer;

    public Traces(OpenTelemetry openTelemetry) {
        this.openTelemetry = openTelemetry;
        this.tracer = openTelemetry.getTracer("dev.slipway");
    }

    /** Passes the trace context as headers to the consumer, to be stored with a row or sent with a record. */
    public void inject(Context context, BiConsumer<String, String> header) {
        openTelemetry.getPropagators().getTextMapPropagator().inject(context, header, (carrier, key, value) -> {
            if (carrier != null) {
                carrier.accept(key, value);
            }
        });
    }

    /** Returns the trace context from the headers of a record. */
    public Context extract(Map<String, String> headers) {
        return openTelemetry.getPropagators().getTextMapPropagator().extract(Context.root(), headers, HEADERS);
    }

    /** Starts a span that the caller must end. */
    public Span startSpan(Context parent, SpanKind kind, String name) {
        return tracer.spanBuilder(name).setParent(parent).setSpanKind(kind).startSpan();
    }

    /**
     * Runs the work in a new span on a duplicated context. The scope stays open on purpose: if it were closed, asynchronous parts of the
     * work would lose the trace. The context is discarded with the work.
     */
    public <T> Future<T> runInSpan(
            ContextInternal context, Context parent, SpanKind kind, String name, Supplier<Future<T>> work) {
        var duplicate = context.duplicate();
        var promise = duplicate.<T>promise();
        duplicate.dispatch(ignored -> {
            var span = startSpan(parent, kind, name);
            makeCurrent(parent.with(span));
            Future<T> result;
            try {
                result = work.get();
            } catch (RuntimeException e) {
                result = Future.failedFuture(e);
            }
            result.onComplete(done -> {
                if (done.failed()) {
                    span.setStatus(StatusCode.ERROR, String.valueOf(done.cause().getMessage()));
                }
                span.end();
                promise.handle(done);
            });
        });
        return promise.future();
    }

    /** Makes the trace context current for the rest of this duplicated Vert.x context. */
    @SuppressWarnings({"MustBeClosedChecker", "resource"}) // left open: see runInSpan
    public static void makeCurrent(Context context) {
        var scope = context.makeCurrent();
        if (scope == null) {
            throw new IllegalStateException("the trace context could not be stored");
        }
    }

    public static @Nullable String currentTraceId() {
        var span = Span.current().getSpanContext();
        return span.isValid() ? span.getTraceId() : null;
    }

    /** Returns the trace id of a {@code traceparent} header; null if the header is missing or not valid. */
    public static @Nullable String parseTraceId(@Nullable String traceparent) {
        if (traceparent == null) {
            return null;
        }
        var match = TRACEPARENT.matcher(traceparent);
        return match.matches() ? match.group(1) : null;
    }

    private static final TextMapGetter<Map<String, String>> HEADERS = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // abstract although it is deprecated
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String key) {
            return headers == null ? null : headers.get(key);
        }
    };
}
