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
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** A registry that speaks the OCI distribution API. Signatures and attestations are where cosign puts them, or among the referrers. */
final class OciSource implements ArtifactSource {
    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String MANIFESTS = String.join(
            ", ",
            "application/vnd.oci.image.manifest.v1+json",
            INDEX,
            "application/vnd.docker.distribution.manifest.v2+json",
            "application/vnd.docker.distribution.manifest.list.v2+json");
    private static final String SIGNATURE = "dev.cosignproject.cosign/signature";
    private static final String ENVELOPE = "application/vnd.dsse.envelope.v1+json";
    private static final List<String> ATTESTATION_TYPES = List.of(ENVELOPE, "application/vnd.in-toto+json");
    private static final int MAX_MANIFEST = 4 << 20;
    private static final int MAX_STATEMENT = 1 << 20;
    private static final int MAX_STATEMENTS = 16;
    private static final int MAX_PARTS = 128;
    private static final int AT_ONCE = 8;

    private final GuardedClient client;
    private final Bodies bodies;
    private final Accounts accounts;
    private final long maxBlobBytes;

    OciSource(GuardedClient client, Bodies bodies, Accounts accounts, long maxBlobBytes) {
        this.client = client;
        this.bodies = bodies;
        this.accounts = accounts;
        this.maxBlobBytes = maxBlobBytes;
    }

    @Override
    public Future<Found> find(Location at, Digest digest, boolean blob) {
        return blob ? blob(at, digest) : manifest(at, digest);
    }

    private Future<Found> blob(Location at, Digest digest) {
        return ask(HttpMethod.GET, at, "blobs/" + digest, "*/*")
                .compose(response -> present(at, digest.text(), response))
                .compose(response -> bodies.hashed(response, maxBlobBytes))
                .compose(hashed -> matching(at, digest, hashed.digest())
                        .map(same -> new Found(digest, null, hashed.sizeBytes(), List.of())));
    }

    private Future<Found> manifest(Location at, Digest digest) {
        return ask(HttpMethod.GET, at, "manifests/" + digest, MANIFESTS)
                .compose(response -> present(at, digest.text(), response))
                .compose(response -> bodies.whole(response, MAX_MANIFEST).compose(body -> bodies.digest(body)
                        .compose(actual -> matching(at, digest, actual))
                        .compose(same -> parsed(at, body))
                        .compose(manifest -> parts(at, manifest))
                        .map(parts -> new Found(digest, response.getHeader("Content-Type"), body.length(), parts))));
    }

    private static Future<List<Part>> parts(Location at, JsonNode manifest) {
        var parts = new ArrayList<Part>();
        try {
            for (var child : manifest.path("manifests")) {
                parts.add(part(child, true));
            }
            if (manifest.has("config")) {
                parts.add(part(manifest.path("config"), false));
            }
            for (var layer : manifest.path("layers")) {
                // A foreign layer is not the registry's to have.
                if (!layer.path("mediaType").asText().contains("foreign")) {
                    parts.add(part(layer, false));
                }
            }
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(refused(at, "has a manifest with a part of no digest"));
        }
        return parts.size() > MAX_PARTS
                ? Future.failedFuture(
                        new SourceException(Reason.TOO_LARGE, "The manifest has more than " + MAX_PARTS + " parts."))
                : Future.succeededFuture(parts);
    }

    private static Part part(JsonNode descriptor, boolean manifest) {
        return new Part(
                new Digest(descriptor.path("digest").asText()),
                descriptor.path("size").asLong(-1),
                manifest);
    }

    @Override
    public Future<List<String>> missing(Location at, Found found) {
        return eachOf(found.parts(), part -> ask(
                                HttpMethod.HEAD,
                                at,
                                (part.manifest() ? "manifests/" : "blobs/") + part.digest(),
                                part.manifest() ? MANIFESTS : "*/*")
                        .map(response -> {
                            var length = contentLength(response);
                            discard(response);
                            if (response.statusCode() != 200) {
                                return "the registry has no " + part.digest() + ", which the manifest names";
                            }
                            return length >= 0 && length != part.sizeBytes()
                                    ? part.digest() + " has " + length + " bytes, not the manifest's "
                                            + part.sizeBytes()
                                    : "";
                        }))
                .map(reasons -> reasons.stream().filter(r -> !r.isEmpty()).toList());
    }

    @Override
    public Future<List<Signed>> signatures(Location at, Digest digest) {
        return manifestIfThere(at, "sha256-" + digest.hex() + ".sig").compose(manifest -> {
            var layers = layers(manifest, layer -> layer.path("annotations").has(SIGNATURE));
            return eachOf(layers, layer -> statement(at, layer)
                    .map(payload -> new Signed(
                            payload,
                            decoded(layer.path("annotations").path(SIGNATURE).asText()))));
        });
    }

