package dev.slipway.telemetry;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

import java.util.regex.Pattern;

/** Reads and sets the correlation id, which is propagated as W3C baggage together with the trace. */
public final class Correlation {
    static final String KEY = "correlation_id";
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    private Correlation() {}

    public static boolean isValid(@Nullable String id) {
        return id != null && VALID.matcher(id).matches();
    }

    public static @Nullable String of(Context context) {
        return Baggage.fromContext(context).getEntryValue(KEY);
    }

    /** Returns the context with the id, and adds the id to its span, which may have been started before the id was known. */
    public static Context with(Context context, String id) {
        Span.fromContext(context).setAttribute(KEY, id);
        return context.with(
                Baggage.fromContext(context).toBuilder().put(KEY, id).build());
    }
}
