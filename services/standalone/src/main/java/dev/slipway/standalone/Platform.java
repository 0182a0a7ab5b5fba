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
import dev.slipway.iam.IamSeed;
import dev.slipway.iam.IamVerticle;
import dev.slipway.instances.InstancesVerticle;
import dev.slipway.messaging.BrokerAcls;
import dev.slipway.messaging.ConsumerCatchUp;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.messaging.RecordKeys;
import dev.slipway.messaging.RecordKeys.RecordKeyException;
import dev.slipway.messaging.StateReader;
import dev.slipway.messaging.Topics;
import dev.slipway.metering.MeteringVerticle;
import dev.slipway.processadapter.ProcessAdapterConfig;
import dev.slipway.processadapter.ProcessAdapterVerticle;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.BusCodecs;
import dev.slipway.service.ClusterSettings;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.HealthRegistry;
import dev.slipway.service.HealthRegistry.Status;
import dev.slipway.service.ManagementServer;
import dev.slipway.service.ProcessReporter;
import dev.slipway.service.ServiceContext;
import dev.slipway.service.ServiceRegistry;
import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.tenants.TenantsVerticle;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Starts the services of this process in order, on an existing broker and database, and stops them in reverse order. */
public final class Platform {
    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final StandaloneConfig config;
    private final Vertx vertx;
    private final ServiceContext serviceContext;
    private final AuthzReadModel authz;
    private final StateReader catalogReader;
    private final Listener listener;
    private @Nullable ProcessReporter reporter;
    private final Deque<String> deployed = new ArrayDeque<>();
    private int httpPort = -1;
    private int managementPort = -1;

    /** The parts register one by one, so those that are registered can all be ready while the platform still starts. */
    private volatile Status phase = new Status(false, "starting");

    private volatile Status readModels = new Status(false, "starting");

    private Platform(StandaloneConfig config, Vertx vertx, ServiceContext serviceContext, Listener listener) {
        this.config = config;
        this.vertx = vertx;
        this.serviceContext = serviceContext;
        this.authz = new AuthzReadModel(vertx, serviceContext);
        this.catalogReader = new StateReader(vertx, serviceContext.kafka(), Topics.CATALOG_STATE, record -> {
            serviceContext.auditActions().apply(record);
            listener.onCatalogRecord(record);
        });
        this.listener = listener;
    }

    /**
     * The addresses of Kafka and PostgreSQL.
     *
     * @param kafkaClients the settings of Kafka clients by principal, empty if all use those of the configuration
     * @param databaseUrl null if no service of this process needs one
     */
    public record Addresses(
            String kafkaBootstrap,
            Map<String, Map<String, String>> kafkaClients,
            @Nullable String databaseUrl) {
        public Addresses(String kafkaBootstrap, @Nullable String databaseUrl) {
            this(kafkaBootstrap, Map.of(), databaseUrl);
        }
    }

    public static Future<Platform> start(
            StandaloneConfig config, Addresses addresses, Telemetry telemetry, IamSeed iam, CatalogSeed catalog) {
        return start(config, addresses, telemetry, new HealthRegistry(), iam, catalog, new Listener() {});
    }

    /** Observes a platform. */
    interface Listener {
        /** Called on a worker thread, before the platform reports ready. */
        default void beforeReady(Platform platform) {}

        /** Called for every record of the catalog's state topic, in a process with a database. */
        default void onCatalogRecord(ReceivedRecord record) {}
    }

