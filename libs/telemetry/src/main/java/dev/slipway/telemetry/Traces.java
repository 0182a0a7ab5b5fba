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

/**
 * Carries a trace where Vert.x does not do so by itself: through the outbox, and into what a consumer does with a record.
 *
 * <p>In a request the trace lives on the duplicated Vert.x context; these methods make such a context for other work.
 */
public final class Traces {
    private final OpenTelemetry openTelemetry;
    private final Tracer tracer;

    public Traces(OpenTelemetry openTelemetry) {
        this.openTelemetry = openTelemetry;
        this.tracer = openTelemetry.getTracer("dev.slipway");
    }

    /** The trace context as headers, to be kept with a row or sent with a record. */
    public void inject(Context context, BiConsumer<String, String> header) {
        openTelemetry.getPropagators().getTextMapPropagator().inject(context, header, (carrier, key, value) -> {
            if (carrier != null) {
                carrier.accept(key, value);
            }
        });
    }

    /** The trace context that the headers of a record carry. */
    public Context extract(Map<String, String> headers) {
        return openTelemetry.getPropagators().getTextMapPropagator().extract(Context.root(), headers, HEADERS);
    }

    /** A span round something that is over at once, such as handing a record to the producer; ended by the caller. */
    public Span start(Context parent, SpanKind kind, String name) {
        return tracer.spanBuilder(name).setParent(parent).setSpanKind(kind).startSpan();
    }

    /**
     * Runs work under a span of its own. The scope is left open on the duplicated context on purpose: closed, everything that the work
     * does later, after its first Future, would lose the trace. The context goes away with the work.
     */
    public <T> Future<T> within(
            ContextInternal context, Context parent, SpanKind kind, String name, Supplier<Future<T>> work) {
        var duplicate = context.duplicate();
        var promise = duplicate.<T>promise();
        duplicate.dispatch(ignored -> {
            var span = start(parent, kind, name);
            attach(parent.with(span));
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

    /** Makes a trace context current for all that follows on this duplicated Vert.x context. */
    @SuppressWarnings({"MustBeClosedChecker", "resource"}) // left open: see within
    public static void attach(Context context) {
        var scope = context.makeCurrent();
        if (scope == null) {
            throw new IllegalStateException("no place to keep the trace");
        }
    }

    public static @Nullable String currentTraceId() {
        var span = Span.current().getSpanContext();
        return span.isValid() ? span.getTraceId() : null;
    }

    private static final TextMapGetter<Map<String, String>> HEADERS = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // still abstract, though nobody calls it
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String key) {
            return headers == null ? null : headers.get(key);
        }
    };
}
