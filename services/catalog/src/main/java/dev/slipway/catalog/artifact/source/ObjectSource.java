package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.SourceException.Reason;
import dev.slipway.catalog.artifact.source.SsrfSafeClient.Request;
import dev.slipway.catalog.artifact.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Files on web servers and in S3-compatible stores. Signatures and attestations are files with a suffix. */
final class ObjectSource implements ArtifactSource {
    private static final int MAX_SIDECAR_BYTES = 1 << 20;

    private final SsrfSafeClient client;
    private final ResponseBodyReader responseBodyReader;
    private final SourceAuthenticator sourceAuthenticator;
    private final long maxBytes;

    ObjectSource(
            SsrfSafeClient client,
            ResponseBodyReader responseBodyReader,
            SourceAuthenticator sourceAuthenticator,
            long maxBytes) {
        this.client = client;
        this.responseBodyReader = responseBodyReader;
        this.sourceAuthenticator = sourceAuthenticator;
        this.maxBytes = maxBytes;
    }

    @Override
    public Future<FoundArtifact> find(SourceLocation at, Digest digest, boolean blob) {
        return send(at).compose(response -> {
            var status = response.statusCode();
            if (status != 200) {
                discard(response);
                return Future.failedFuture(problem(at, status));
            }
            return responseBodyReader
                    .readHash(response, maxBytes)
                    .compose(hashedBody -> hashedBody.digest().equals(digest)
                            ? Future.succeededFuture(new FoundArtifact(
                                    digest, response.getHeader("Content-Type"), hashedBody.sizeBytes(), List.of()))
                            : Future.failedFuture(new SourceException(
                                    Reason.MISMATCH,
                                    at.repository() + " has " + hashedBody.digest() + ", not " + digest + ".")));
        });
    }

    @Override
    public Future<List<String>> findMissingParts(SourceLocation at, FoundArtifact foundArtifact) {
        return Future.succeededFuture(List.of());
    }

    /** Reads a detached signature, Base64-encoded or binary. */
    @Override
    public Future<List<ArtifactSignature>> signatures(SourceLocation at, Digest digest) {
        return fetchSidecar(at, ".sig")
                .map(file -> file == null ? List.of() : List.of(new ArtifactSignature(null, decodeSignature(file))));
    }

    @Override
    public Future<List<Buffer>> attestations(SourceLocation at, Digest digest) {
        return fetchSidecar(at, ".att").map(file -> file == null ? List.of() : List.of(file));
    }

    private Future<@Nullable Buffer> fetchSidecar(SourceLocation at, String suffix) {
        var other = at.withSuffix(suffix);
        return send(other).compose(response -> {
            if (response.statusCode() == 200) {
                return responseBodyReader.readAll(response, MAX_SIDECAR_BYTES);
            }
            discard(response);
            // Some stores respond with 403 for files that do not exist.
            return response.statusCode() == 404 || response.statusCode() == 403
                    ? Future.succeededFuture()
                    : Future.failedFuture(problem(other, response.statusCode()));
        });
    }

    private Future<HttpClientResponse> send(SourceLocation at) {
        return sourceAuthenticator.send(
                at, Request.get(client.baseUrl(at) + "/" + at.path(), Map.of("Accept-Encoding", "identity")));
    }

    private static SourceException problem(SourceLocation at, int status) {
        return switch (status) {
            case 404, 410 -> new SourceException(Reason.NOT_FOUND, at.repository() + " does not exist.");
            default ->
                status >= 500 || status == 429
                        ? new SourceException(Reason.UNAVAILABLE, at.host() + " responded with status " + status + ".")
                        : new SourceException(Reason.REFUSED, at.host() + " responded with status " + status + ".");
        };
    }

    private static byte[] decodeSignature(Buffer file) {
        var text = file.toString(java.nio.charset.StandardCharsets.US_ASCII).strip();
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return file.getBytes();
        }
    }

    private static void discard(HttpClientResponse response) {
        response.request().reset();
    }
}
