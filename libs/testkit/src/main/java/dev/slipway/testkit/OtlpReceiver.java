package dev.slipway.testkit;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** Receives spans like a collector: OTLP over HTTP in the official protobuf format. */
public final class OtlpReceiver implements AutoCloseable {
    private final HttpServer server;
    private final List<ReceivedSpan> spans = new CopyOnWriteArrayList<>();

    /** An exported span. */
    public record ReceivedSpan(
            String traceId,
            String spanId,
            String parentSpanId,
            String name,
            String kind,
            String serviceName,
            long startNanos,
            long endNanos,
            Map<String, String> attributes) {}

    public OtlpReceiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", exchange -> {
            try (exchange;
                    var body = body(
                            exchange.getRequestHeaders().getFirst("Content-Encoding"), exchange.getRequestBody())) {
                store(ExportTraceServiceRequest.parseFrom(body));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
    }

    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public List<ReceivedSpan> trace(String traceId) {
        return spans.stream().filter(span -> span.traceId.equals(traceId)).toList();
    }

    private static InputStream body(String encoding, InputStream raw) throws IOException {
        return "gzip".equals(encoding) ? new GZIPInputStream(raw) : raw;
    }

    private void store(ExportTraceServiceRequest request) {
        var hex = HexFormat.of();
        for (var resource : request.getResourceSpansList()) {
            var serviceName =
                    attributes(resource.getResource().getAttributesList()).getOrDefault("service.name", "unknown");
            resource.getScopeSpansList().stream()
                    .flatMap(scope -> scope.getSpansList().stream())
                    .forEach(span -> spans.add(new ReceivedSpan(
                            hex.formatHex(span.getTraceId().toByteArray()),
                            hex.formatHex(span.getSpanId().toByteArray()),
                            hex.formatHex(span.getParentSpanId().toByteArray()),
                            span.getName(),
                            span.getKind().name(),
                            serviceName,
                            span.getStartTimeUnixNano(),
                            span.getEndTimeUnixNano(),
                            attributes(span.getAttributesList()))));
        }
    }

    private static Map<String, String> attributes(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(KeyValue::getKey, a -> a.getValue().getStringValue(), (a, b) -> b));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
