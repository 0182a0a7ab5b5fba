package dev.slipway.audit.log;

import dev.slipway.audit.AuditConfig;
import dev.slipway.audit.AuditVerticle;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Contract;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.RecordKeys;
import dev.slipway.messaging.Topics;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.BusCodecs;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.HealthRegistry;
import dev.slipway.service.ServiceContext;
import dev.slipway.service.ServiceRegistry;
import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.VertxOptions;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The audit service as a process of its own, which tests kill. Takes the address of Kafka, the topic prefix, the database, a key and a directory. */
final class AuditServiceMain {
    static final int PARTITIONS = 4;

    private AuditServiceMain() {}

    public static void main(String[] arguments) {
        var telemetry = Telemetry.start(Map.of());
        var vertx = telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
        BusCodecs.register(vertx);
        var model = new AuthzModel();
        var context = new ServiceContext(
                Contract.load(),
                model,
                new TokenVerifier(model),
                kafka(arguments[0], arguments[1], Path.of(arguments[4])),
                new DatabaseSettings(arguments[2], 4, null),
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
        var config = AuditConfig.from(new Settings(Map.of()));
        Topics.createMissing(vertx, context.kafka())
                .compose(ok -> vertx.deployVerticle(new AuditVerticle(context, config, arguments[3])))
                .onSuccess(ok -> System.out.println("started"))
                .onFailure(e -> {
                    e.printStackTrace();
                    System.exit(1);
                });
    }

    static KafkaSettings kafka(String bootstrap, String topicPrefix, Path keys) {
        return new KafkaSettings(
                bootstrap,
                topicPrefix,
                PARTITIONS,
                (short) 1,
                Map.of(),
                Map.of(),
                RecordKeys.open(keys, List.of("audit")));
    }
}
