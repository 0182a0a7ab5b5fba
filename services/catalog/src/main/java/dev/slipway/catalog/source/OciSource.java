package dev.slipway.catalog.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.source.SourceException.Reason;
import dev.slipway.catalog.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;

import java.util.ArrayList;
import java.util.List;

/** A registry that speaks the OCI distribution API. */
final class OciSource implements ArtifactSource {
    private static final int MAX_MANIFEST = 4 << 20;
    private static final int MAX_PARTS = 128;

    private final Registry registry;
    private final Bodies bodies;
    private final OciStatements statements;
    private final long maxBlobBytes;

    OciSource(Registry registry, Bodies bodies, long maxBlobBytes) {
        this.registry = registry;
        this.bodies = bodies;
        this.statements = new OciStatements(registry, bodies);
        this.maxBlobBytes = maxBlobBytes;
    }

    @Override
    public Future<Found> find(Location at, Digest digest, boolean blob) {
        return blob ? blob(at, digest) : manifest(at, digest);
    }

    private Future<Found> blob(Location at, Digest digest) {
        return registry.get(at, "blobs/" + digest, Registry.ANYTHING)
                .compose(response -> bodies.hashed(response, maxBlobBytes))
                .compose(hashed -> Registry.matching(at, digest, hashed.digest())
                        .map(same -> new Found(digest, null, hashed.sizeBytes(), List.of())));
    }

    private Future<Found> manifest(Location at, Digest digest) {
        return registry.get(at, "manifests/" + digest, Registry.MANIFESTS)
                .compose(response -> bodies.whole(response, MAX_MANIFEST).compose(body -> bodies.digest(body)
                        .compose(actual -> Registry.matching(at, digest, actual))
                        .compose(same -> Registry.parsed(at, body))
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
            return Future.failedFuture(Registry.refused(at, "has a manifest with a part of no digest"));
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
        return Registry.eachOf(found.parts(), part -> lacking(at, part))
                .map(reasons -> reasons.stream().filter(r -> !r.isEmpty()).toList());
    }

    /** What is wrong with a part as the registry has it; nothing if it is empty. */
    private Future<String> lacking(Location at, Part part) {
        var what = (part.manifest() ? "manifests/" : "blobs/") + part.digest();
        return registry.ask(HttpMethod.HEAD, at, what, part.manifest() ? Registry.MANIFESTS : Registry.ANYTHING)
                .compose(response -> {
                    if (response.statusCode() == 404) {
                        Registry.discard(response);
                        return Future.succeededFuture(
                                "the registry has no " + part.digest() + ", which the manifest names");
                    }
                    return Registry.present(at, what, response).map(there -> {
                        var length = contentLength(there);
                        Registry.discard(there);
                        return length >= 0 && length != part.sizeBytes()
                                ? part.digest() + " has " + length + " bytes, not the manifest's " + part.sizeBytes()
                                : "";
                    });
                });
    }

    @Override
    public Future<List<Signed>> signatures(Location at, Digest digest) {
        return statements.signatures(at, digest);
    }

    @Override
    public Future<List<Buffer>> attestations(Location at, Digest digest) {
        return statements.attestations(at, digest);
    }

    private static long contentLength(HttpClientResponse response) {
        var length = response.getHeader("Content-Length");
        return length != null && length.matches("\\d{1,18}") ? Long.parseLong(length) : -1;
    }
}
