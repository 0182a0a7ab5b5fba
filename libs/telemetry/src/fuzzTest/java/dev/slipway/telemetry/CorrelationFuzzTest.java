package dev.slipway.telemetry;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes correlation ids and the baggage header that carries them. */
class CorrelationFuzzTest {
    private static final W3CBaggagePropagator BAGGAGE = W3CBaggagePropagator.getInstance();

    @FuzzTest
    void id_survivesItsHeader_ifItIsValid(FuzzedDataProvider data) {
        var text = data.consumeRemainingAsString();
        var received = BAGGAGE.extract(Context.root(), Map.of("baggage", text), new MapGetter());
        assertThat(received).isNotNull();
        if (!Correlation.isValid(text)) {
            return;
        }
        assertThat(text).hasSizeBetween(1, 128).isPrintable();
        var headers = new HashMap<String, String>();
        BAGGAGE.inject(
                Correlation.with(Context.root(), text), headers, (carrier, name, value) -> headers.put(name, value));
        assertThat(Correlation.of(BAGGAGE.extract(Context.root(), headers, new MapGetter())))
                .isEqualTo(text);
    }

    private static final class MapGetter implements TextMapGetter<Map<String, String>> {
        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    }
}
