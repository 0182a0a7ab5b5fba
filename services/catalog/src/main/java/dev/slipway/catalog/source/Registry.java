package dev.slipway.catalog.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.source.GuardedClient.Question;
import dev.slipway.catalog.source.SourceException.Reason;
import dev.slipway.catalog.source.domain.Digest;
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

/** The distribution API as far as it is asked here, and what its answers mean. */
final class Registry {
    static final String INDEX = "application/vnd.oci.image.index.v1+json";
    static final String ANYTHING = "*/*";
    static final String MANIFESTS = String.join(
            ", ",
            "application/vnd.oci.image.manifest.v1+json",
            INDEX,
            "application/vnd.docker.distribution.manifest.v2+json",
            "application/vnd.docker.distribution.manifest.list.v2+json");
    private static final int AT_ONCE = 8;

    private final GuardedClient client;
    private final Accounts accounts;

    Registry(GuardedClient client, Accounts accounts) {
        this.client = client;
        this.accounts = accounts;
    }

    /** Gets what must be there. */
    Future<HttpClientResponse> get(Location at, String what, String accept) {
        return ask(HttpMethod.GET, at, what, accept).compose(response -> present(at, what, response));
    }

    /** Whatever the answer is. */
    Future<HttpClientResponse> ask(HttpMethod method, Location at, String what, String accept) {
        var uri = URI.create(client.base(at) + "/v2/" + at.path() + "/" + what);
        return accounts.ask(at, new Question(method, uri, Map.of("Accept", accept)));
    }

    static Future<HttpClientResponse> present(Location at, String what, HttpClientResponse response) {
        var status = response.statusCode();
        if (status == 200) {
            return Future.succeededFuture(response);
        }
        discard(response);
        return Future.failedFuture(
                switch (status) {
                    case 404 -> new SourceException(Reason.NOT_FOUND, at.repository() + " has no " + what + ".");
                    case 401, 403 -> refused(at, "does not let the platform read " + at.path());
                    default ->
                        status >= 500 || status == 429
                                ? new SourceException(Reason.UNAVAILABLE, at.host() + " answers " + status + ".")
                                : refused(at, "answers " + status);
                });
    }

    static Future<Digest> matching(Location at, Digest wanted, Digest actual) {
        return wanted.equals(actual)
                ? Future.succeededFuture(actual)
                : Future.failedFuture(new SourceException(
                        Reason.MISMATCH, at.repository() + " has " + actual + " there, not " + wanted + "."));
    }

    static Future<JsonNode> parsed(Location at, Buffer body) {
        try {
            return Future.succeededFuture(Json.parse(body.getBytes()));
        } catch (IOException e) {
            return Future.failedFuture(refused(at, "has a manifest that is not JSON"));
        }
    }

    /** A few at a time: a registry is asked like a neighbour, not like an enemy. */
    static <T, R> Future<List<R>> eachOf(List<T> all, Function<T, Future<R>> step) {
        var done = Future.succeededFuture((List<R>) new ArrayList<R>());
        for (var from = 0; from < all.size(); from += AT_ONCE) {
            var some = all.subList(from, Math.min(from + AT_ONCE, all.size()));
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

    static SourceException refused(Location at, String what) {
        return new SourceException(Reason.REFUSED, at.host() + " " + what + ".");
    }
}
