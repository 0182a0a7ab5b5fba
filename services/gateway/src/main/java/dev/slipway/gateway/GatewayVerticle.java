package dev.slipway.gateway;

import dev.slipway.gateway.EventStream.Waits;
import dev.slipway.service.Frame;
import dev.slipway.service.Health.Status;
import io.micrometer.core.instrument.FunctionCounter;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/** The gateway: wiring only. */
public final class GatewayVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayVerticle.class);

    /** What Vert.x takes for a free port that several servers share. */
    private static final int ANY_SHARED_PORT = -1;

    private static final long QUIET_MS = 3_000;
    private static final long SLOW_MS = 10_000;

    private final Frame frame;
    private final GatewayConfig config;
    private final int listeners;
    private volatile int port = -1;
    private @Nullable CallRecords calls;
    private @Nullable RateLimitAudit held;

    /** With so many listeners: as many as there are event loops serves from all of them. */
    public GatewayVerticle(Frame frame, GatewayConfig config, int listeners) {
        this.frame = frame;
        this.config = config;
        this.listeners = listeners;
    }

    @Override
    public Future<?> start() {
        var records = new CallRecords(frame.kafka(), frame.authz(), frame.clock());
        calls = records;
        FunctionCounter.builder("slipway.calls.dropped", records, CallRecords::dropped)
                .description("Call records that found no room on their way to Kafka")
                .register(frame.telemetry().metrics());
        var audit = new RateLimitAudit(frame.kafka(), frame.clock());
        held = audit;
        var limits = new RateLimits(
                config.rates(), frame.clustered(), audit, frame.telemetry().metrics());
        if (frame.clustered()) {
            limits.share(vertx);
        }
        // A service that waits for something to tell has to answer before the gateway gives up on it.
        var waits = new Waits(Math.min(QUIET_MS, config.replyTimeout().toMillis() / 2), SLOW_MS);
        var streams =
                new Streams(vertx, config.streams(), waits, frame.telemetry().metrics());
        var bodies = new Bodies(vertx, config.bodyTimeout());
        var edge = new Edge(vertx, frame, records, limits, streams, bodies, config.replyTimeout());
        var deployment = new DeploymentOptions().setInstances(listeners);
        return vertx.deployVerticle(() -> new Listener(edge, streams), deployment)
                .onSuccess(deployed -> {
                    frame.health().register("gateway", () -> new Status(true, "listening on " + port));
                    LOG.atInfo().addKeyValue("port", port).log("listening");
                });
    }

    /** One of the servers that share the port: each serves its connections on an event loop of its own. */
    private final class Listener extends VerticleBase {
        private final Edge edge;
        private final Streams streams;
        private @Nullable HttpServer server;

        Listener(Edge edge, Streams streams) {
            this.edge = edge;
            this.streams = streams;
        }

        @Override
        public Future<?> start() {
            var created = vertx.createHttpServer(options())
                    .requestHandler(edge::handle)
                    .invalidRequestHandler(edge::handleInvalid);
            server = created;
            return created.listen(config.port() == 0 ? ANY_SHARED_PORT : config.port(), config.host())
                    .onSuccess(listening -> port = listening.actualPort());
        }

        /** Accepts nothing more, and lets what is under way be answered, but for what would go on for ever. */
        @Override
        public Future<?> stop() {
            streams.endAll();
            return server == null ? Future.succeededFuture() : server.shutdown(10, TimeUnit.SECONDS);
        }
    }

    /** The port that is listened on, once started. */
    public int port() {
        return port;
    }

    /** The listeners have stopped by now. */
    @Override
    public Future<?> stop() {
        frame.health().remove("gateway");
        if (calls != null) {
            calls.stop();
        }
        if (held != null) {
            held.stop();
        }
        return Future.succeededFuture();
    }

    private HttpServerOptions options() {
        var options = new HttpServerOptions()
                .setHttp2ClearTextEnabled(
                        false) // an upgrade in mid-request is one way more to get stuck, and gains nothing here
                .setIdleTimeout(75)
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setMaxInitialLineLength(8_192)
                .setMaxHeaderSize(16_384)
                .setTcpNoDelay(true);
        var tls = config.tls();
        return tls == null
                ? options
                : options.setSsl(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertPath(tls.certificateFile())
                                .setKeyPath(tls.keyFile()));
    }
}
