package dev.slipway.gateway;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Contract;
import dev.slipway.gateway.GatewayConfig.Cors;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import dev.slipway.gateway.GatewayConfig.StreamLimits;
import dev.slipway.gateway.GatewayConfig.Tls;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.BusCodecs;
import dev.slipway.service.Call;
import dev.slipway.service.HealthRegistry;
import dev.slipway.service.Reply;
import dev.slipway.service.ServiceContext;
import dev.slipway.service.ServiceRegistry;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A gateway in this JVM; tests provide the services behind it. */
final class GatewayUnderTest implements AutoCloseable {
    private static final Contract CONTRACT = Contract.load();

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx = Vertx.vertx();
    private final GatewayVerticle gateway;
    private final String scheme;

    GatewayUnderTest() {
        this(Cors.OFF, null);
    }

    GatewayUnderTest(Cors cors, @Nullable Tls tls) {
        this(cors, tls, new RequestRates(0, 0, 0), "gateway.");
    }

    GatewayUnderTest(RequestRates rates, String topicPrefix) {
        this(Cors.OFF, null, rates, topicPrefix);
    }

    GatewayUnderTest(Cors cors, @Nullable Tls tls, RequestRates rates, String topicPrefix) {
        BusCodecs.register(vertx);
        scheme = tls == null ? "http" : "https";
        var model = new AuthzModel();
        var service = new ServiceContext(
                CONTRACT,
                model,
                new TokenVerifier(model),
                new KafkaSettings(TestInfrastructure.shared().kafkaBootstrap(), topicPrefix, 1, (short) 1, Map.of()),
                null,
                telemetry,
                new AuditActionRegistry(),
                new HealthRegistry(),
                new ServiceRegistry(),
                Clock.systemUTC(),
                1,
                false,
                Duration.ofSeconds(30),
                Duration.ofMinutes(5),
                Duration.ofHours(1));
        gateway = new GatewayVerticle(
                service,
                new GatewayConfig(
                        "127.0.0.1",
                        0,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5),
                        tls,
                        cors,
                        rates,
                        new StreamLimits(20, 50, 100)),
                1);
        await(vertx.deployVerticle(gateway));
    }

    /** Answers calls of an operation. */
    void serve(String operationId, Function<Call, Reply> handler) {
        await(vertx.eventBus()
                .<Call>localConsumer(operationId, message -> message.reply(handler.apply(message.body())))
                .completion());
    }

    Vertx vertx() {
        return vertx;
    }

    int port() {
        return gateway.port();
    }

    String url(String path) {
        return scheme + "://127.0.0.1:" + port() + path;
    }

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        await(vertx.close());
        telemetry.close();
    }
}
