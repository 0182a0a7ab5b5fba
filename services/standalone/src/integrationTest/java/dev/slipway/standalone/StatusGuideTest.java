package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of the status guide as one script, and tests the notifications of Alertmanager. */
class StatusGuideTest {
    private static PlatformUnderTest platform;
    private static StatusCalls status;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_ALERTMANAGER_SECRET", StatusCalls.SECRET));
        status = new StatusCalls(platform);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void guide_readsStatusAndHandlesAnIncident_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        for (var user : List.of("platform_ops", "tenant_owner")) {
            Files.writeString(tokens.resolve(user), platform.token(user));
        }
        eventually(() -> assertThat(platform.as("platform_ops")
                        .call("listStatusComponents")
                        .send()
                        .expect(200)
                        .body()
                        .findValuesAsText("component_id"))
                .contains("metering"));
        var guide = GuideScript.of(Files.readString(Path.of("../../docs/status.md")));

        var output = GuideScript.run(directory, guide.replace("http://127.0.0.1:8080", platform.baseUrl()));

        assertThat(output)
                .contains(
                        "304\n",
                        "\"component_id\":\"gateway\"",
                        "\"display_name\":\"Usage\"",
                        "\"status\":\"not_measured\"",
                        "\"failure_behaviour\":",
                        "\"affects_you\":true",
                        "\"kind\":\"incident\"",
                        "\"postmortem_url\":\"https://wiki.example.test/postmortems/17\"",
                        "\"title\":\"A process is unreachable.\"",
                        "\"status\":\"canceled\"");
    }

    @Test
    void alertmanager_opensUpdatesAndResolvesOneIncident_perGroup() {
        var key = "{}/{severity=\"page\"}:{alertname=\"SlipwayDown\"}-" + Ids.next();
        platform.anonymous()
                .call("receiveAlertmanagerWebhook")
                .body(StatusCalls.notification(key, "firing", "a"))
                .send()
                .expect(401);
        platform.anonymous()
                .as("a-wrong-secret-of-it")
                .call("receiveAlertmanagerWebhook")
                .body(StatusCalls.notification(key, "firing", "a"))
                .send()
                .expect(401);

        var opened = status.sendNotification(StatusCalls.notification(key, "firing", "a"));
        var id = opened.text("incident_id");
        var again = status.sendNotification(StatusCalls.notification(key, "firing", "a"));
        status.sendNotification(StatusCalls.notification(key, "firing", "a", "b"));
        var resolved = status.sendNotification(StatusCalls.notification(key, "resolved", "a", "b"));
        var late = status.sendNotification(StatusCalls.notification(key, "resolved", "a"));

        assertThat(again.text("incident_id")).isEqualTo(id);
        assertThat(resolved.text("status")).isEqualTo("resolved");
        assertThat(late.body().path("incident_id").isNull()).isTrue();
        var incident = status.getIncident(id);
        assertThat(incident.path("title").asText()).isEqualTo("The gateway is unreachable.");
        assertThat(incident.path("severity").asText()).isEqualTo("major");
        assertThat(incident.path("source").asText()).isEqualTo("alertmanager");
        assertThat(incident.path("components").path(0).asText()).isEqualTo("gateway");
        assertThat(incident.path("version").asLong()).isEqualTo(3);
        assertThat(incident.path("alerts").findValuesAsText("status")).containsExactly("resolved", "resolved");
        eventually(() -> assertThat(platform.events().find(seen -> seen.key().equals(id)))
                .extracting(seen -> seen.type())
                .containsExactly("status.incident.opened", "status.incident.updated", "status.incident.resolved"));
        assertThat(status.sendNotification(StatusCalls.notification(key, "firing", "c"))
                        .text("incident_id"))
                .isNotEqualTo(id);
    }
}
