package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.zip.CRC32;

/** Serves one class-path resource, with revalidation and compression. The resource is loaded on the first request and kept in memory. */
final class StaticDocument implements Handler<RoutingContext> {
    private static final String ALLOW = "GET, HEAD, OPTIONS";

    private final Vertx vertx;
    private final String path;
    private final String resource;
    private final String contentType;
    private final Map<String, String> headers;
    private volatile @Nullable Content content;

    private record Content(Buffer plain, Buffer compressed, String etag) {
        static Content load(String resource) throws IOException {
            try (var in = open(resource)) {
                var bytes = in.readAllBytes();
                var checksum = new CRC32();
                checksum.update(bytes);
                // Weak, because the plain and the compressed representation share it.
                var etag = "W/\"" + Long.toHexString(checksum.getValue()) + "-" + bytes.length + "\"";
                return new Content(Buffer.buffer(bytes), ResponseWriter.compress(bytes), etag);
            }
        }
    }

    StaticDocument(Vertx vertx, String path, String resource, String contentType, Map<String, String> headers) {
        this.vertx = vertx;
        this.path = path;
        this.resource = resource;
        this.contentType = contentType;
        this.headers = headers;
    }

    String path() {
        return path;
    }

    @Override
    public void handle(RoutingContext routing) {
        var method = routing.request().method();
        if (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD)) {
            content().onSuccess(loaded -> send(routing, loaded)).onFailure(routing::fail);
            return;
        }
        routing.response().putHeader(HttpHeaders.ALLOW, ALLOW);
        if (method.equals(HttpMethod.OPTIONS)) {
            ResponseWriter.endEmpty(routing, HttpResponseStatus.NO_CONTENT);
        } else {
            routing.fail(Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "This path supports " + ALLOW + ".")
                    .asException());
        }
    }

    private void send(RoutingContext routing, Content loaded) {
        var response = routing.response();
        headers.forEach(response::putHeader);
        response.putHeader(HttpHeaders.CACHE_CONTROL, "public, no-cache").putHeader(HttpHeaders.ETAG, loaded.etag);
        if (routing.isFresh()) {
            response.headers().add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
            ResponseWriter.endEmpty(routing, HttpResponseStatus.NOT_MODIFIED);
        } else {
            var body = ResponseWriter.negotiateGzip(routing) ? loaded.compressed : loaded.plain;
            ResponseWriter.end(routing, HttpResponseStatus.OK.code(), contentType, body);
        }
    }

    private Future<Content> content() {
        var loaded = content;
        return loaded == null ? vertx.executeBlocking(this::load) : Future.succeededFuture(loaded);
    }

    private Content load() throws IOException {
        var loaded = Content.load(resource);
        content = loaded;
        return loaded;
    }

    static InputStream open(String resource) throws IOException {
        var in = StaticDocument.class.getClassLoader().getResourceAsStream(resource);
        if (in == null) {
            throw new FileNotFoundException("not on the class path: " + resource);
        }
        return in;
    }
}
