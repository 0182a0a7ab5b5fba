package dev.slipway.gateway;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Contract;
import dev.slipway.gateway.GatewayConfig.RequestRates;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.ClusterSettings;
import dev.slipway.service.HealthRegistry;
import dev.slipway.service.ServiceContext;
import dev.slipway.service.ServiceRegistry;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

import java.io.OutputStream;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Starts a clustered gateway without services. Arguments: Kafka bootstrap, HTTP port, own bus port, bus ports of the others. */
final class ClusteredGatewayMain {
    /** Requests per second and address; a bucket holds twice as many. */
    static final int RATE = 50;

    private ClusteredGatewayMain() {}

    public static void main(String[] arguments) throws Exception {
        var bus = List.of(arguments).subList(2, arguments.length);
        var vertx = start(Telemetry.start(Map.of()), arguments[0], Integer.parseInt(arguments[1]), bus)
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        System.out.println("listening");
        System.in.transferTo(OutputStream.nullOutputStream());
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Starts a gateway; the first bus port is its own. */
    static Future<Vertx> start(Telemetry telemetry, String kafkaBootstrap, int httpPort, List<String> bus) {
        var members = bus.stream().map(port -> "127.0.0.1:" + port).toList();
        var cluster = new ClusterSettings(
                "gateways-" + bus.stream().sorted().collect(Collectors.joining("-")),
                "127.0.0.1",
                Integer.parseInt(bus.get(0)),
                members,
                null);
        var model = new AuthzModel();
        var serviceContext = new ServiceContext(
                Contract.load(),
                model,
                new TokenVerifier(model),
                new KafkaSettings(kafkaBootstrap, "limits.", 1, (short) 1, Map.of()),
                null,
                telemetry,
                new AuditActionRegistry(),
                new HealthRegistry(),
                new ServiceRegistry(),
                Clock.systemUTC(),
                1,
                true,
                Duration.ofSeconds(30),
                Duration.ofMinutes(5),
                Duration.ofHours(1));
        var config = new GatewayConfig(
                "127.0.0.1",
                httpPort,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                null,
                GatewayConfig.Cors.OFF,
                new RequestRates(0, RATE, 0),
                new GatewayConfig.StreamLimits(20, 50, 100));
        return ClusterSettings.startVertx(telemetry, cluster, new VertxOptions().setEventLoopPoolSize(1))
                .compose(vertx -> vertx.deployVerticle(new GatewayVerticle(serviceContext, config, 1))
                        .map(vertx));
    }
}
