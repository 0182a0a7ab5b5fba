package dev.slipway.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;

/**
 * The shipped standalone program as a process with its own home. It gets free ports at the first start and keeps them, so that clients
 * find it again.
 */
public final class PlatformProcess implements AutoCloseable {
    private static final String PROGRAM = "slipway.standalone.program";
    private static final Pattern HEALTH = Pattern.compile("Health +(http\\S+)/health/ready");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Path directory;
    private final Map<String, String> settings;
    private @Nullable ChildProcess process;

    /** {@code settings} override the free ports and the home in {@code directory}. */
    public PlatformProcess(Path directory, Map<String, String> settings) {
        this.directory = directory;
        this.settings = Map.copyOf(settings);
    }

    public Path home() {
        return directory.resolve("home");
    }

    /** Starts the process and waits until it is ready. */
    public void start() {
        launch();
        awaitReady();
    }

    /** Starts the process without waiting. */
    @CanIgnoreReturnValue
    public ChildProcess launch() {
        var environment = new HashMap<>(Map.of(
                "SLIPWAY_HOME", home().toString(),
                "SLIPWAY_HTTP_PORT", "0",
                "SLIPWAY_MANAGEMENT_PORT", "0",
                "SLIPWAY_KAFKA_PORT", "0",
                "SLIPWAY_KAFKA_CLIENT_FILE", quickTakeover().toString(),
                "JAVA_HOME", System.getProperty("java.home"),
                "JAVA_OPTS", String.join(" ", ShortLivedJvm.OPTIONS)));
        if (Files.exists(home().resolve("demo.json"))) {
            var before = demo();
            environment.put("SLIPWAY_HTTP_PORT", port(before.path("base_url")));
            environment.put("SLIPWAY_KAFKA_PORT", port(before.path("kafka_bootstrap")));
        }
        environment.putAll(settings);
        environment.computeIfAbsent(
                "SLIPWAY_RECORD_KEYS_DIRECTORY",
                name -> PreparedRecordKeys.in(directory.resolve("record-keys")).toString());
        TemporaryDirectory.openToOthers(directory);
        var program = Objects.requireNonNull(System.getProperty(PROGRAM), PROGRAM);
        var started = new ChildProcess(directory, environment, List.of(program));
        process = started;
        return started;
    }

    /** Shortens session timeouts: tests kill processes often, and others take over their work within seconds. */
    private Path quickTakeover() {
        try {
            return Files.write(
                    Files.createDirectories(directory).resolve("kafka-client.properties"),
                    List.of("session.timeout.ms=4000", "heartbeat.interval.ms=1000"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitReady() {
        try {
            eventually(this::checkReady);
        } catch (AssertionError e) {
            throw new AssertionError("the platform did not become ready; it said:\n" + log(), e);
        }
    }

    private void checkReady() throws IOException, InterruptedException {
        if (!process().isAlive()) {
            throw new ProcessExitedError(log());
        }
        var answer = HTTP.send(
                HttpRequest.newBuilder(URI.create(managementUrl() + "/health/ready"))
                        .timeout(Duration.ofSeconds(5))
                        .build(),
                BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.body());
        }
    }

    public ChildProcess process() {
        return Objects.requireNonNull(process, "not started");
    }

    /** Returns demo.json, which is written at each start. */
    public JsonNode demo() {
        try {
            return Json.parse(Files.readAllBytes(home().resolve("demo.json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the Kafka client settings of a principal of the embedded broker. */
    public Map<String, String> kafkaClient(String principal) {
        var properties = new Properties();
        try (var file = Files.newBufferedReader(home().resolve("kafka-clients").resolve(principal + ".properties"))) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.stringPropertyNames().stream()
                .collect(Collectors.toMap(Function.identity(), properties::getProperty));
    }

    /** Returns a client with the token of a demo user, named by its role. */
    public ApiClient as(String user) {
        var demo = demo();
        return new ApiClient(
                demo.path("base_url").asText(), demo.path("tokens").path(user).asText());
    }

    /** Checks for the banner, the last output of a start. */
    public String managementUrl() {
        var health = HEALTH.matcher(process().output());
        if (!health.find()) {
            throw new IllegalStateException(
                    "not ready: " + process().output() + process().errors());
        }
        return health.group(1);
    }

    /** Returns all output, for the message of a failed test. */
    public String log() {
        var log = home().resolve("slipway.log");
        try {
            return process().output() + process().errors() + (Files.exists(log) ? Files.readString(log) : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }

    private static String port(JsonNode address) {
        var text = address.asText();
        return text.substring(text.lastIndexOf(':') + 1);
    }

    /** Thrown when the process has exited, so that waiting is pointless. */
    private static final class ProcessExitedError extends Error {
        ProcessExitedError(String log) {
            super("the platform ended instead of becoming ready:\n" + log);
        }
    }
}
