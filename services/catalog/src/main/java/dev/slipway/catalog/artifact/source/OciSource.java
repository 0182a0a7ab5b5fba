package dev.slipway.catalog.artifact.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;

import java.util.ArrayList;
import java.util.List;

/** A registry with the OCI distribution API. */
final class OciSource implements ArtifactSource {
    private static final int MAX_MANIFEST = 4 << 20;
    private static final int MAX_PARTS = 128;

    private final OciRegistryClient ociRegistryClient;
    private final ResponseBodyReader responseBodyReader;
    private final OciSignatureReader statements;
    private final long maxBlobBytes;

    OciSource(OciRegistryClient ociRegistryClient, ResponseBodyReader responseBodyReader, long maxBlobBytes) {
        this.ociRegistryClient = ociRegistryClient;
        this.responseBodyReader = responseBodyReader;
        this.statements = new OciSignatureReader(ociRegistryClient, responseBodyReader);
        this.maxBlobBytes = maxBlobBytes;
    }

    @Override
    public Future<FoundArtifact> find(SourceLocation at, Digest digest, boolean blob) {
        return blob ? findBlob(at, digest) : findManifest(at, digest);
    }

    private Future<FoundArtifact> findBlob(SourceLocation at, Digest digest) {
        return ociRegistryClient
                .get(at, "blobs/" + digest, OciRegistryClient.ANYTHING)
                .compose(response -> responseBodyReader.readHash(response, maxBlobBytes))
                .compose(hashedBody -> OciRegistryClient.requireDigest(at, digest, hashedBody.digest())
                        .map(same -> new FoundArtifact(digest, null, hashedBody.sizeBytes(), List.of())));
    }

    private Future<FoundArtifact> findManifest(SourceLocation at, Digest digest) {
        return ociRegistryClient
                .get(at, "manifests/" + digest, OciRegistryClient.MANIFESTS)
                .compose(response -> responseBodyReader
                        .readAll(response, MAX_MANIFEST)
                        .compose(body -> responseBodyReader
                                .digest(body)
                                .compose(actual -> OciRegistryClient.requireDigest(at, digest, actual))
                                .compose(same -> OciRegistryClient.parseJson(at, body))
                                .compose(manifest -> parts(at, manifest))
                                .map(parts -> new FoundArtifact(
                                        digest, response.getHeader("Content-Type"), body.length(), parts))));
    }

    private static Future<List<ArtifactPart>> parts(SourceLocation at, JsonNode manifest) {
        var parts = new ArrayList<ArtifactPart>();
        try {
            for (var child : manifest.path("manifests")) {
                parts.add(part(child, true));
            }
            if (manifest.has("config")) {
                parts.add(part(manifest.path("config"), false));
            }
            for (var layer : manifest.path("layers")) {
                // Foreign layers are not stored in the registry.
                if (!layer.path("mediaType").asText().contains("foreign")) {
                    parts.add(part(layer, false));
                }
            }
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(
                    OciRegistryClient.refused(at, "has a manifest with a part without a valid digest"));
        }
        return parts.size() > MAX_PARTS
                ? Future.failedFuture(
                        new SourceException(Reason.TOO_LARGE, "The manifest has more than " + MAX_PARTS + " parts."))
                : Future.succeededFuture(parts);
    }

    private static ArtifactPart part(JsonNode descriptor, boolean manifest) {
        return new ArtifactPart(
                new Digest(descriptor.path("digest").asText()),
                descriptor.path("size").asLong(-1),
                manifest);
    }

    @Override
    public Future<List<String>> findMissingParts(SourceLocation at, FoundArtifact foundArtifact) {
        return OciRegistryClient.mapConcurrently(foundArtifact.parts(), artifactPart -> checkPart(at, artifactPart))
                .map(reasons -> reasons.stream().filter(r -> !r.isEmpty()).toList());
    }

    /** Returns the problem of a part in the registry; empty if valid. */
    private Future<String> checkPart(SourceLocation at, ArtifactPart artifactPart) {
        var what = (artifactPart.manifest() ? "manifests/" : "blobs/") + artifactPart.digest();
        return ociRegistryClient
                .send(
                        HttpMethod.HEAD,
                        at,
                        what,
                        artifactPart.manifest() ? OciRegistryClient.MANIFESTS : OciRegistryClient.ANYTHING)
                .compose(response -> {
                    if (response.statusCode() == 404) {
                        OciRegistryClient.discard(response);
                        return Future.succeededFuture(
                                "the registry does not have " + artifactPart.digest() + ", which the manifest lists");
                    }
                    return OciRegistryClient.requireOk(at, what, response).map(there -> {
                        var length = contentLength(there);
                        OciRegistryClient.discard(there);
                        return length >= 0 && length != artifactPart.sizeBytes()
                                ? artifactPart.digest() + " has " + length + " bytes, not the manifest's "
                                        + artifactPart.sizeBytes()
                                : "";
                    });
                });
    }

    @Override
    public Future<List<ArtifactSignature>> signatures(SourceLocation at, Digest digest) {
        return statements.signatures(at, digest);
    }

    @Override
    public Future<List<Buffer>> attestations(SourceLocation at, Digest digest) {
        return statements.attestations(at, digest);
    }

    private static long contentLength(HttpClientResponse response) {
        var length = response.getHeader("Content-Length");
        return length != null && length.matches("\\d{1,18}") ? Long.parseLong(length) : -1;
    }
}
