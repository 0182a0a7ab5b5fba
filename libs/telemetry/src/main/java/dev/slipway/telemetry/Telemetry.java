package dev.slipway.telemetry;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
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

/** Sets up traces (configured by {@code OTEL_*}) and Prometheus metrics. Create one per process. */
public final class Telemetry implements AutoCloseable {
    private final OpenTelemetrySdk sdk;
    private final boolean exportsTraces;
    private final Traces traces;
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private Telemetry(OpenTelemetrySdk sdk, boolean exports) {
        this.sdk = sdk;
        this.exportsTraces = exports;
        this.traces = new Traces(sdk);
        // Each connection registers a gauge of the same name, and only the first one would be exported.
        metrics.config().meterFilter(MeterFilter.denyNameStartsWith("vertx.sql.processing.pending"));
        new JvmMemoryMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
    }

    public static Telemetry start(Map<String, String> env) {
        bridgeJavaUtilLogging();
        // By default the SDK exports to localhost even if no collector runs there.
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
            // Trace ids are still created and propagated for logs, but spans are not recorded.
            defaults.put("otel.traces.sampler", "always_off");
        }
        var configured = AutoConfiguredOpenTelemetrySdk.builder()
                .disableShutdownHook()
                .addPropertiesSupplier(() -> defaults)
                .addPropertiesCustomizer(config -> fromEnvironment(env))
                .addResourceCustomizer((resource, config) -> processAttributes().merge(resource))
                .addTracerProviderCustomizer(
                        (provider, config) -> provider.addSpanProcessor(new CorrelationSpanProcessor()))
                .build();
        return new Telemetry(configured.getOpenTelemetrySdk(), exports);
    }

    /** Attributes that tell processes apart. Those of {@code OTEL_RESOURCE_ATTRIBUTES} take precedence. */
    private static Resource processAttributes() {
        var version = Telemetry.class.getPackage().getImplementationVersion();
        return Resource.create(Attributes.builder()
                .put("service.namespace", "slipway")
                .put("service.version", version == null ? "development" : version)
                .put("service.instance.id", UUID.randomUUID().toString())
                .build());
    }

    /** Redirects java.util.logging, which libraries use, for example for failed span exports, to our log. */
    private static void bridgeJavaUtilLogging() {
        if (!SLF4JBridgeHandler.isInstalled()) {
            SLF4JBridgeHandler.removeHandlersForRootLogger();
            SLF4JBridgeHandler.install();
        }
    }

    /** Uses the given environment, which in tests is not that of the process. */
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
                // Vert.x keeps registries by name for the whole JVM and would reuse the first one.
                .setRegistryName(UUID.randomUUID().toString())
                .addLabels(Label.LOCAL); // distinguishes API requests from health probes
        domains.forEach(metricsOptions::addDisabledMetricsCategory);
        return io.vertx.core.Vertx.builder()
                .with(new VertxOptions(options).setMetricsOptions(metricsOptions))
                .withMetrics(new MicrometerMetricsFactory(metrics))
                .withTracer(new OpenTelemetryTracingFactory(sdk));
    }

    /** Returns whether spans are exported. If not, leaf spans such as those of SQL statements need not be created. */
    public boolean exportsTraces() {
        return exportsTraces;
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
