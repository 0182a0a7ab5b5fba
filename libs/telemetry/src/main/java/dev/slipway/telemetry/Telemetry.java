package dev.slipway.telemetry;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Traces by {@code OTEL_*}, metrics for Prometheus. One per process. */
public final class Telemetry implements AutoCloseable {
    private final OpenTelemetrySdk sdk;
    private final boolean exports;
    private final Traces traces;
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private Telemetry(OpenTelemetrySdk sdk, boolean exports) {
        this.sdk = sdk;
        this.exports = exports;
        this.traces = new Traces(sdk);
        // Every connection would show its own under one name, of which the first would be taken for all.
        metrics.config().meterFilter(MeterFilter.denyNameStartsWith("vertx.sql.processing.pending"));
        new JvmMemoryMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
    }

    public static Telemetry start(Map<String, String> env) {
        joinLogs();
        // The SDK's own default is to export to localhost, whether or not anybody listens there.
        var exports = env.containsKey("OTEL_EXPORTER_OTLP_ENDPOINT")
                || env.containsKey("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
                || env.containsKey("OTEL_TRACES_EXPORTER");
        var defaults = new HashMap<String, String>();
        defaults.put("otel.service.name", "slipway");
        defaults.put("otel.metrics.exporter", "none");
        defaults.put("otel.logs.exporter", "none");
        defaults.put("otel.traces.exporter", exports ? "otlp" : "none");
        defaults.put("otel.exporter.otlp.protocol", "http/protobuf");
        if (!exports) {
            // Ids are still made and carried, so that a correlation has trace ids; nothing is recorded.
            defaults.put("otel.traces.sampler", "always_off");
        }
        var configured = AutoConfiguredOpenTelemetrySdk.builder()
                .disableShutdownHook()
                .addPropertiesSupplier(() -> defaults)
                .addPropertiesCustomizer(config -> fromEnvironment(env))
                .addTracerProviderCustomizer((provider, config) -> provider.addSpanProcessor(new CorrelationOnSpans()))
                .build();
        return new Telemetry(configured.getOpenTelemetrySdk(), exports);
    }

    /** What libraries tell the JDK's own logging, such as that spans cannot be exported, would go to the console in lines of another kind. */
    private static void joinLogs() {
        if (!SLF4JBridgeHandler.isInstalled()) {
            SLF4JBridgeHandler.removeHandlersForRootLogger();
            SLF4JBridgeHandler.install();
        }
    }

    /** The environment as it was handed to us, which in tests is not the process's own. */
    private static Map<String, String> fromEnvironment(Map<String, String> env) {
        var properties = new HashMap<String, String>();
        env.forEach((name, value) -> {
            if (name.startsWith("OTEL_")) {
                properties.put(name.toLowerCase(java.util.Locale.ROOT).replace('_', '.'), value);
            }
        });
        return properties;
    }

    public VertxBuilder vertx(VertxOptions options) {
        var domains = java.util.EnumSet.allOf(MetricsDomain.class);
        domains.removeAll(java.util.List.of(MetricsDomain.HTTP_SERVER, MetricsDomain.NAMED_POOLS));
        var metricsOptions = new MicrometerMetricsOptions()
                .setEnabled(true)
                // Vert.x keeps registries by name for the whole JVM, and would go on with the first of one name.
                .setRegistryName(UUID.randomUUID().toString())
                .addLabels(Label.LOCAL); // tells the API's requests from the probes'
        domains.forEach(metricsOptions::addDisabledMetricsCategory);
        return io.vertx.core.Vertx.builder()
                .with(new VertxOptions(options).setMetricsOptions(metricsOptions))
                .withMetrics(new MicrometerMetricsFactory(metrics))
                .withTracer(new OpenTelemetryTracingFactory(sdk));
    }

    /** Whether anybody will see a span. If not, one that nothing hangs below, such as a statement's, need not be made. */
    public boolean exports() {
        return exports;
    }

    public Traces traces() {
        return traces;
    }

    public PrometheusMeterRegistry metrics() {
        return metrics;
    }

    @Override
    public void close() {
        sdk.close();
        metrics.close();
    }
}
