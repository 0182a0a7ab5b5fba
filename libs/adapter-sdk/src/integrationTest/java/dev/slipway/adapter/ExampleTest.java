package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.testing.SimulatedPlatform;
import dev.slipway.adapter.testing.SimulatedPlatform.Report;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.example.GreeterMain;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The adapter of docs/build-an-adapter.md, as the program that the guide runs. */
class ExampleTest {
    @TempDir
    Path home;

    private final UUID instance = Ids.next();
    private SimulatedPlatform platform;
    private Process program;

    @BeforeEach
    void start() throws Exception {
        platform = new SimulatedPlatform(home, "bare_metal");
        program = program();
    }

    @AfterEach
    void stop() throws Exception {
        program.destroyForcibly();
        platform.close();
    }

    private Process program() throws IOException {
        var config = platform.adapter(home.resolve("unused"), 1);
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GreeterMain.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        home.resolve("example.log").toFile()));
        var environment = builder.environment();
        environment.put("SLIPWAY_BASE_URL", config.baseUrl().toString());
        environment.put("SLIPWAY_KAFKA_BOOTSTRAP", config.kafkaBootstrap());
        environment.put("SLIPWAY_TOPIC_PREFIX", config.kafkaTopicPrefix());
        environment.put("SLIPWAY_ADAPTER_ID", config.adapterId().toString());
        environment.put("SLIPWAY_ADAPTER_SECRET_FILE", config.secretFile().toString());
        environment.put("SLIPWAY_ADAPTER_DATA_DIR", home.resolve("data").toString());
        return builder.start();
    }

    private Report send(Envelope command, String end) throws Exception {
        platform.send(command);
        return platform.await(r -> r.type().equals(end) && r.isAbout(command));
    }

    private static ObjectNode greeting(String word) {
        return Json.object().put("greeting", word);
    }

    private static String read(Report report) throws Exception {
        var url = report.event().payload().at("/endpoints/0/url").asText();
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    @Proves("1.90")
    void example_doesWhatTheGuideSays_andIsNotUpsetByAKill() throws Exception {
        var running = send(platform.deploy(instance, Json.object(), greeting("Hello")), "running");
        assertThat(read(running)).isEqualTo("Hello from 1.0.0");
        var refused = send(platform.deploy(Ids.next(), Json.object(), greeting(" ")), "failed");
        assertThat(refused.text("reason")).contains("config.greeting");

        var upgrade = platform.upgrade("upgrade", instance, "1.0.0", "1.1.0", Json.object(), greeting("Good day"));
        upgrade.payload().put("generation", 2);
        var upgraded = send(upgrade, "operation");
        assertThat(read(upgraded)).isEqualTo("Good day from 1.1.0");
        assertThatThrownBy(() -> read(running)).isInstanceOf(IOException.class);

        assertThat(program.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
        program = program();
        var again = platform.await(r -> r.type().equals("running") && r.isAbout(upgrade));
        assertThat(read(again)).isEqualTo("Good day from 1.1.0");

        var greet = platform.operate(instance, "greeter.greet", Json.object().put("name", "Ada"));
        greet.payload().put("generation", 2);
        assertThat(send(greet, "operation")
                        .event()
                        .payload()
                        .at("/output/greeting")
                        .asText())
                .isEqualTo("Good day from 1.1.0, Ada");
        var delete = platform.delete(instance);
        delete.payload().put("generation", 3);
        assertThat(send(delete, "deleted")).isNotNull();
        assertThatThrownBy(() -> read(again)).isInstanceOf(IOException.class);
        assertThat(home.resolve("data/greetings")).isEmptyDirectory();
    }
}
