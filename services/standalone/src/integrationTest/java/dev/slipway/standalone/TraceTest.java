package dev.slipway.standalone;

import dev.slipway.testkit.OtlpReceiver;
import dev.slipway.testkit.OtlpReceiver.ReceivedSpan;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** One trace from the request to the last effect, as a collector receives it. */
class TraceTest {
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    private static OtlpReceiver collector;
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        collector = new OtlpReceiver();
        platform = new PlatformUnderTest(
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint(), "OTEL_BSP_SCHEDULE_DELAY", "100"));
    }

    @AfterAll
    static void stop() {
        platform.close();
        collector.close();
    }

    @Test
    @Proves({"1.16", "C.03"})
    void launch_isOneTrace_fromTheRequestToTheConsumers() {
        platform.launch("project_owner", "traced")
                .header("traceparent", "00-" + TRACE_ID + "-b7ad6b7169203331-01")
                .header("X-Correlation-ID", "trace-test")
                .send()
                .expect(202);

        eventually(() -> assertThat(collector.trace(TRACE_ID))
                .extracting(ReceivedSpan::name)
                .contains(
                        "POST",
                        "send",
                        "Query",
                        "publish instances.events",
                        "publish runtime.commands.bare_metal",
                        "process apps.instance.requested"));
        assertThat(collector.trace(TRACE_ID))
                .allSatisfy(span -> assertThat(span.attributes()).containsEntry("correlation_id", "trace-test"));
    }
}
