package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Observes instances from outside: through reported endpoints and, if configured, through a command or an address that lists the effects of
 * an instance, one per line.
 */
final class RuntimeProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    /**
     * Exit codes from here on mean that the shell could not run the command. Lower codes depend on the command, such as grep without a
     * match.
     */
    private static final int NO_SUCH_COMMAND = 126;

    private static final String PLACEHOLDER = "{app_instance_id}";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final ConformanceProfile.EndpointProbe probe;
    private final @Nullable String effects;

    enum EndpointHealth {
        UNREACHABLE,
        UNHEALTHY,
        HEALTHY
    }

    /** The result of checking an endpoint; {@code launchId} identifies the launch. */
    record EndpointCheck(EndpointHealth health, String response, String launchId) {}

    RuntimeProbe(ConformanceProfile.EndpointProbe probe, @Nullable String effects) {
        this.probe = probe;
        this.effects = effects;
    }

    /** Returns whether all effects are listed, or only responding endpoints are observed. */
    boolean listsAllEffects() {
        return effects != null;
    }

    static boolean isHttp(String url) {
        return url.startsWith("http://") || url.startsWith("https://");
    }

    EndpointCheck checkEndpoint(String url) {
        try {
            var response = get(join(url, probe.health()));
            if (response.statusCode() / 100 != 2) {
                return new EndpointCheck(EndpointHealth.UNHEALTHY, "returns " + response.statusCode(), url);
            }
            return new EndpointCheck(EndpointHealth.HEALTHY, "returns " + response.statusCode(), findLaunchId(url));
        } catch (ConnectException e) {
            return new EndpointCheck(EndpointHealth.UNREACHABLE, "does not respond", url);
        } catch (IOException e) {
            return new EndpointCheck(EndpointHealth.UNHEALTHY, "cannot be reached: " + e, url);
        }
    }

    /** Returns the effects of the instance if they are listed, otherwise the launch ids of its healthy endpoints. */
    List<String> findAlive(ScenarioInstance instance, Collection<String> urls) {
        if (effects != null) {
            return listEffects(effects, instance.id().toString());
        }
        return urls.stream()
                .filter(RuntimeProbe::isHttp)
                .map(this::checkEndpoint)
                .filter(check -> check.health == EndpointHealth.HEALTHY)
                .map(EndpointCheck::launchId)
                .distinct()
                .toList();
    }

    private List<String> listEffects(String source, String instance) {
        try {
            var text = isHttp(source)
                    ? get(source.replace(PLACEHOLDER, instance)).body()
                    : output(source.replace(PLACEHOLDER, instance));
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("--effects \"" + source + "\" failed", e);
        }
    }

    private static String output(String command) throws IOException {
        var process = new ProcessBuilder("sh", "-c", command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("the command timed out");
            }
            if (process.exitValue() >= NO_SUCH_COMMAND) {
                throw new IOException("the shell exited with code " + process.exitValue());
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private String findLaunchId(String url) throws IOException {
        if (probe.launchPath() == null) {
            return url;
        }
        var response = get(join(url, probe.launchPath()));
        if (probe.launchPointer() == null) {
            return response.body();
        }
        JsonNode json = Json.parse(response.body().getBytes(StandardCharsets.UTF_8));
        return json.at(probe.launchPointer()).asText();
    }

    private HttpResponse<String> get(String url) throws IOException {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (IllegalArgumentException e) {
            throw new IOException(url + " is not a valid URL", e);
        }
    }

    private static String join(String url, String path) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) + path : url + path;
    }
}
