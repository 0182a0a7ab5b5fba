package dev.slipway.catalog.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.source.ArtifactSource.Signed;
import dev.slipway.catalog.source.domain.Digest;
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

/** What others have said of an artifact and put beside it in its registry: where cosign puts it, or among the referrers. */
final class OciStatements {
    private static final String SIGNATURE = "dev.cosignproject.cosign/signature";
    private static final List<String> ATTESTATIONS =
            List.of("application/vnd.dsse.envelope.v1+json", "application/vnd.in-toto+json");
    private static final int MAX_MANIFEST = 1 << 20;
    private static final int MAX_STATEMENT = 1 << 20;
    private static final int MAX_STATEMENTS = 16;

    private final Registry registry;
    private final Bodies bodies;

    OciStatements(Registry registry, Bodies bodies) {
        this.registry = registry;
        this.bodies = bodies;
    }

    Future<List<Signed>> signatures(Location at, Digest digest) {
        return manifest(at, "sha256-" + digest.hex() + ".sig").compose(manifest -> {
            var layers = layers(manifest, layer -> layer.path("annotations").has(SIGNATURE));
            return Registry.eachOf(layers, layer -> statement(at, layer)
                    .map(payload -> new Signed(
                            payload,
                            decoded(layer.path("annotations").path(SIGNATURE).asText()))));
        });
    }

    Future<List<Buffer>> attestations(Location at, Digest digest) {
        var tagged = manifest(at, "sha256-" + digest.hex() + ".att");
        var referring = referrers(at, digest);
        return Future.all(tagged, referring).compose(ok -> {
            var manifests = new ArrayList<@Nullable JsonNode>(referring.result());
            manifests.add(0, tagged.result());
            var envelopes = manifests.stream()
                    .flatMap(manifest -> layers(manifest, layer -> isAttestation(layer, "mediaType")).stream())
                    .limit(MAX_STATEMENTS)
                    .toList();
            return Registry.eachOf(envelopes, layer -> statement(at, layer));
        });
    }

    /** Manifests that say of themselves that they are about this one. A registry without that API has none. */
    private Future<List<@Nullable JsonNode>> referrers(Location at, Digest digest) {
        return registry.ask(HttpMethod.GET, at, "referrers/" + digest, Registry.INDEX)
                .compose(response -> {
                    if (response.statusCode() != 200) {
                        Registry.discard(response);
                        return Future.succeededFuture(List.<String>of());
                    }
                    return bodies.whole(response, MAX_MANIFEST)
                            .compose(body -> Registry.parsed(at, body))
                            .map(index -> list(index.path("manifests"))
                                    .filter(each -> isAttestation(each, "artifactType"))
                                    .map(each -> each.path("digest").asText())
                                    .filter(Digest::isCanonical)
                                    .limit(MAX_STATEMENTS)
                                    .toList());
                })
                .compose(found -> Registry.eachOf(found, each -> manifest(at, each)));
    }

    /** A manifest; null if there is none. */
    private Future<@Nullable JsonNode> manifest(Location at, String reference) {
        var what = "manifests/" + reference;
        return registry.ask(HttpMethod.GET, at, what, Registry.MANIFESTS).compose(response -> {
            if (response.statusCode() == 404) {
                Registry.discard(response);
                return Future.succeededFuture();
            }
            return Registry.present(at, what, response)
                    .compose(ok -> bodies.whole(response, MAX_MANIFEST))
                    .compose(body -> Registry.parsed(at, body));
        });
    }

    /** A small blob that a manifest names. */
    private Future<Buffer> statement(Location at, JsonNode layer) {
        var named = layer.path("digest").asText();
        if (!Digest.isCanonical(named)) {
            return Future.failedFuture(Registry.refused(at, "has a signature of no digest"));
        }
        return registry.get(at, "blobs/" + named, Registry.ANYTHING)
                .compose(response -> bodies.whole(response, MAX_STATEMENT))
                .compose(body -> bodies.digest(body)
                        .compose(actual -> Registry.matching(at, new Digest(named), actual))
                        .map(same -> body));
    }

    private static boolean isAttestation(JsonNode descriptor, String field) {
        return ATTESTATIONS.contains(descriptor.path(field).asText());
    }

    private static List<JsonNode> layers(@Nullable JsonNode manifest, Predicate<JsonNode> which) {
        return manifest == null
                ? List.of()
                : list(manifest.path("layers"))
                        .filter(which)
                        .limit(MAX_STATEMENTS)
                        .toList();
    }

    private static Stream<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            return new byte[0]; // as good as any other wrong signature
        }
    }
}
