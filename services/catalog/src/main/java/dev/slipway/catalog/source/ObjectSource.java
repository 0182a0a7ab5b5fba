package dev.slipway.catalog.source;

import dev.slipway.catalog.source.GuardedClient.Question;
import dev.slipway.catalog.source.SourceException.Reason;
import dev.slipway.catalog.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Objects that are got by their address, from a web server or a store that speaks S3. Their signatures are files beside them. */
final class ObjectSource implements ArtifactSource {
    private static final int MAX_BESIDE = 1 << 20;

    private final GuardedClient client;
    private final Bodies bodies;
    private final Accounts accounts;
    private final long maxBytes;

    ObjectSource(GuardedClient client, Bodies bodies, Accounts accounts, long maxBytes) {
        this.client = client;
        this.bodies = bodies;
        this.accounts = accounts;
        this.maxBytes = maxBytes;
    }

    @Override
    public Future<Found> find(Location at, Digest digest, boolean blob) {
        return ask(at).compose(response -> {
            var status = response.statusCode();
            if (status != 200) {
                discard(response);
                return Future.failedFuture(problem(at, status));
            }
            return bodies.hashed(response, maxBytes)
                    .compose(hashed -> hashed.digest().equals(digest)
                            ? Future.succeededFuture(new Found(
                                    digest, response.getHeader("Content-Type"), hashed.sizeBytes(), List.of()))
                            : Future.failedFuture(new SourceException(
                                    Reason.MISMATCH,
                                    at.repository() + " has " + hashed.digest() + " there, not " + digest + ".")));
        });
    }

    @Override
    public Future<List<String>> missing(Location at, Found found) {
        return Future.succeededFuture(List.of());
    }

    /** A detached signature of the object, in Base64 or as it is. */
    @Override
    public Future<List<Signed>> signatures(Location at, Digest digest) {
        return beside(at, ".sig").map(file -> file == null ? List.of() : List.of(new Signed(null, signature(file))));
    }

    @Override
    public Future<List<Buffer>> attestations(Location at, Digest digest) {
        return beside(at, ".att").map(file -> file == null ? List.of() : List.of(file));
    }

    private Future<@Nullable Buffer> beside(Location at, String suffix) {
        var other = at.beside(suffix);
        return ask(other).compose(response -> {
            if (response.statusCode() == 200) {
                return bodies.whole(response, MAX_BESIDE);
            }
            discard(response);
            // A store that does not tell strangers what it has not, answers so.
            return response.statusCode() == 404 || response.statusCode() == 403
                    ? Future.succeededFuture()
                    : Future.failedFuture(problem(other, response.statusCode()));
        });
    }

    private Future<HttpClientResponse> ask(Location at) {
        return accounts.ask(at, Question.get(client.base(at) + "/" + at.path(), Map.of("Accept-Encoding", "identity")));
    }

    private static SourceException problem(Location at, int status) {
        return switch (status) {
            case 404, 410 -> new SourceException(Reason.NOT_FOUND, "There is nothing at " + at.repository() + ".");
            default ->
                status >= 500 || status == 429
                        ? new SourceException(Reason.UNAVAILABLE, at.host() + " answers " + status + ".")
                        : new SourceException(Reason.REFUSED, at.host() + " answers " + status + ".");
        };
    }

    private static byte[] signature(Buffer file) {
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
