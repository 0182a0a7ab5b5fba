package dev.slipway.catalog.artifact.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SsrfSafeClient.Request;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A client for the read operations of the OCI distribution API. */
final class OciRegistryClient {
    static final String INDEX = "application/vnd.oci.image.index.v1+json";
    static final String ANYTHING = "*/*";
    static final String MANIFESTS = String.join(
            ", ",
            "application/vnd.oci.image.manifest.v1+json",
            INDEX,
            "application/vnd.docker.distribution.manifest.v2+json",
            "application/vnd.docker.distribution.manifest.list.v2+json");
    private static final int CONCURRENCY = 8;

    private final SsrfSafeClient client;
    private final SourceAuthenticator sourceAuthenticator;

    OciRegistryClient(SsrfSafeClient client, SourceAuthenticator sourceAuthenticator) {
        this.client = client;
        this.sourceAuthenticator = sourceAuthenticator;
    }

    /** Sends a GET request that must succeed. */
    Future<HttpClientResponse> get(SourceLocation at, String what, String accept) {
        return send(HttpMethod.GET, at, what, accept).compose(response -> requireOk(at, what, response));
    }

    /** Sends a request and returns its response with any status. */
    Future<HttpClientResponse> send(HttpMethod method, SourceLocation at, String what, String accept) {
        var uri = URI.create(client.baseUrl(at) + "/v2/" + at.path() + "/" + what);
        return sourceAuthenticator.send(at, new Request(method, uri, Map.of("Accept", accept)));
    }

    static Future<HttpClientResponse> requireOk(SourceLocation at, String what, HttpClientResponse response) {
        var status = response.statusCode();
        if (status == 200) {
            return Future.succeededFuture(response);
        }
        discard(response);
        return Future.failedFuture(
                switch (status) {
                    case 404 -> new SourceException(Reason.NOT_FOUND, at.repository() + " does not have " + what + ".");
                    case 401, 403 -> refused(at, "denies the platform access to " + at.path());
                    default ->
                        status >= 500 || status == 429
                                ? new SourceException(
                                        Reason.UNAVAILABLE, at.host() + " responded with status " + status + ".")
                                : refused(at, "responded with status " + status);
                });
    }

    static Future<Digest> requireDigest(SourceLocation at, Digest wanted, Digest actual) {
        return wanted.equals(actual)
                ? Future.succeededFuture(actual)
                : Future.failedFuture(new SourceException(
                        Reason.MISMATCH, at.repository() + " has " + actual + ", not " + wanted + "."));
    }

    static Future<JsonNode> parseJson(SourceLocation at, Buffer body) {
        try {
            return Future.succeededFuture(Json.parse(body.getBytes()));
        } catch (IOException e) {
            return Future.failedFuture(refused(at, "has a manifest that is not JSON"));
        }
    }

    /** Runs a step for all items, with limited concurrency to avoid overloading the registry. */
    static <T, R> Future<List<R>> mapConcurrently(List<T> all, Function<T, Future<R>> step) {
        var done = Future.succeededFuture((List<R>) new ArrayList<R>());
        for (var from = 0; from < all.size(); from += CONCURRENCY) {
            var some = all.subList(from, Math.min(from + CONCURRENCY, all.size()));
            done = done.compose(
                    results -> Future.all(some.stream().map(step).toList()).map(group -> {
                        results.addAll(group.<R>list());
                        return results;
                    }));
        }
        return done;
    }

    static void discard(HttpClientResponse response) {
        response.request().reset();
    }

    static SourceException refused(SourceLocation at, String what) {
        return new SourceException(Reason.REFUSED, at.host() + " " + what + ".");
    }
}
