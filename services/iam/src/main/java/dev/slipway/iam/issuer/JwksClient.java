package dev.slipway.iam.issuer;

import dev.slipway.authz.JwksParser;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Fetches the keys of external issuers, with limits on the size and the duration of every response. Redirects are not followed. */
final class JwksClient {
    private static final int CONNECT_TIMEOUT_MS = 3_000;
    private static final int TIMEOUT_MS = 5_000;
    private static final int MAX_BYTES = 256 << 10;

    private final HttpClient http;

    /** An OpenID Connect discovery document. */
    private record Discovery(
            @Nullable String issuer, @Nullable String jwksUri) {}

    JwksClient(Vertx vertx) {
        this.http = vertx.createHttpClient(new HttpClientOptions()
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setTracingPolicy(io.vertx.core.tracing.TracingPolicy.IGNORE));
    }

    Future<List<JwksParser.PublicJwk>> fetch(OidcIssuer issuer) {
        return resolveJwksUrl(issuer)
                .compose(this::get)
                .map(body -> JwksParser.parse(body.toString(StandardCharsets.UTF_8)));
    }

    private Future<String> resolveJwksUrl(OidcIssuer issuer) {
        if (issuer.jwksUrl() != null) {
            return Future.succeededFuture(issuer.jwksUrl());
        }
        return get(issuer.issuer().replaceAll("/+$", "") + "/.well-known/openid-configuration")
                .map(body -> {
                    var discovered = parse(body);
                    if (!issuer.issuer().equals(discovered.issuer)) {
                        throw new IllegalArgumentException("the discovery document names another issuer");
                    }
                    if (discovered.jwksUri == null) {
                        throw new IllegalArgumentException("the discovery document has no jwks_uri");
                    }
                    return discovered.jwksUri;
                });
    }

    private Future<Buffer> get(String address) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setAbsoluteURI(address)
                .setFollowRedirects(false)
                .setTimeout(TIMEOUT_MS);
        return http.request(options)
                .compose(request ->
                        request.putHeader("Accept", "application/json").send().compose(JwksClient::body))
                .timeout(2L * TIMEOUT_MS, java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    private static Future<Buffer> body(HttpClientResponse response) {
        if (response.statusCode() != 200) {
            return Future.failedFuture(new IOException("answered " + response.statusCode()));
        }
        var promise = Promise.<Buffer>promise();
        var body = Buffer.buffer();
        response.handler(chunk -> {
            if (body.length() + chunk.length() > MAX_BYTES) {
                promise.tryFail(new IOException("answered more than " + MAX_BYTES + " bytes"));
                response.request().connection().close();
            } else {
                body.appendBuffer(chunk);
            }
        });
        response.exceptionHandler(promise::tryFail);
        response.endHandler(end -> promise.tryComplete(body));
        return promise.future();
    }

    private static Discovery parse(Buffer body) {
        try {
            return Json.toRecord(Json.parse(body.getBytes()), Discovery.class);
        } catch (IOException e) {
            throw new IllegalArgumentException("not JSON");
        }
    }
}
