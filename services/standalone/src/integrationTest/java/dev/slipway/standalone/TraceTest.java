package dev.slipway.standalone;

import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.OtlpReceiver;
import dev.slipway.testkit.OtlpReceiver.ReceivedSpan;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One trace from the request to the last effect, as a collector receives it. */
class TraceTest {
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    private static OtlpReceiver collector;
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        collector = new OtlpReceiver();
        platform = new PlatformUnderTest(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint(),
                "OTEL_BSP_SCHEDULE_DELAY", "100",
                "SLIPWAY_SERVICES", String.join(",", StandaloneConfig.SERVICES)));
    }

    @AfterAll
    static void stop() {
        platform.close();
        collector.close();
    }

    @Test
    @Proves("1.16")
    void launch_isOneTrace_fromTheRequestThroughTheAdapterToTheLastEffect() throws Exception {
        var id = platform.launch("project_owner", "traced")
                .header("traceparent", "00-" + TRACE_ID + "-b7ad6b7169203331-01")
                .header("X-Correlation-ID", "trace-test")
                .send()
                .expect(202)
                .text("id");

        eventually(() -> assertThat(collector.trace(TRACE_ID))
                .extracting(ReceivedSpan::name)
                .contains(
                        "POST",
                        "send",
                        "Query",
                        "publish instances.events",
                        "publish runtime.commands.bare_metal",
                        "deploy echo",
                        "publish runtime.reports",
                        "process runtime.report.running",
                        "process apps.instance.running"));
        assertThat(collector.trace(TRACE_ID))
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("correlation_id", "trace-test"));
        runsAndEnds(id);
    }

    /** What the platform says is running answers; what it says is deleted does not. */
    private static void runsAndEnds(String id) throws Exception {
        var running =
                platform.instance("getAppInstance", "project_viewer", id).send().expect(200);
        var endpoint = running.body().at("/runtime_state/endpoints/0/url").asText();
        assertThat(running.text("status")).isEqualTo("running");
        assertThat(get(endpoint + "/hello")).contains(id);

        platform.instance("deleteAppInstance", "project_owner", id).send().expect(202);

        eventually(() -> assertThat(platform.instance("getAppInstance", "project_viewer", id)
                        .send()
                        .text("status"))
                .isEqualTo("deleted"));
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.topic().equals("instances.events")
                                && seen.key().equals(id)))
                .extracting(EventTap.Seen::type)
                .containsExactly(
                        "apps.instance.requested",
                        "apps.instance.deploying",
                        "apps.instance.running",
                        "apps.instance.deleting",
                        "apps.instance.deleted"));
        assertThat(platform.events().faults()).isEmpty();
        assertThatThrownBy(() -> get(endpoint + "/hello")).isInstanceOf(IOException.class);
        var usage = platform.as("project_viewer")
                .call("getProjectUsage")
                .path("project_id", Demo.PROJECT)
                .send()
                .expect(200);
        assertThat(usage.body().at("/items/0/app_instance_id").asText()).isEqualTo(id);
        assertThat(new BigDecimal(usage.body().at("/items/0/quantity_seconds").asText()))
                .isPositive();
    }

    private static String get(String url) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
