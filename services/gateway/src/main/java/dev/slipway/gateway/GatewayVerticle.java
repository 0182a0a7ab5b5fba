package dev.slipway.gateway;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.gateway.EventStream.StreamTimeouts;
import dev.slipway.gateway.StrictRequestDecoder.RejectedRequestException;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.service.ServiceContext;
import io.micrometer.core.instrument.FunctionCounter;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Wires and starts the gateway. */
public final class GatewayVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayVerticle.class);

    /** Tells Vert.x to choose a free port that several servers share. */
    private static final int ANY_SHARED_PORT = -1;

    private static final long STREAM_POLL_WAIT_MS = 3_000;
    private static final long SLOW_READER_MS = 10_000;
    private static final int MAX_REQUEST_LINE_BYTES = 8_192;
    private static final int MAX_HEADER_BYTES = 16_384;

    private final ServiceContext service;
    private final GatewayConfig config;
    private final int listeners;
    private volatile int port = -1;
    private @Nullable AccessLog accessLog;
    private @Nullable RateLimitAudit rateLimitAudit;

    /**
     * Creates a gateway.
     *
     * @param listeners the number of servers that share the port; one per event loop uses all of them
     */
    public GatewayVerticle(ServiceContext service, GatewayConfig config, int listeners) {
        this.service = service;
        this.config = config;
        this.listeners = listeners;
    }

    @Override
    public Future<?> start() {
        var metrics = service.telemetry().metrics();
        var requests = new AccessLog(service.kafka(), service.authz(), service.clock());
        accessLog = requests;
        FunctionCounter.builder("slipway.calls.dropped", requests, AccessLog::dropped)
                .description("Access-log entries dropped because the send buffer was full")
                .register(metrics);
        FunctionCounter.builder("slipway.requests.refused", requests, AccessLog::refused)
                .description(
                        "Requests rejected without a principal, or by a rate limit; the access log aggregates them")
                .register(metrics);
        var audit = new RateLimitAudit(service.kafka(), service.auditActions(), service.clock());
        rateLimitAudit = audit;
        var limiter = new RateLimiter(config.rates(), service.clustered(), audit, metrics);
        if (service.clustered()) {
            limiter.startSharing(vertx);
        }
        // A poll has to return before the gateway stops waiting for the reply.
        var timeouts = new StreamTimeouts(
                Math.min(STREAM_POLL_WAIT_MS, config.replyTimeout().toMillis() / 2), SLOW_READER_MS);
        var streams = new EventStreamRegistry(vertx, config.streams(), timeouts, service.authz()::orgOf, metrics);
        var router = GatewayRouter.create(
                vertx,
                config,
                new CorrelationHandler(requests, config.bodyTimeout()),
                limiter,
                List.of(
                        new OperationResolver(service.contract().operations()),
                        new AuthenticationHandler(service, limiter),
                        new RequestBodyHandler(config.bodyTimeout()),
                        new GatewayHandler(vertx, service, limiter, streams, config.replyTimeout())),
                new ApiDocuments(vertx));
        var deployment = new DeploymentOptions().setInstances(listeners);
        vertx.setPeriodic(AccessLog.REFUSAL_WINDOW_MS, timer -> requests.flushRefusals());
        return vertx.deployVerticle(() -> new Listener(router, requests, limiter, streams), deployment)
                .onSuccess(deployed -> {
                    service.health().register("gateway", () -> new Status(true, "listening on " + port));
                    LOG.atInfo().addKeyValue("port", port).log("gateway listening");
                });
    }

    /** One of the servers that share the port; each serves its connections on its own event loop. */
    private final class Listener extends VerticleBase {
        private final Router router;
        private final AccessLog requests;
        private final RateLimiter limiter;
        private final EventStreamRegistry streams;
        private @Nullable HttpServer server;

        Listener(Router router, AccessLog requests, RateLimiter limiter, EventStreamRegistry streams) {
            this.router = router;
            this.requests = requests;
            this.limiter = limiter;
            this.streams = streams;
        }

        @Override
        public Future<?> start() {
            var options = serverOptions();
            var created = vertx.createHttpServer(options)
                    .connectionHandler(connection -> StrictRequestDecoder.install(connection, options))
                    .requestHandler(router)
                    .invalidRequestHandler(this::rejectInvalid);
            server = created;
            return created.listen(config.port() == 0 ? ANY_SHARED_PORT : config.port(), config.host())
                    .onSuccess(listening -> port = listening.actualPort());
        }

        /** Stops accepting connections and completes the requests in progress; event streams are ended. */
        @Override
        public Future<?> stop() {
            streams.closeAll();
            return server == null ? Future.succeededFuture() : server.shutdown(10, TimeUnit.SECONDS);
        }

        /** Answers what the HTTP decoder could not parse; the router never sees it. */
        private void rejectInvalid(HttpServerRequest request) {
            limiter.countInvalid(request);
            var problem = Problem.of(ErrorCode.INVALID_REQUEST, describeFault(request));
            var correlationId = Ids.next().toString();
            var response = request.response();
            GatewayRouter.addSecurityHeaders(response, config.tls() != null);
            response.setStatusCode(ErrorEnvelope.status(problem))
                    .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                    .putHeader(HttpHeaders.CACHE_CONTROL, RequestContext.NO_STORE)
                    .putHeader(RequestContext.CORRELATION_ID, correlationId)
                    .end(Buffer.buffer(ErrorEnvelope.of(problem, correlationId).toBytes()))
                    .onComplete(done -> requests.recordInvalid(
                            request, correlationId, problem.code().code()));
            // After the current read: a connection that is closed with unread bytes is reset, and the client loses the
            // response.
            vertx.runOnContext(read -> {
                var ignored = request.connection().close();
            });
        }
    }

    private static String describeFault(HttpServerRequest request) {
        var cause = request.decoderResult().cause();
        if (cause instanceof RejectedRequestException rejected) {
            return String.valueOf(rejected.getMessage());
        }
        if (cause instanceof TooLongHttpLineException) {
            return "The request line is longer than " + (MAX_REQUEST_LINE_BYTES >> 10) + " KiB.";
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return "The request headers are larger than " + (MAX_HEADER_BYTES >> 10) + " KiB.";
        }
        return "The request is not valid HTTP.";
    }

    /** Returns the port of the listeners; -1 before they have started. */
    public int port() {
        return port;
    }

    /** Called after the listeners have stopped. */
    @Override
    public Future<?> stop() {
        service.health().remove("gateway");
        if (accessLog != null) {
            accessLog.stop();
        }
        if (rateLimitAudit != null) {
            rateLimitAudit.stop();
        }
        return Future.succeededFuture();
    }

    /**
     * HTTP/1.1, and HTTP/2 by ALPN over TLS. Not HTTP/2 in clear text: detecting it, Vert.x decodes the first HTTP/1.1 request before the
     * {@link StrictRequestDecoder} can be installed.
     */
    private HttpServerOptions serverOptions() {
        var options = new HttpServerOptions()
                .setHttp2ClearTextEnabled(false)
                // There are no WebSockets: without these, each request passes through one handler less.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setIdleTimeout(75)
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setTcpNoDelay(true);
        options.getInitialSettings().setMaxHeaderListSize(MAX_HEADER_BYTES);
        var tls = config.tls();
        return tls == null
                ? options
                : options.setSsl(true)
                        .setUseAlpn(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertPath(tls.certificateFile())
                                .setKeyPath(tls.keyFile()));
    }
}
