package dev.slipway.conformance.seeded;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** Client of the fake cluster, used by the seeded adapter. */
final class ClusterClient {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String cluster;

    record Workload(String id, String instance, String key, String url) {
        static Workload of(String line) {
            var fields = line.split(" ", 4);
            return new Workload(fields[0], fields[1], fields[2], fields[3]);
        }
    }

    ClusterClient(String cluster) {
        this.cluster = cluster;
    }

    List<Workload> all() throws IOException {
        return call("GET", "").lines().map(Workload::of).toList();
    }

    List<Workload> of(String instance) throws IOException {
        return call("GET", "?instance=" + instance).lines().map(Workload::of).toList();
    }

    Workload launch(String instance, String key, String options) throws IOException {
        return Workload.of(call("POST", "?instance=" + instance + "&key=" + key + options));
    }

    void end(List<Workload> workloads) throws IOException {
        for (var workload : workloads) {
            var ignored = call("DELETE", "?id=" + workload.id);
        }
    }

    /** Returns the HTTP status: 200 is healthy, 503 is starting, anything else is broken. */
    int health(Workload workload) throws IOException {
        return send("GET", workload.url + "/health").statusCode();
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
