package dev.slipway.standalone;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the metrics, and that dashboards and alerts use no others. */
class MetricsTest {
    private static final Pattern NAME = Pattern.compile("\\b(?:slipway|vertx|jvm|process)_[a-z_]+\\b");
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
    void metrics_showEveryRelayLeading_whenThePlatformIsUp() {
        eventually(() -> {
            for (var service : new String[] {"iam", "catalog", "instances", "audit", "metering"}) {
                assertThat(metrics()).contains("slipway_relay_leading{service=\"" + service + "\"} 1.0");
            }
        });
    }

    @Test
    void metrics_countDecisions_whenCallsAreDecided() {
        platform.launch("project_member", "counted").send().expect(202);
        platform.launch("project_viewer", "refused").send().expect(403);

        assertThat(metrics())
                .containsPattern("slipway_decisions_total\\{outcome=\"allowed\",service=\"instances\"} [1-9]")
                .containsPattern("slipway_decisions_total\\{outcome=\"denied\",service=\"instances\"} [1-9]")
                .containsPattern("slipway_denials_total\\{reason=\"not_granted\",service=\"instances\"} [1-9]")
                .containsPattern("slipway_authorization_seconds_count\\{service=\"instances\"} [1-9]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "infra/grafana/slipway.json",
                "infra/grafana/requests.json",
                "infra/grafana/pipeline.json",
                "infra/grafana/authorization.json",
                "infra/grafana/slo.json",
                "infra/alerts.yaml",
                "docs/services.md"
            })
    void metrics_haveAllThat_areAskedForIn(String file) throws IOException {
        platform.launch("project_member", "seen").send().expect(202);
        var asked = new TreeSet<String>();
        var names = NAME.matcher(Files.readString(Path.of("../..", file)));
        while (names.find()) {
            asked.add(names.group());
        }

        var shown = metrics();

        assertThat(asked).isNotEmpty().allSatisfy(name -> assertThat(shown).containsPattern("(?m)^" + name + "[ {]"));
    }

    private static String metrics() {
        return platform.getManagement("/metrics");
    }
}