    @Override
    public Future<List<Buffer>> attestations(Location at, Digest digest) {
        var tagged = manifestIfThere(at, "sha256-" + digest.hex() + ".att");
        return Future.all(tagged, referrers(at, digest)).compose(ok -> {
            var manifests = new ArrayList<JsonNode>(referrers(tagged.result()));
            manifests.addAll(ok.resultAt(1));
            var envelopes = manifests.stream()
                    .flatMap(manifest ->
                            layers(
                                    manifest,
                                    layer -> ATTESTATION_TYPES.contains(
                                            layer.path("mediaType").asText()))
                                    .stream())
                    .limit(MAX_STATEMENTS)
                    .toList();
            return eachOf(envelopes, layer -> statement(at, layer));
        });
    }

    private static List<JsonNode> referrers(@Nullable JsonNode tagged) {
        return tagged == null ? List.of() : List.of(tagged);
    }

    /** Manifests that say of themselves that they are about this one. A registry without that API has none. */
    private Future<List<JsonNode>> referrers(Location at, Digest digest) {
        return ask(HttpMethod.GET, at, "referrers/" + digest, INDEX)
                .compose(response -> {
                    if (response.statusCode() != 200) {
                        discard(response);
                        return Future.succeededFuture(List.<JsonNode>of());
                    }
                    return bodies.whole(response, MAX_MANIFEST)
                            .compose(body -> parsed(at, body))
                            .map(index -> list(index.path("manifests"))
                                    .filter(m -> ATTESTATION_TYPES.contains(
                                            m.path("artifactType").asText()))
                                    .limit(MAX_STATEMENTS)
                                    .toList());
                })
                .compose(found -> eachOf(
                        found, each -> manifestIfThere(at, each.path("digest").asText())))
                .map(found -> found.stream().flatMap(m -> referrers(m).stream()).toList());
    }

    private Future<@Nullable JsonNode> manifestIfThere(Location at, String reference) {
        return ask(HttpMethod.GET, at, "manifests/" + reference, MANIFESTS).compose(response -> {
            if (response.statusCode() == 404) {
                discard(response);
                return Future.succeededFuture();
            }
            return present(at, reference, response)
                    .compose(ok -> bodies.whole(response, MAX_MANIFEST))
                    .compose(body -> parsed(at, body));
        });
    }

    /** A small blob that a manifest names. */
    private Future<Buffer> statement(Location at, JsonNode layer) {
        var named = layer.path("digest").asText();
        if (!Digest.isCanonical(named)) {
            return Future.failedFuture(refused(at, "has a signature of no digest"));
        }
        return ask(HttpMethod.GET, at, "blobs/" + named, "*/*")
                .compose(response -> present(at, named, response))
                .compose(response -> bodies.whole(response, MAX_STATEMENT))
                .compose(body -> bodies.digest(body)
                        .compose(actual -> matching(at, new Digest(named), actual))
                        .map(same -> body));
    }

    private Future<HttpClientResponse> ask(HttpMethod method, Location at, String what, String accept) {
        var uri = URI.create(client.base(at) + "/v2/" + at.path() + "/" + what);
        return accounts.ask(at, new Question(method, uri, Map.of("Accept", accept)));
    }

    private static Future<HttpClientResponse> present(Location at, String what, HttpClientResponse response) {
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

    private static Future<Digest> matching(Location at, Digest wanted, Digest actual) {
        return wanted.equals(actual)
                ? Future.succeededFuture(actual)
                : Future.failedFuture(new SourceException(
                        Reason.MISMATCH, at.repository() + " has " + actual + " there, not " + wanted + "."));
    }

    private static Future<JsonNode> parsed(Location at, Buffer body) {
        try {
            return Future.succeededFuture(Json.parse(body.getBytes()));
        } catch (IOException e) {
            return Future.failedFuture(refused(at, "has a manifest that is not JSON"));
        }
    }

    private static List<JsonNode> layers(@Nullable JsonNode manifest, java.util.function.Predicate<JsonNode> which) {
        return manifest == null
                ? List.of()
                : list(manifest.path("layers"))
                        .filter(which)
                        .limit(MAX_STATEMENTS)
                        .toList();
    }

    private static Stream<JsonNode> list(JsonNode array) {
        return java.util.stream.StreamSupport.stream(array.spliterator(), false);
    }

    /** A few at a time: a registry is asked like a neighbour, not like an enemy. */
    private static <T, R> Future<List<R>> eachOf(List<T> all, Function<T, Future<R>> step) {
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

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // as good as any other wrong signature
        }
    }

    private static long contentLength(HttpClientResponse response) {
        var length = response.getHeader("Content-Length");
        return length != null && length.matches("\\d{1,18}") ? Long.parseLong(length) : -1;
    }

    private static void discard(HttpClientResponse response) {
        response.request().reset();
    }

    private static SourceException refused(Location at, String what) {
        return new SourceException(Reason.REFUSED, at.host() + " " + what + ".");
    }
}
