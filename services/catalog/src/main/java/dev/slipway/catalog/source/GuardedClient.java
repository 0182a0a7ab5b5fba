package dev.slipway.catalog.source;

import dev.slipway.catalog.source.SourceException.Reason;
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
 * Asks hosts that tenants name. A name is resolved once, what it leads to is looked at, and the connection goes to that very address: a name
 * that leads elsewhere the next time gains nothing. Every redirect is looked at the same way.
 */
final class GuardedClient {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedClient.class);

    private static final int CONNECT_TIMEOUT_MS = 3_000;
    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_HEADER_BYTES = 16 << 10;

    private final Vertx vertx;
    private final SourceSettings settings;
    private final HttpClient http;

    /** What is asked: {@code uri} is absolute, by http or https. */
    record Question(HttpMethod method, URI uri, Map<String, String> headers) {
        static Question get(String uri, Map<String, String> headers) {
            return new Question(HttpMethod.GET, URI.create(uri), headers);
        }

        Question with(String authorization) {
            var more = new HashMap<>(headers);
            more.put("Authorization", authorization);
            return new Question(method, uri, more);
        }

        /** The same elsewhere. What was for the first host alone does not go along. */
        private Question at(URI other) {
            var kept = new HashMap<>(headers);
            if (!other.getAuthority().equals(uri.getAuthority())
                    || !other.getScheme().equals(uri.getScheme())) {
                kept.remove("Authorization");
            }
            return new Question(method, other, kept);
        }
    }

    GuardedClient(Vertx vertx, SourceSettings settings) {
        this.vertx = vertx;
        this.settings = settings;
        var options = new HttpClientOptions()
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setDecompressionSupported(false) // a digest is of the bytes as they are sent
                .setKeepAliveTimeout(10)
                .setForceSni(true)
                .setTracingPolicy(TracingPolicy.IGNORE);
        if (!settings.authorities().isEmpty()) {
            var trusted = new PemTrustOptions();
            settings.authorities().forEach(trusted::addCertPath);
            options.setTrustOptions(trusted);
        }
        this.http = vertx.createHttpClient(options);
    }

    /** The scheme that a host is spoken to with. */
    String base(Location at) {
        var scheme = settings.isPlain(at.host(), at.port()) ? "http" : "https";
        return scheme + "://" + at.host() + ":" + at.port();
    }

    /** The answer, its body not yet read: paused, as its reader has to be ready for it. */
    Future<HttpClientResponse> ask(Question question) {
        return ask(question, MAX_REDIRECTS);
    }

    private Future<HttpClientResponse> ask(Question question, int redirects) {
        return pinned(question.uri)
                .compose(options -> {
                    options.setMethod(question.method).setFollowRedirects(false);
                    return send(options, question);
                })
                .compose(response -> isRedirect(response.statusCode())
                        ? redirected(question, response, redirects)
                        : Future.succeededFuture(response));
    }

    private Future<HttpClientResponse> send(RequestOptions options, Question question) {
        return http.request(options)
                .compose(request -> {
                    question.headers.forEach(request::putHeader);
                    return request.send();
                })
                .map(response -> {
                    response.pause();
                    return response;
                })
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> {
                    LOG.atInfo()
                            .addKeyValue("host", question.uri.getHost())
                            .setCause(e)
                            .log("an artifact source does not answer");
                    return Future.failedFuture(unavailable(question.uri.getHost()));
                });
    }

    private Future<HttpClientResponse> redirected(Question question, HttpClientResponse response, int redirects) {
        response.request().reset();
        var location = response.getHeader("Location");
        URI next;
        try {
            next = question.uri.resolve(location == null ? "" : location);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to what is no address"));
        }
        if (next.getHost() == null || !List.of("http", "https").contains(next.getScheme())) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to what is not asked"));
        }
        if (location == null || redirects == 0) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects without end"));
        }
        if (question.uri.getScheme().equals("https") && !"https".equals(next.getScheme())) {
            return Future.failedFuture(refused(question.uri.getHost(), "redirects to where there is no TLS"));
        }
        return ask(question.at(next), redirects - 1);
    }

    /** Where to connect to: the address is decided here, the host's name only goes into the request and its certificate's check. */
    private Future<RequestOptions> pinned(URI uri) {
        var host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        var secure = "https".equals(uri.getScheme());
        var port = uri.getPort() >= 0 ? uri.getPort() : secure ? 443 : 80;
        if (host.isEmpty() || uri.getRawUserInfo() != null || !(secure || "http".equals(uri.getScheme()))) {
            return Future.failedFuture(refused(host, "is not an address that is asked"));
        }
        if (!secure && !settings.isPlain(host, port)) {
            return Future.failedFuture(new SourceException(
                    Reason.NOT_ALLOWED, host + " would be asked without TLS, which is not allowed."));
        }
        return resolved(host, port).map(address -> new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(new InetSocketAddress(address, port)))
                .setHost(host)
                .setPort(port)
                .setSsl(secure)
                .setURI(uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery())));
    }

    /** Any address that is not the internet's spoils the name: which one a connection would take is not left to chance. */
    private Future<InetAddress> resolved(String host, int port) {
        return vertx.executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false)
                .timeout(settings.deadline().toMillis(), TimeUnit.MILLISECONDS)
                .recover(e -> Future.failedFuture(unavailable(host)))
                .compose(found -> {
                    if (!settings.mayBePrivate(host, port) && !found.stream().allMatch(PublicAddresses::contains)) {
                        return Future.failedFuture(new SourceException(
                                Reason.NOT_ALLOWED, host + " is at an address that is not reached from here."));
                    }
                    var first = found.stream().min(Comparator.comparing(a -> !(a instanceof Inet4Address)));
                    return Future.succeededFuture(named(host, first.orElseThrow()));
                });
    }

    private static InetAddress named(String host, InetAddress address) {
        try {
            return InetAddress.getByAddress(host, Arrays.copyOf(address.getAddress(), address.getAddress().length));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of a length of its own", e);
        }
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private static SourceException unavailable(String host) {
        return new SourceException(Reason.UNAVAILABLE, host + " does not answer in time.");
    }

    private static SourceException refused(String host, String what) {
        return new SourceException(Reason.REFUSED, host + " " + what + ".");
    }
}
