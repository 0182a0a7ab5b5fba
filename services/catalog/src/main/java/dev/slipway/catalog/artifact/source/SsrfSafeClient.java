package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.SourceException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.tracing.TracingPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP client for hosts that tenants name. It resolves a name once, checks the addresses, and connects to exactly the checked address, so
 * that DNS rebinding has no effect. Redirects are checked in the same way.
 */
final class SsrfSafeClient {
    private static final Logger LOG = LoggerFactory.getLogger(SsrfSafeClient.class);

    private static final int CONNECT_TIMEOUT_MS = 3_000;
    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_HEADER_BYTES = 16 << 10;

    private final Vertx vertx;
    private final SourceSettings settings;
    private final HttpClient http;

    /** A request to an absolute http or https URI. */
    record Request(HttpMethod method, URI uri, Map<String, String> headers) {
        static Request get(String uri, Map<String, String> headers) {
            return new Request(HttpMethod.GET, URI.create(uri), headers);
        }

        Request withAuthorization(String authorization) {
            var more = new HashMap<>(headers);
            more.put("Authorization", authorization);
            return new Request(method, uri, more);
        }

        /** Returns the request for a redirect. Credentials are only kept for the same host and scheme. */
        private Request redirectedTo(URI other) {
            var kept = new HashMap<>(headers);
            if (!other.getAuthority().equals(uri.getAuthority())
                    || !other.getScheme().equals(uri.getScheme())) {
                kept.remove("Authorization");
            }
            return new Request(method, other, kept);
        }
    }

    SsrfSafeClient(Vertx vertx, SourceSettings settings) {
        this.vertx = vertx;
        this.settings = settings;
        var options = new HttpClientOptions()
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setDecompressionSupported(false) // digests are computed over the bytes as sent
                .setKeepAliveTimeout(10)
                .setForceSni(true)
                .setTracingPolicy(TracingPolicy.IGNORE);
        if (!settings.caFiles().isEmpty()) {
            var trusted = new PemTrustOptions();
            settings.caFiles().forEach(trusted::addCertPath);
            options.setTrustOptions(trusted);
        }
        this.http = vertx.createHttpClient(options);
    }

    /** Returns scheme, host and port of a location. */
    String baseUrl(SourceLocation at) {
        var scheme = settings.isPlain(at.host(), at.port()) ? "http" : "https";
        return scheme + "://" + at.host() + ":" + at.port();
    }

    /** Returns the response, paused before its body is read. */
    Future<HttpClientResponse> send(Request question) {
        return send(question, MAX_REDIRECTS);
    }

    private Future<HttpClientResponse> send(Request question, int redirects) {
        return pinAddress(question.uri)
                .compose(options -> {
                    options.setMethod(question.method).setFollowRedirects(false);
                    return sendOnce(options, question);
                })
                .compose(response -> isRedirect(response.statusCode())
                        ? followRedirect(question, response, redirects)
                        : Future.succeededFuture(response));
    }

    private Future<HttpClientResponse> sendOnce(RequestOptions options, Request question) {
        return http.request(options)
                .compose(request -> {
                    question.headers.forEach(request::putHeader);
                    return request.send().map(response -> {
                        response.pause();
                        return response;
                    });
                })
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> {
                    LOG.atInfo()
                            .addKeyValue("host", question.uri.getHost())
                            .setCause(e)
                            .log("artifact source request failed");
                    return Future.failedFuture(unavailable(question.uri.getHost()));
                });
    }

    private Future<HttpClientResponse> followRedirect(Request question, HttpClientResponse response, int redirects) {
        response.request().reset();
        var location = response.getHeader("Location");
        URI next;
        try {
            next = question.uri.resolve(location == null ? "" : location);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to an invalid address"));
        }
        if (next.getHost() == null || !List.of("http", "https").contains(next.getScheme())) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to an unsupported address"));
        }
        if (location == null || redirects == 0) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects too often"));
        }
        if (question.uri.getScheme().equals("https") && !"https".equals(next.getScheme())) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to an address without TLS"));
        }
        return send(question.redirectedTo(next), redirects - 1);
    }

    /** Selects the address to connect to; the host name is only used in the request and for certificate verification. */
    private Future<RequestOptions> pinAddress(URI uri) {
        var host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        var secure = "https".equals(uri.getScheme());
        var port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        if (host.isEmpty() || uri.getRawUserInfo() != null || !(secure || "http".equals(uri.getScheme()))) {
            return Future.failedFuture(refused(host, "is not a valid address"));
        }
        if (!secure && !settings.isPlain(host, port)) {
            return Future.failedFuture(new SourceException(Reason.NOT_ALLOWED, host + " is not allowed without TLS."));
        }
        return resolveAddress(host, port).map(address -> new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(new InetSocketAddress(address, port)))
                .setHost(host)
                .setPort(port)
                .setSsl(secure)
                .setURI(uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery())));
    }

    /** Rejects a name if any of its addresses is not public. */
    private Future<InetAddress> resolveAddress(String host, int port) {
        return vertx.executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false)
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> Future.failedFuture(unavailable(host)))
                .compose(found -> {
                    if (!settings.isPrivateAllowed(host, port)
                            && !found.stream().allMatch(PublicAddresses::contains)) {
                        return Future.failedFuture(new SourceException(
                                Reason.NOT_ALLOWED, host + " resolves to an address that is not allowed."));
                    }
                    var first = found.stream().min(Comparator.comparing(a -> !(a instanceof Inet4Address)));
                    return Future.succeededFuture(withHostName(host, first.orElseThrow()));
                });
    }

    private static InetAddress withHostName(String host, InetAddress address) {
        try {
            return InetAddress.getByAddress(host, Arrays.copyOf(address.getAddress(), address.getAddress().length));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("invalid address length", e);
        }
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static SourceException unavailable(String host) {
        return new SourceException(Reason.UNAVAILABLE, host + " did not respond in time.");
    }

    private static SourceException refused(String host, String what) {
        return new SourceException(Reason.REFUSED, host + " " + what + ".");
    }
}
