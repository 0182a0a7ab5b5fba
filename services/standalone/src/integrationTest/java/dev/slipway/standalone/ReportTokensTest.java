package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the tokens in records, which everybody with access to the topic can read, open nothing else. */
class ReportTokensTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void tokensOfHeartbeatsAndReports_areRefusedByApi(@TempDir Path directory) {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            var instance = platform.launch("project_owner", "reported")
                    .send()
                    .expect(202)
                    .text("id");
            eventually(() -> assertThat(platform.instance("getAppInstance", "project_owner", instance)
                            .send()
                            .expect(200)
                            .text("status"))
                    .isEqualTo("running"));

            for (var type : new String[] {"runtime.report.heartbeat", "runtime.report.running"}) {
                var token = tokenOf(type);
                assertRefused(platform.anonymous().as(token).call("getMe").send());
                assertRefused(platform.anonymous()
                        .as(token)
                        .call("getAppInstance")
                        .path("project_id", DemoData.PROJECT)
                        .path("app_instance_id", instance)
                        .send());
                assertRefused(
                        platform.anonymous().as(token).call("listDesiredState").send());
            }
            assertThat(adapter.instanceFiles()).isNotNull();
        }
    }

    @Test
    void heartbeat_isRejected_withTokenOfApi() {
        var credential = Json.object()
                .put("adapter_id", DemoData.ADAPTER.toString())
                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET);
        var token = platform.anonymous()
                .call("exchangeAdapterToken")
                .body(credential)
                .send()
                .expect(200)
                .text("access_token");
        var reports = new RawReports(platform);

        var sent = reports.send(
                "runtime.report.heartbeat",
                Json.object()
                        .put("adapter_id", DemoData.ADAPTER.toString())
                        .put("runtime_backend", "bare_metal")
                        .put("started_at", Instant.now().toString())
                        .put("software", "test")
                        .put("instances", 0)
                        .put("waiting", 0),
                token);

        assertThat(reports.rejection(sent).payload().path("code").asText()).isEqualTo("token_invalid");
    }

    private static void assertRefused(ApiResponse response) {
        assertThat(response.expect(401).text("code")).isEqualTo("token_invalid");
    }

    /** Reads the token from the topic, as an attacker would. */
    private static String tokenOf(String type) {
        return eventuallyGet(() -> platform.events()
                .find(observedRecord -> observedRecord.topic().equals("runtime.reports")
                        && observedRecord.type().equals(type)
                        && !observedRecord.headers().getOrDefault("ce_id", "").isEmpty()) // not those of RawReports
                .get(0)
                .headers()
                .get("authorization")
                .substring("Bearer ".length()));
    }
}
