package dev.slipway.conformance.seeded;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** The cluster, as the adapter uses it. */
final class Things {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String cluster;

    record Thing(String id, String instance, String key, String url) {
        static Thing of(String line) {
            var words = line.split(" ", 4);
            return new Thing(words[0], words[1], words[2], words[3]);
        }
    }

    Things(String cluster) {
        this.cluster = cluster;
    }

    List<Thing> all() throws IOException {
        return call("GET", "").lines().map(Thing::of).toList();
    }

    List<Thing> of(String instance) throws IOException {
        return call("GET", "?instance=" + instance).lines().map(Thing::of).toList();
    }

    Thing launch(String instance, String key, String how) throws IOException {
        return Thing.of(call("POST", "?instance=" + instance + "&key=" + key + how));
    }

    void end(List<Thing> things) throws IOException {
        for (var thing : things) {
            var ignored = call("DELETE", "?id=" + thing.id);
        }
    }

    /** As HTTP says it: 200 is well, 503 not yet, anything else is broken. */
    int health(Thing thing) throws IOException {
        return send("GET", thing.url + "/health").statusCode();
    }

    private String call(String method, String query) throws IOException {
        return send(method, cluster + query).body();
    }

    private java.net.http.HttpResponse<String> send(String method, String url) throws IOException {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create(url))
                            .method(method, BodyPublishers.noBody())
                            .timeout(Duration.ofSeconds(10))
                            .build(),
                    BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
