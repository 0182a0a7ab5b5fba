package dev.slipway.standalone;

import dev.slipway.audit.AuditVerticle;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.catalog.ArtifactConfig;
import dev.slipway.catalog.CatalogVerticle;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Contract;
import dev.slipway.gateway.GatewayVerticle;
import dev.slipway.iam.IamConfig;
import dev.slipway.iam.IamVerticle;
import dev.slipway.iam.issuer.IssuerKeys;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.instances.InstancesVerticle;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.StateReader;
import dev.slipway.messaging.Topics;
import dev.slipway.metering.MeteringVerticle;
import dev.slipway.processadapter.ProcessAdapterConfig;
import dev.slipway.processadapter.ProcessAdapterVerticle;
import dev.slipway.service.BusCodecs;
import dev.slipway.service.ClusterSettings;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Frame;
import dev.slipway.service.Health;
import dev.slipway.service.Health.Status;
import dev.slipway.service.ManagementServer;
import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The services of this process, on a broker and a database that are there: started in order, stopped in the opposite one. */
public final class Platform {
    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final long UNKNOWN_KEY_EVERY_NS = 1_000_000_000L;

    private final StandaloneConfig config;
    private final Vertx vertx;
    private final Frame frame;
    private final StateReader authzReader;
    private final Deque<String> deployed = new ArrayDeque<>();
    private int httpPort = -1;
    private int managementPort = -1;

    /** Of the whole: parts are known as they come, and those that are there may all be well. */
    private volatile Status phase = new Status(false, "starting");

    private Platform(StandaloneConfig config, Vertx vertx, Frame frame) {
        this.config = config;
        this.vertx = vertx;
        this.frame = frame;
        this.authzReader = new StateReader(vertx, frame.kafka(), Topics.AUTHZ_STATE, frame.authz()::apply);
    }

    /** Where the platform's Kafka and PostgreSQL are; null where no service of this process keeps anything. */
    public record Addresses(String kafkaBootstrap, @Nullable String databaseUrl) {}

