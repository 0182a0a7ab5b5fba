package dev.slipway.standalone;

import dev.slipway.audit.AuditConfig;
import dev.slipway.catalog.ArtifactConfig;
import dev.slipway.gateway.GatewayConfig;
import dev.slipway.iam.IamConfig;
import dev.slipway.instances.InstancesConfig;
import dev.slipway.metering.MeteringConfig;
import dev.slipway.processadapter.ProcessAdapterConfig;
import dev.slipway.service.ClusterSettings;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ProcessIdentity;
import dev.slipway.settings.Settings;
import dev.slipway.tenants.TenantsConfig;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All settings of a process.
 *
 * @param kafkaBootstrap null for the embedded broker
 * @param recordKeysDirectory the keys that sign and verify records
 * @param databaseUrl null for the embedded server
 * @param firstAdministrator {@code issuer|subject} of the first platform administrator
 */
public record StandaloneConfig(
        Path home,
        List<String> services,
        boolean demo,
        @Nullable String kafkaBootstrap,
        int kafkaPort,
        String topicPrefix,
        int topicPartitions,
        short topicReplication,
        Map<String, String> kafkaClient,
        Path recordKeysDirectory,
        @Nullable String databaseUrl,
        int postgresPort,
        int databasePoolSize,
        @Nullable String databaseCaFile,
        String managementHost,
        int managementPort,
        Duration startTimeout,
        @Nullable ClusterSettings cluster,
        @Nullable String firstAdministrator,
        Duration maxAuthzAgeForWrites,
        Duration maxAuthzAgeForReads,
        Duration consistencyInterval,
        GatewayConfig gateway,
        InstancesConfig instances,
        AuditConfig audit,
        ProcessIdentity identity,
        MeteringConfig metering,
        IamConfig iam,
        ArtifactConfig artifacts,
        TenantsConfig tenants,
        Map<String, String> environment) {

    private static final int PARTITIONS = 12;
    /** One process consumes the topics of the embedded broker, and every partition costs it time at the start and when idle. */
    private static final int EMBEDDED_PARTITIONS = 3;

    static final List<String> SERVICES =
            List.of("iam", "catalog", "instances", "audit", "metering", "tenants", "process-adapter", "gateway");

    public static StandaloneConfig from(Map<String, String> environment) {
        var values = Settings.withConfigFile(environment);
        var settings = new Settings(values);
        var kafka = settings.optional("SLIPWAY_KAFKA_BOOTSTRAP");
        var database = settings.optional("SLIPWAY_DATABASE_URL");
        var embedded = kafka == null && database == null;
        var home = Path.of(settings.text("SLIPWAY_HOME", ".slipway"))
                .toAbsolutePath()
                .normalize();
        var config = new StandaloneConfig(
                home,
                settings.listOfAllowed("SLIPWAY_SERVICES", SERVICES, SERVICES),
                settings.flag("SLIPWAY_DEMO", embedded),
                kafka,
                settings.port("SLIPWAY_KAFKA_PORT", 19092),
                settings.text("SLIPWAY_TOPIC_PREFIX", ""),
                settings.integer(
                        "SLIPWAY_TOPIC_PARTITIONS", kafka == null ? EMBEDDED_PARTITIONS : PARTITIONS, 1, 1_000),
                (short) settings.integer("SLIPWAY_TOPIC_REPLICATION", 1, 1, 15),
                settings.propertiesFile("SLIPWAY_KAFKA_CLIENT_FILE"),
                Path.of(settings.text(
                        "SLIPWAY_RECORD_KEYS_DIRECTORY",
                        home.resolve("record-keys").toString())),
                database,
                settings.port("SLIPWAY_POSTGRES_PORT", 0),
                settings.integer("SLIPWAY_DATABASE_POOL_SIZE", 8, 2, 200),
                settings.readableFile("SLIPWAY_DATABASE_CA_FILE"),
                settings.text("SLIPWAY_MANAGEMENT_HOST", "127.0.0.1"),
                settings.port("SLIPWAY_MANAGEMENT_PORT", 8081),
                settings.duration("SLIPWAY_START_TIMEOUT", Duration.ofMinutes(2)),
                ClusterSettings.from(settings),
                settings.optional("SLIPWAY_FIRST_ADMINISTRATOR"),
                settings.duration("SLIPWAY_AUTHZ_BUDGET_WRITES", Duration.ofSeconds(30)),
                settings.duration("SLIPWAY_AUTHZ_BUDGET_READS", Duration.ofMinutes(5)),
                settings.duration("SLIPWAY_CONSISTENCY_INTERVAL", Duration.ofHours(1)),
                GatewayConfig.from(settings),
                InstancesConfig.from(settings),
                AuditConfig.from(settings),
                ProcessIdentity.from(settings, settings.flag("SLIPWAY_DEMO", embedded) ? "demo" : "default"),
                MeteringConfig.from(settings),
                IamConfig.from(settings),
                ArtifactConfig.from(settings),
                TenantsConfig.from(settings),
                values);
        var admin = config.firstAdministrator;
        if (admin != null && admin.indexOf('|') < 1) {
            settings.addError("SLIPWAY_FIRST_ADMINISTRATOR=" + admin + " is not issuer|subject");
        }
        if ((config.runs("iam") || config.runs("audit")) && !config.demo && config.iam.keyEncryptionKey() == null) {
            settings.addError("SLIPWAY_KEY_ENCRYPTION_KEY is not set: IAM and audit encrypt their signing keys with it;"
                    + " create one with: openssl rand -base64 32");
        }
        if (kafka != null && !config.demo && settings.optional("SLIPWAY_RECORD_KEYS_DIRECTORY") == null) {
            settings.addError(
                    "SLIPWAY_RECORD_KEYS_DIRECTORY is not set: processes sign and verify records with the keys in"
                            + " it; give all of them the same keys, see docs/production.md");
        }
        if (kafka == null ? database != null : database == null && config.needsDatabase()) {
            settings.addError("SLIPWAY_KAFKA_BOOTSTRAP and SLIPWAY_DATABASE_URL go together:"
                    + " set both for external servers, or neither");
        }
        var error = database == null ? null : DatabaseSettings.validate(database, config.databaseCaFile);
        if (error != null) {
            settings.addError("SLIPWAY_DATABASE_URL " + error);
        }
        if (embedded && config.databaseCaFile != null) {
            settings.addError("SLIPWAY_DATABASE_CA_FILE is for an external database: also set SLIPWAY_DATABASE_URL");
        }
        LogConfig.validate(settings);
        if (config.runs("process-adapter")) {
            config.validateAdapter(settings);
        }
        settings.requireValid();
        return config;
    }

    /** Checks the adapter settings together with the rest. The addresses of Kafka and the API are not known yet. */
    private void validateAdapter(Settings settings) {
        if (!demo && settings.optional("SLIPWAY_ADAPTER_ID") == null) {
            settings.addError("SLIPWAY_ADAPTER_ID is not set: without the demo the process adapter needs a credential;"
                    + " remove it from SLIPWAY_SERVICES until it has one");
            return;
        }
        var baseUrl = runs("gateway") ? "http://" + gateway.host() : null;
        var ignored = ProcessAdapterConfig.from(settings.withDefaults(adapterDefaults("embedded", baseUrl)));
    }

    /** Returns the defaults of the process adapter settings. */
    Map<String, String> adapterDefaults(String kafka, @Nullable String baseUrl) {
        var defaults = new HashMap<>(Map.of(
                "SLIPWAY_KAFKA_BOOTSTRAP",
                kafka,
                "SLIPWAY_PROCESS_ADAPTER_HOME",
                home.resolve("process-adapter").toString()));
        if (demo) {
            defaults.put("SLIPWAY_ADAPTER_ID", DemoData.ADAPTER.toString());
            defaults.put(
                    "SLIPWAY_ADAPTER_SECRET_FILE",
                    new HomeDirectory(home).adapterSecretFile().toString());
        }
        if (baseUrl != null) {
            defaults.put("SLIPWAY_BASE_URL", baseUrl);
        }
        return defaults;
    }

    /** The gateway and the adapter need no database, and therefore not the administrator's password. */
    private boolean needsDatabase() {
        return !List.of("gateway", "process-adapter").containsAll(services);
    }

    /** Gives each process its own {@code service.name}, unless one is set: by its services if it does not run all of them. */
    Map<String, String> telemetryEnvironment() {
        var values = new HashMap<>(environment);
        if (!services.containsAll(SERVICES)) {
            values.putIfAbsent("OTEL_SERVICE_NAME", "slipway-" + String.join("-", services));
        }
        return values;
    }

    boolean runs(String service) {
        return services.contains(service);
    }

    @Override
    public String toString() {
        return "StandaloneConfig[" + home + ", " + services + "]"; // the URL contains a password
    }
}
