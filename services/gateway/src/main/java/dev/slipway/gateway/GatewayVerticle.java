package dev.slipway.gateway;

import dev.slipway.service.Frame;
import dev.slipway.service.Health.Status;
import io.micrometer.core.instrument.FunctionCounter;
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

    private final Frame frame;
    private final GatewayConfig config;
    private @Nullable HttpServer server;
    private @Nullable CallRecords calls;
    private @Nullable RateLimitAudit held;

    public GatewayVerticle(Frame frame, GatewayConfig config) {
        this.frame = frame;
        this.config = config;
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
        var edge = new Edge(vertx, frame, records, limits, config.replyTimeout());
        var created = vertx.createHttpServer(options())
                .requestHandler(edge::handle)
                .invalidRequestHandler(edge::handleInvalid);
        server = created;
        return created.listen(config.port(), config.host()).onSuccess(listening -> {
            frame.health().register("gateway", () -> new Status(true, "listening on " + listening.actualPort()));
            LOG.atInfo().addKeyValue("port", listening.actualPort()).log("listening");
        });
    }

    /** The port that is listened on, once started. */
    public int port() {
        return server == null ? -1 : server.actualPort();
    }

    /** Accepts nothing more, and lets what is under way be answered. */
    @Override
    public Future<?> stop() {
        frame.health().remove("gateway");
        var stopped = server == null ? Future.<Void>succeededFuture() : server.shutdown(10, TimeUnit.SECONDS);
        return stopped.onComplete(done -> {
            if (calls != null) {
                calls.stop();
            }
            if (held != null) {
                held.stop();
            }
        });
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
