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
 * What an instance is, seen from outside: by the endpoints that were reported, and by what the adapter's team lets the kit ask for, a
 * command or an address that lists what there is of an instance, a line for each thing.
 */
final class World {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** From here on a shell says that it could not run a command. Below, commands say what they please: grep, that nothing was found. */
    private static final int NO_SUCH_COMMAND = 126;

    private static final String PLACEHOLDER = "{app_instance_id}";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final Profile.Probe probe;
    private final @Nullable String effects;

    enum Health {
        ABSENT,
        SICK,
        WELL
    }

    /** One look at an address; {@code launch} tells one launch from another. */
    record Sight(Health health, String answer, String launch) {}

    World(Profile.Probe probe, @Nullable String effects) {
        this.probe = probe;
        this.effects = effects;
    }

    /** Whether it sees everything there is, or only what answers at an endpoint. */
    boolean seesEverything() {
        return effects != null;
    }

    static boolean canBeAsked(String url) {
        return url.startsWith("http://") || url.startsWith("https://");
    }

    Sight look(String url) {
        try {
            var answer = get(join(url, probe.health()));
            if (answer.statusCode() / 100 != 2) {
                return new Sight(Health.SICK, "answers " + answer.statusCode(), url);
            }
            return new Sight(Health.WELL, "answers " + answer.statusCode(), launch(url));
        } catch (ConnectException e) {
            return new Sight(Health.ABSENT, "does not answer", url);
        } catch (IOException e) {
            return new Sight(Health.SICK, "cannot be asked: " + e, url);
        }
    }

    /** What there is of the instance: its things if all can be seen, else the launches that are well at the addresses. */
    List<String> alive(Instance instance, Collection<String> urls) {
        if (effects != null) {
            return listed(effects, instance.id().toString());
        }
        return urls.stream()
                .filter(World::canBeAsked)
                .map(this::look)
                .filter(sight -> sight.health == Health.WELL)
                .map(Sight::launch)
                .distinct()
                .toList();
    }

    private List<String> listed(String how, String instance) {
        try {
            var text = canBeAsked(how)
                    ? get(how.replace(PLACEHOLDER, instance)).body()
                    : output(how.replace(PLACEHOLDER, instance));
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("--effects \"" + how + "\" cannot be asked", e);
        }
    }

    private static String output(String command) throws IOException {
        var process = new ProcessBuilder("sh", "-c", command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("it does not end");
            }
            if (process.exitValue() >= NO_SUCH_COMMAND) {
                throw new IOException("the shell ends with " + process.exitValue());
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private String launch(String url) throws IOException {
        if (probe.launchPath() == null) {
            return url;
        }
        var answer = get(join(url, probe.launchPath()));
        if (probe.launchPointer() == null) {
            return answer.body();
        }
        JsonNode json = Json.parse(answer.body().getBytes(StandardCharsets.UTF_8));
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
            throw new IOException(url + " is not an address", e);
        }
    }

    private static String join(String url, String path) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) + path : url + path;
    }
}
