package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.OtlpReceiver;
import dev.slipway.testkit.OtlpReceiver.ReceivedSpan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Finds a trace by correlation id in a trace store that knows nothing of the platform: a Zipkin server. Zipkin takes no OTLP, so the test
 * converts the spans that the platform exported to Zipkin's own format.
 */
class ZipkinTest {
    private static final int PORT = FreePorts.find(1).get(0);
    private static final String ZIPKIN = "http://127.0.0.1:" + PORT;
    private static final String FIRST_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SECOND_TRACE = "5b8aa5a2d2c872e8321cf37308d69df2";
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private static Path directory;

    private static Process zipkin;
    private static OtlpReceiver collector;
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() throws IOException {
        zipkin = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Darmeria.ports[0].ip=127.0.0.1",
                        "-Darmeria.ports[0].port=" + PORT,
                        "-Darmeria.ports[0].protocols[0]=http",
                        "-jar",
                        System.getProperty("slipway.zipkin-server"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("zipkin.log").toFile())
                .start();
        collector = new OtlpReceiver();
        platform = new PlatformUnderTest(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint(),
                "OTEL_BSP_SCHEDULE_DELAY", "100",
                "SLIPWAY_SERVICES", String.join(",", StandaloneConfig.SERVICES)));
        eventually(() -> assertThat(get("/health")).contains("UP"));
    }

    @AfterAll
    static void stop() {
        zipkin.destroyForcibly();
        platform.close();
        collector.close();
    }

    @Test
    void trace_isFound_byCorrelationId() {
        var launches = Map.of(FIRST_TRACE, "zipkin-" + UUID.randomUUID(), SECOND_TRACE, "zipkin-" + UUID.randomUUID());
        launches.forEach((traceId, correlationId) -> {
            platform.launch("project_owner", correlationId)
                    .header("traceparent", "00-" + traceId + "-b7ad6b7169203331-01")
                    .header("X-Correlation-ID", correlationId)
                    .send()
                    .expect(202);
            var spans = eventuallyGet(() -> {
                var exported = collector.trace(traceId);
                assertThat(exported).extracting(ReceivedSpan::name).contains("POST", "process apps.instance.running");
                return exported;
            });
            assertThat(post(toZipkin(spans))).isEqualTo(202);
        });

        launches.forEach((traceId, correlationId) -> {
            var traces = eventuallyGet(() -> {
                var found = Json.parseTrusted(get("/api/v2/traces?annotationQuery=correlation_id%3D" + correlationId)
                        .getBytes(StandardCharsets.UTF_8));
                assertThat(found).hasSize(1);
                return found;
            });
            assertThat(traces.get(0))
                    .allSatisfy(
                            span -> assertThat(span.path("traceId").asText()).isEqualTo(traceId));
            assertThat(traces.get(0).findValuesAsText("name")).contains("post", "process apps.instance.running");
        });
    }

    private static ArrayNode toZipkin(List<ReceivedSpan> spans) {
        var converted = Json.array();
        for (var span : spans) {
            var next = converted
                    .addObject()
                    .put("traceId", span.traceId())
                    .put("id", span.spanId())
                    .put("name", span.name())
                    .put("timestamp", span.startNanos() / 1_000)
                    .put("duration", Math.max(1, (span.endNanos() - span.startNanos()) / 1_000));
            if (!span.parentSpanId().isEmpty()) {
                next.put("parentId", span.parentSpanId());
            }
            next.putObject("localEndpoint").put("serviceName", span.serviceName());
            var tags = next.putObject("tags");
            span.attributes().forEach(tags::put);
        }
        return converted;
    }

    private static String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(ZIPKIN + path))).body();
    }

    private static int post(JsonNode spans) {
        return send(HttpRequest.newBuilder(URI.create(ZIPKIN + "/api/v2/spans"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArray(Json.bytes(spans))))
                .statusCode();
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
        } catch (ConnectException e) {
            throw new AssertionError("Zipkin does not listen yet; see " + directory.resolve("zipkin.log"), e);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