    /** Reports the progress of the start in {@code health}. Blocks while it opens the record keys, which may have to be created first. */
    static Future<Platform> start(
            StandaloneConfig config,
            Addresses addresses,
            Telemetry telemetry,
            HealthRegistry health,
            IamSeed iam,
            CatalogSeed catalog,
            Listener listener) {
        RecordKeys recordKeys;
        try {
            recordKeys = RecordKeys.open(config.recordKeysDirectory(), config.services());
        } catch (RecordKeyException e) {
            return Future.failedFuture(e);
        }
        var options = new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS).setPreferNativeTransport(true);
        // Not bound to an event loop: a failed start closes them all and must still complete this promise.
        var started = Promise.<Platform>promise();
        ClusterSettings.startVertx(telemetry, config.cluster(), options)
                .map(vertx -> {
                    BusCodecs.register(vertx);
                    var serviceContext = serviceContext(config, addresses, recordKeys, telemetry, health);
                    return new Platform(config, vertx, serviceContext, listener);
                })
                .onFailure(started::fail)
                .onSuccess(platform -> platform.start(iam, catalog)
                        .onSuccess(ok -> started.complete(platform))
                        .onFailure(e -> platform.stop().onComplete(stopped -> started.fail(e))));
        return started.future();
    }

    private static ServiceContext serviceContext(
            StandaloneConfig config,
            Addresses addresses,
            RecordKeys recordKeys,
            Telemetry telemetry,
            HealthRegistry health) {
        var model = new AuthzModel();
        return new ServiceContext(
                Contract.load(),
                model,
                new TokenVerifier(
                        model, config.iam().tokenAudience(), config.iam().userTokenMaxLifetime()),
                new KafkaSettings(
                        addresses.kafkaBootstrap,
                        config.topicPrefix(),
                        config.topicPartitions(),
                        config.topicReplication(),
                        addresses.kafkaClients.getOrDefault(BrokerAcls.PLATFORM, config.kafkaClient()),
                        addresses.kafkaClients,
                        recordKeys),
                addresses.databaseUrl == null
                        ? null
                        : new DatabaseSettings(
                                addresses.databaseUrl, config.databasePoolSize(), config.databaseCaFile()),
                telemetry,
                new AuditActionRegistry(),
                health,
                new ServiceRegistry(),
                Clock.systemUTC(),
                EVENT_LOOPS,
                config.cluster() != null,
                config.maxAuthzAgeForWrites(),
                config.maxAuthzAgeForReads(),
                config.consistencyInterval());
    }

    /** Starts in the order topics, services, read models, gateway, adapter: nothing accepts requests before all read models are current. */
    private Future<Void> start(IamSeed iam, CatalogSeed catalog) {
        serviceContext.health().register("platform", () -> phase);
        authz.register();
        serviceContext.health().register("read-models", () -> readModels);
        serviceContext.kafka().keys().registerMetrics(serviceContext.telemetry().metrics());
        return ManagementServer.start(
                        vertx,
                        config.managementHost(),
                        config.managementPort(),
                        serviceContext.health(),
                        serviceContext.telemetry())
                .onSuccess(server -> managementPort = server.actualPort())
                .compose(ok -> Future.join(awaitKafka(), awaitDatabase()))
                .onSuccess(ok -> startReporter())
                .compose(ok -> deployServices(iam, catalog))
                .compose(ok -> awaitReadModels())
                .compose(ok -> serviceContext.services().acceptRequests())
                .compose(ok -> config.runs("gateway") ? deployGateway() : Future.succeededFuture())
                .compose(ok -> deployIfEnabled("process-adapter", this::processAdapter))
                .compose(ok -> vertx.<Void>executeBlocking(() -> {
                    listener.beforeReady(this);
                    return null;
                }))
                .onSuccess(ok -> phase = new Status(true, "running"));
    }

    private void startReporter() {
        var started = new ProcessReporter(
                vertx, serviceContext, config.identity(), StandaloneMain.Version.find(), config.services());
        reporter = started;
        started.start();
    }

    private Future<Void> deployServices(IamSeed iam, CatalogSeed catalog) {
        var services = List.of(
                deployIfEnabled("iam", () -> new IamVerticle(serviceContext.as("iam"), iam, iamConfig())),
                deployIfEnabled(
                        "catalog", () -> new CatalogVerticle(serviceContext.as("catalog"), catalog, artifactConfig())),
                deployIfEnabled(
                        "instances", () -> new InstancesVerticle(serviceContext.as("instances"), config.instances())),
                deployIfEnabled(
                        "audit",
                        () -> new AuditVerticle(serviceContext.as("audit"), config.audit(), keyEncryptionKey())),
                deployIfEnabled(
                        "metering", () -> new MeteringVerticle(serviceContext.as("metering"), config.metering())),
                deployIfEnabled("tenants", () -> new TenantsVerticle(serviceContext.as("tenants"), config.tenants())));
        var fresh = authz.start();
        // After a failure, wait for the others: a verticle that is stopped while it starts would fail again.
        return Future.all(Future.all(services), fresh, startCatalogReader())
                .recover(e -> Future.join(services).transform(all -> Future.failedFuture(e)))
                .mapEmpty();
    }

    /** Only a process with a database changes anything and therefore writes audit records. */
    private Future<Void> startCatalogReader() {
        return serviceContext.database() == null ? Future.succeededFuture() : catalogReader.start();
    }

    /** After the authorization model is current, so that IAM's bootstrap data is on the topics. */
    private Future<Void> awaitReadModels() {
        var consumers = serviceContext.services().consumers();
        return new ConsumerCatchUp(
                        vertx, serviceContext.kafka(), consumers, missing -> readModels = new Status(false, missing))
                .await()
                .onSuccess(ok -> readModels = new Status(true, "current"));
    }

    private Future<Void> awaitKafka() {
        return awaitServer(
                "Kafka at " + serviceContext.kafka().bootstrap(),
                "SLIPWAY_KAFKA_BOOTSTRAP",
                () -> Topics.createMissing(vertx, serviceContext.kafka()));
    }

    private Future<Void> awaitDatabase() {
        var database = serviceContext.database();
        return database == null
                ? Future.succeededFuture()
                : awaitServer(
                        "PostgreSQL at " + database.address(),
                        "SLIPWAY_DATABASE_URL",
                        () -> database.tryConnection(vertx));
    }

    private Future<Void> awaitServer(String server, String setting, Supplier<Future<Void>> attempt) {
        var health = serviceContext.health();
        health.register(server, () -> new Status(false, "not reached yet; check " + setting));
        return new DependencyWaiter(
                        vertx, server, setting, config.startTimeout().dividedBy(2))
                .waitFor(attempt)
                .onSuccess(ok -> health.remove(server));
    }

    /** The demo creates its own encryption key. Without the demo the setting is required, which the configuration has checked. */
    private String keyEncryptionKey() {
        var key = config.iam().keyEncryptionKey();
        return key == null ? new HomeDirectory(config.home()).keyEncryptionKey() : key;
    }

    private IamConfig iamConfig() {
        var iam = config.iam().withKey(keyEncryptionKey());
        var first = config.firstAdministrator();
        if (first == null) {
            return iam;
        }
        var bar = first.lastIndexOf('|');
        return iam.withFirstAdministrator(
                new IamConfig.FirstAdministrator(first.substring(0, bar), first.substring(bar + 1)));
    }

    /** The demo uses an artifact registry on this machine unless others are configured. */
    private ArtifactConfig artifactConfig() {
        var artifacts = config.artifacts();
        return config.demo() && artifacts.sources().isEmpty() ? artifacts.withLocalRegistry() : artifacts;
    }

    private Future<Void> deployGateway() {
        var gateway = new GatewayVerticle(serviceContext.as("gateway"), config.gateway(), EVENT_LOOPS);
        return deploy(gateway).onSuccess(ok -> httpPort = gateway.port());
    }

    /** The process adapter uses the API and its own credential, like any other adapter. */
    private Deployable processAdapter() {
        var environment = new HashMap<>(config.environment());
        if (!serviceContext.kafka().serviceClients().isEmpty()) {
            var identity = KafkaClientFiles.file(config.home(), BrokerAcls.adapter("bare_metal"));
            environment.put("SLIPWAY_KAFKA_CLIENT_FILE", identity.toString());
        }
        var settings = new Settings(environment)
                .withDefaults(config.adapterDefaults(serviceContext.kafka().bootstrap(), baseUrl()));
        var adapter = ProcessAdapterConfig.from(settings);
        settings.requireValid();
        return new ProcessAdapterVerticle(adapter, serviceContext.telemetry().traces());
    }

    private Future<Void> deployIfEnabled(String service, Supplier<Deployable> verticle) {
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

    public Vertx vertx() {
        return vertx;
    }

    public ServiceContext serviceContext() {
        return serviceContext;
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

    /** Stops the gateway first, so that no new requests arrive, and IAM last. */
    public Future<Void> stop() {
        if (reporter != null) {
            reporter.stop();
        }
        phase = new Status(false, "stopping"); // load balancers stop sending requests while those in flight complete
        var chain = Future.<Void>succeededFuture();
        synchronized (deployed) {
            while (!deployed.isEmpty()) {
                var id = deployed.pop();
                chain = chain.eventually(() -> vertx.undeploy(id));
            }
        }
        var stopped = Promise.<Void>promise(); // not bound to an event loop, which could not report its own end
        chain.otherwiseEmpty()
                .eventually(authz::stop)
                .eventually(catalogReader::stop)
                .onComplete(done -> vertx.close().onComplete(stopped));
        return stopped.future();
    }
}