    public static Future<Platform> start(
            StandaloneConfig config, Addresses addresses, Telemetry telemetry, IamSeed iam, CatalogSeed catalog) {
        var options = new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS).setPreferNativeTransport(true);
        // Of no event loop: a failed start ends them all, and must be told all the same.
        var started = Promise.<Platform>promise();
        ClusterSettings.startVertx(telemetry, config.cluster(), options)
                .map(vertx -> {
                    BusCodecs.register(vertx);
                    return new Platform(config, vertx, frame(config, addresses, telemetry));
                })
                .onFailure(started::fail)
                .onSuccess(platform -> platform.start(iam, catalog)
                        .onSuccess(ok -> started.complete(platform))
                        .onFailure(e -> platform.stop().onComplete(stopped -> started.fail(e))));
        return started.future();
    }

    private static Frame frame(StandaloneConfig config, Addresses addresses, Telemetry telemetry) {
        var model = new AuthzModel();
        return new Frame(
                Contract.load(),
                model,
                new TokenVerifier(model, config.iam().tokenAudience()),
                new KafkaSettings(
                        addresses.kafkaBootstrap,
                        config.topicPrefix(),
                        config.topicPartitions(),
                        config.topicReplication(),
                        config.kafkaClient()),
                addresses.databaseUrl == null
                        ? null
                        : new DatabaseSettings(
                                addresses.databaseUrl, config.databasePoolSize(), config.databaseCaFile()),
                telemetry,
                new Health(),
                Clock.systemUTC(),
                EVENT_LOOPS,
                config.cluster() != null,
                config.authzBudgetForWrites(),
                config.authzBudgetForReads());
    }

    /** Topics first; the gateway opens last, when every service serves and what decisions need has arrived. */
    private Future<Void> start(IamSeed iam, CatalogSeed catalog) {
        frame.health().register("platform", () -> phase);
        frame.health().register("authz", this::authzStatus);
        showAuthz();
        tellOfUnknownKeys();
        return ManagementServer.start(
                        vertx, config.managementHost(), config.managementPort(), frame.health(), frame.telemetry())
                .onSuccess(server -> managementPort = server.actualPort())
                .compose(ok -> Future.join(reachKafka(), reachDatabase()))
                .compose(ok -> deployServices(iam, catalog))
                .compose(ok -> config.runs("gateway") ? deployGateway() : Future.succeededFuture())
                .compose(ok -> deployIfRun("process-adapter", this::processAdapter))
                .onSuccess(ok -> phase = new Status(true, "running"));
    }

    private Future<Void> deployServices(IamSeed iam, CatalogSeed catalog) {
        var services = List.of(
                deployIfRun("iam", () -> new IamVerticle(frame, iam, iamConfig())),
                deployIfRun("catalog", () -> new CatalogVerticle(frame, catalog, artifactConfig())),
                deployIfRun("instances", () -> new InstancesVerticle(frame, config.instances())),
                deployIfRun("audit", () -> new AuditVerticle(frame)),
                deployIfRun("metering", () -> new MeteringVerticle(frame)));
        var fresh = authzReader.start().compose(caughtUp -> authzIsFresh());
        // After a failure the others are waited for: what is stopped in the middle of its start fails a second time.
        return Future.all(Future.all(services), fresh)
                .recover(e -> Future.join(services).transform(all -> Future.failedFuture(e)))
                .mapEmpty();
    }

    private Future<Void> reachKafka() {
        return contact("Kafka at " + frame.kafka().bootstrap(), "SLIPWAY_KAFKA_BOOTSTRAP")
                .with(() -> Topics.ensure(vertx, frame.kafka()));
    }

    private Future<Void> reachDatabase() {
        var database = frame.database();
        return database == null
                ? Future.succeededFuture()
                : contact("PostgreSQL at " + database.place(), "SLIPWAY_DATABASE_URL")
                        .with(() -> database.tryConnection(vertx));
    }

    private FirstContact contact(String server, String setting) {
        return new FirstContact(vertx, server, setting, config.startTimeout().dividedBy(2));
    }

    /** The demo keeps an encryption key of its own; in production it has to be set, and the configuration has seen to that. */
    private IamConfig iamConfig() {
        var iam = config.iam();
        if (iam.keyEncryptionKey() == null) {
            iam = iam.withKey(new Home(config.home()).keyEncryptionKey());
        }
        var first = config.firstAdministrator();
        if (first == null) {
            return iam;
        }
        var bar = first.lastIndexOf('|');
        return iam.withFirstAdministrator(
                new IamConfig.FirstAdministrator(first.substring(0, bar), first.substring(bar + 1)));
    }

    /** The demo tries a registry on this machine, unless it was told of others. */
    private ArtifactConfig artifactConfig() {
        var artifacts = config.artifacts();
        return config.demo() && artifacts.sources().isEmpty() ? artifacts.withLocalRegistry() : artifacts;
    }

    /** A token may be signed by a key that its issuer has just begun to use: IAM hears of it, once a second at the most. */
    private void tellOfUnknownKeys() {
        var lastNs = new AtomicLong(System.nanoTime() - UNKNOWN_KEY_EVERY_NS);
        frame.tokens().onUnknownKey(key -> {
            var now = System.nanoTime();
            var last = lastNs.get();
            if (now - last >= UNKNOWN_KEY_EVERY_NS && lastNs.compareAndSet(last, now)) {
                vertx.eventBus().publish(IssuerKeys.UNKNOWN_KEY_ADDRESS, key.issuer());
            }
        });
    }

    private Future<Void> deployGateway() {
        var gateway = new GatewayVerticle(frame, config.gateway(), EVENT_LOOPS);
        return deploy(gateway).onSuccess(ok -> httpPort = gateway.port());
    }

    /** An adapter like any other: it comes in by the front door, with a credential of its own. */
    private Deployable processAdapter() {
        var settings = new Settings(config.environment())
                .withDefaults(config.adapterDefaults(frame.kafka().bootstrap(), baseUrl()));
        var adapter = ProcessAdapterConfig.from(settings);
        settings.check();
        return new ProcessAdapterVerticle(adapter, frame.telemetry().traces());
    }

    private Future<Void> deployIfRun(String service, Supplier<Deployable> verticle) {
        return config.runs(service) ? deploy(verticle.get()) : Future.succeededFuture();
    }

    private Future<Void> deploy(Deployable verticle) {
        return vertx.deployVerticle(verticle)
                .onSuccess(id -> {
                    synchronized (deployed) {
                        deployed.push(id);
                    }
                })
                .mapEmpty();
    }

    private Status authzStatus() {
        var age = frame.authz().age(frame.clock().instant());
        return new Status(
                age.compareTo(frame.authzBudgetForWrites()) <= 0,
                "revision " + frame.authz().revision() + ", confirmed " + age.toMillis() + " ms ago"
                        + (frame.authz().isAheadOfIam()
                                ? "; IAM has no record of it: has its database been restored?"
                                : ""));
    }

    private void showAuthz() {
        var meters = frame.telemetry().metrics();
        Gauge.builder(
                        "slipway.authz.age",
                        frame,
                        f -> f.authz().age(f.clock().instant()).toMillis() / 1e3)
                .description("How long ago the permissions that decisions are taken from were confirmed")
                .baseUnit("seconds")
                .register(meters);
        Gauge.builder("slipway.authz.revision", frame, f -> f.authz().revision())
                .description("The revision of the permissions that decisions are taken from")
                .register(meters);
    }

    private Future<Void> authzIsFresh() {
        var promise = Promise.<Void>promise();
        vertx.setPeriodic(1, 20, timer -> {
            if (authzStatus().ready()) {
                vertx.cancelTimer(timer);
                promise.tryComplete();
            }
        });
        return promise.future();
    }

    public Vertx vertx() {
        return vertx;
    }

    public Frame frame() {
        return frame;
    }

    public int httpPort() {
        return httpPort;
    }

    public int managementPort() {
        return managementPort;
    }

    public @Nullable String baseUrl() {
        var scheme = config.gateway().tls() == null ? "http" : "https";
        return httpPort < 0 ? null : scheme + "://" + config.gateway().host() + ":" + httpPort;
    }

    /** The gateway first, so that nothing new comes in; IAM last. */
    public Future<Void> stop() {
        phase = new Status(false, "stopping"); // nobody should send it anything more, though it still answers
        var chain = Future.<Void>succeededFuture();
        synchronized (deployed) {
            while (!deployed.isEmpty()) {
                var id = deployed.pop();
                chain = chain.eventually(() -> vertx.undeploy(id));
            }
        }
        var stopped = Promise.<Void>promise(); // of no event loop: none can tell of its own end
        chain.otherwiseEmpty().eventually(authzReader::stop).onComplete(done -> vertx.close()
                .onComplete(stopped));
        return stopped.future();
    }
}
