package dev.slipway.catalog.artifact.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.source.ArtifactSource.ArtifactSignature;
import dev.slipway.catalog.artifact.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads signatures and attestations from a registry: at the tags that cosign uses, and among the referrers. */
final class OciSignatureReader {
    private static final String SIGNATURE = "dev.cosignproject.cosign/signature";
    private static final List<String> ATTESTATIONS =
            List.of("application/vnd.dsse.envelope.v1+json", "application/vnd.in-toto+json");
    private static final int MAX_MANIFEST = 1 << 20;
    private static final int MAX_STATEMENT = 1 << 20;
    private static final int MAX_STATEMENTS = 16;

    private final OciRegistryClient ociRegistryClient;
    private final ResponseBodyReader responseBodyReader;

    OciSignatureReader(OciRegistryClient ociRegistryClient, ResponseBodyReader responseBodyReader) {
        this.ociRegistryClient = ociRegistryClient;
        this.responseBodyReader = responseBodyReader;
    }

    Future<List<ArtifactSignature>> signatures(SourceLocation at, Digest digest) {
        return findManifest(at, "sha256-" + digest.hex() + ".sig").compose(manifest -> {
            var layers = layers(manifest, layer -> layer.path("annotations").has(SIGNATURE));
            return OciRegistryClient.mapConcurrently(layers, layer -> fetchBlob(at, layer)
                    .map(payload -> new ArtifactSignature(
                            payload,
                            decodeOrEmpty(
                                    layer.path("annotations").path(SIGNATURE).asText()))));
        });
    }

    Future<List<Buffer>> attestations(SourceLocation at, Digest digest) {
        var tagged = findManifest(at, "sha256-" + digest.hex() + ".att");
        var referring = referrers(at, digest);
        return Future.all(tagged, referring).compose(ok -> {
            var manifests = new ArrayList<@Nullable JsonNode>(referring.result());
            manifests.add(0, tagged.result());
            var envelopes = manifests.stream()
                    .flatMap(manifest -> layers(manifest, layer -> isAttestation(layer, "mediaType")).stream())
                    .limit(MAX_STATEMENTS)
                    .toList();
            return OciRegistryClient.mapConcurrently(envelopes, layer -> fetchBlob(at, layer));
        });
    }

    /** Returns manifests that refer to the digest; empty if the registry does not support the referrers API. */
    private Future<List<@Nullable JsonNode>> referrers(SourceLocation at, Digest digest) {
        return ociRegistryClient
                .send(HttpMethod.GET, at, "referrers/" + digest, OciRegistryClient.INDEX)
                .compose(response -> {
                    if (response.statusCode() != 200) {
                        OciRegistryClient.discard(response);
                        return Future.succeededFuture(List.<String>of());
                    }
                    return responseBodyReader
                            .readAll(response, MAX_MANIFEST)
                            .compose(body -> OciRegistryClient.parseJson(at, body))
                            .map(index -> stream(index.path("manifests"))
                                    .filter(each -> isAttestation(each, "artifactType"))
                                    .map(each -> each.path("digest").asText())
                                    .filter(Digest::isCanonical)
                                    .limit(MAX_STATEMENTS)
                                    .toList());
                })
                .compose(found -> OciRegistryClient.mapConcurrently(found, each -> findManifest(at, each)));
    }

    /** Returns null if the manifest does not exist. */
    private Future<@Nullable JsonNode> findManifest(SourceLocation at, String reference) {
        var what = "manifests/" + reference;
        return ociRegistryClient
                .send(HttpMethod.GET, at, what, OciRegistryClient.MANIFESTS)
                .compose(response -> {
                    if (response.statusCode() == 404) {
                        OciRegistryClient.discard(response);
                        return Future.succeededFuture();
                    }
                    return OciRegistryClient.requireOk(at, what, response)
                            .compose(ok -> responseBodyReader.readAll(response, MAX_MANIFEST))
                            .compose(body -> OciRegistryClient.parseJson(at, body));
                });
    }

    /** Reads a small blob that a manifest lists. */
    private Future<Buffer> fetchBlob(SourceLocation at, JsonNode layer) {
        var named = layer.path("digest").asText();
        if (!Digest.isCanonical(named)) {
            return Future.failedFuture(OciRegistryClient.refused(at, "has a signature without a valid digest"));
        }
        return ociRegistryClient
                .get(at, "blobs/" + named, OciRegistryClient.ANYTHING)
                .compose(response -> responseBodyReader.readAll(response, MAX_STATEMENT))
                .compose(body -> responseBodyReader
                        .digest(body)
                        .compose(actual -> OciRegistryClient.requireDigest(at, new Digest(named), actual))
                        .map(same -> body));
    }

    private static boolean isAttestation(JsonNode descriptor, String field) {
        return ATTESTATIONS.contains(descriptor.path(field).asText());
    }

    private static List<JsonNode> layers(@Nullable JsonNode manifest, Predicate<JsonNode> which) {
        return manifest == null
                ? List.of()
                : stream(manifest.path("layers"))
                        .filter(which)
                        .limit(MAX_STATEMENTS)
                        .toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static byte[] decodeOrEmpty(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // treated as an invalid signature
        }
    }
}
