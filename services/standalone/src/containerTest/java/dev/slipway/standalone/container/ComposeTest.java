package dev.slipway.standalone.container;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The compose file on a Docker engine, without the services that only display telemetry. */
class ComposeTest {
    private static final String PROJECT = "01900000-0000-7000-8000-000000000102";
    private static final String CORRELATION = "container-test-1";

    @BeforeAll
    static void start() {
        DockerCli.prepareImages("apache/kafka:4.3.1", "postgres:18");
        DockerCli.compose("build", "slipway");
        DockerCli.compose("up", "--detach", "--no-build", "kafka", "postgres", "slipway", "process-adapter");
    }

    @AfterAll
    static void remove() {
        DockerCli.compose("down", "--volumes");
    }

    @Test
    void compose_launchesAnApp_andStopsCleanly() throws Exception {
        eventually(() -> assertThat(get("http://127.0.0.1:8081/health/ready")).startsWith("{\"ready\":true"));
        eventually(() -> assertThat(get("http://172.30.77.1:8081/health/ready")).startsWith("{\"ready\":true"));
        var token = DockerCli.compose("exec", "-T", "slipway", "cat", "/var/lib/slipway/tokens/project_owner");
        var owner = new ApiClient("http://127.0.0.1:8080", token);

        var instance = owner.call("createAppInstance")
                .path("project_id", PROJECT)
                .header("X-Correlation-ID", CORRELATION)
                .body(Json.object()
                        .put("app_slug", "echo")
                        .put("version", "1.0.0")
                        .put("display_name", "In a container"))
                .send()
                .expect(202)
                .text("id");

        eventually(() -> assertThat(instance(owner, instance)).contains("\"status\":\"running\""));
        var endpoint = Json.parseTrusted(instance(owner, instance).getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .findValue("url")
                .asText();
        assertThat(get(endpoint))
                .as("the endpoint %s is reachable from the host", endpoint)
                .isNotEmpty();
        eventually(() -> assertThat(owner.call("getCorrelation")
                        .path("correlation_id", CORRELATION)
                        .send()
                        .expect(200)
                        .body()
                        .toString())
                .contains("createAppInstance", "apps.instance.running"));
        eventually(() -> assertThat(DockerCli.compose(
                        "exec",
                        "-T",
                        "process-adapter",
                        "grep",
                        "-c",
                        CORRELATION,
                        "/var/lib/slipway-adapter/slipway.log"))
                .matches("[1-9][0-9]*"));

        DockerCli.compose("stop");

        // 128 + SIGTERM: the shutdown hook has run; after SIGKILL it would be 137.
        for (var service : new String[] {"slipway", "process-adapter"}) {
            var container = DockerCli.compose("ps", "--all", "--quiet", service);
            assertThat(DockerCli.run("docker", "inspect", "--format", "{{.State.ExitCode}}", container))
                    .as(service)
                    .isEqualTo("143");
        }
    }

    private static String instance(ApiClient owner, String id) {
        return owner.call("getAppInstance")
                .path("project_id", PROJECT)
                .path("app_instance_id", id)
                .send()
                .expect(200)
                .body()
                .toString();
    }

    private static String get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }
}
