package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;
import dev.slipway.messaging.RecordKeys;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TemporaryDirectory;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A complete platform in this JVM with the demo's tenants, on its own database and topics. */
final class PlatformUnderTest implements AutoCloseable {
    static final String ADAPTER_SECRET = "an-adapter-secret-for-tests";

    /** Shared by all platforms of a JVM: signing tokens is slow. */
    private static final DemoData DEMO = newDemo();

    private static final List<String> SERVICES_WITH_DATABASE =
            List.of("iam", "catalog", "instances", "audit", "metering", "tenants");

    private static final String SERVICES = String.join(",", SERVICES_WITH_DATABASE) + ",gateway";

    /** Shared by all platforms of a JVM: generating keys takes longer than starting a platform with them. */
    private static final Path RECORD_KEYS = newRecordKeys();

    /** The schemas of all services, copied for each platform of a JVM: migrating takes longer than the rest of a start. */
    private static final FreshDatabase MIGRATED = newMigrated();

    private static final String OUTBOXES_ARE_EMPTY = """
            SELECT NOT EXISTS (SELECT 1 FROM iam.outbox) AND NOT EXISTS (SELECT 1 FROM catalog.outbox)
                AND NOT EXISTS (SELECT 1 FROM instances.outbox)
            """;

    private static final Admin ADMIN =
            Admin.create(Map.of("bootstrap.servers", TestInfrastructure.shared().kafkaBootstrap()));

    /** Tokens by user, signed on first use. */
    private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();

    private final FreshDatabase database;
    private final String topicPrefix = "t" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private final String kafkaBootstrap = TestInfrastructure.shared().kafkaBootstrap();
    private final UnaryOperator<String> line;
    private final TemporaryDirectory home = TemporaryDirectory.named("slipway-home");
    private final Telemetry telemetry;
    private final Platform platform;
    private final EventTap events;

    PlatformUnderTest() {
        this(Map.of());
    }

    /** Starts with the given environment variables. */
    PlatformUnderTest(Map<String, String> settings) {
        this(MIGRATED.copy(), settings, List.of(), address -> address);
    }

    /** Starts with new topics on an existing database. */
    PlatformUnderTest(FreshDatabase left) {
        this(left, Map.of(), List.of(), address -> address);
    }

    /** Starts with other keys and the topics of another platform on its database. The events are not observed. */
    PlatformUnderTest(FreshDatabase left, String topicPrefix) {
        this(left, Map.of("SLIPWAY_TOPIC_PREFIX", topicPrefix), List.of(), address -> address);
    }

    /** Starts with additional trusted keys. */
    PlatformUnderTest(Map<String, String> settings, List<IamSeed.IssuerKey> moreKeys) {
        this(MIGRATED.copy(), settings, moreKeys, address -> address);
    }

    /** Starts with Kafka and PostgreSQL behind a link. */
    PlatformUnderTest(Map<String, String> settings, UnaryOperator<String> line) {
        this(MIGRATED.copy(), settings, List.of(), line);
    }

    private PlatformUnderTest(
            FreshDatabase database,
            Map<String, String> settings,
            List<IamSeed.IssuerKey> moreKeys,
            UnaryOperator<String> line) {
        this.database = database;
        this.line = line;
        TemporaryDirectory.openToOthers(home.path());
        try {
            Files.writeString(new HomeDirectory(home.path()).adapterSecretFile(), ADAPTER_SECRET);
            // On the topics of another platform, it signs with keys of its own.
            if (!settings.containsKey("SLIPWAY_TOPIC_PREFIX")) {
                copyRecordKeys(recordKeys());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var environment = new HashMap<>(Map.of(
                "SLIPWAY_HOME",
                home.path().toString(),
                "SLIPWAY_KAFKA_BOOTSTRAP",
                line.apply(kafkaBootstrap),
                "SLIPWAY_DATABASE_URL",
                line.apply(database.url()),
                "SLIPWAY_DEMO",
                "true",
                "SLIPWAY_TOPIC_PREFIX",
                topicPrefix,
                "SLIPWAY_TOPIC_PARTITIONS",
                "2",
                "SLIPWAY_HTTP_PORT",
                "0",
                "SLIPWAY_MANAGEMENT_PORT",
                "0",
                "SLIPWAY_REPLY_TIMEOUT",
                "PT25S", // a machine that tests much at once is slow, not broken
                "SLIPWAY_SERVICES",
                SERVICES));
        environment.putAll(settings);
        var config = StandaloneConfig.from(environment);
        telemetry = Telemetry.start(environment);
        var addresses =
                new Addresses(environment.get("SLIPWAY_KAFKA_BOOTSTRAP"), environment.get("SLIPWAY_DATABASE_URL"));
        platform = await(Platform.start(config, addresses, telemetry, seedWith(moreKeys), DEMO.catalogSeed()));
        events = new EventTap(kafkaBootstrap, topicPrefix);
    }

    private static Path newRecordKeys() {
        var directory = TemporaryDirectory.named("slipway-record-keys").path();
        var unused = RecordKeys.open(directory, SERVICES_WITH_DATABASE);
        return directory;
    }

    private static FreshDatabase newMigrated() {
        var database = FreshDatabase.create();
        var vertx = Vertx.vertx();
        for (var service : SERVICES_WITH_DATABASE) {
            var settings = new DatabaseSettings(database.url(), 1);
            await(ServiceDatabase.open(vertx, settings, service, false).compose(ServiceDatabase::close));
        }
        await(vertx.close());
        return database;
    }

    private static void copyRecordKeys(Path to) throws IOException {
        Files.createDirectory(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (var files = Files.list(RECORD_KEYS)) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static DemoData newDemo() {
        return new DemoData(ADAPTER_SECRET, Instant.now());
    }

    private static IamSeed seedWith(List<IamSeed.IssuerKey> moreKeys) {
        var seed = DEMO.iamSeed();
        var keys = new ArrayList<>(seed.issuerKeys());
        keys.addAll(moreKeys);
        return new IamSeed(
                seed.organizations(),
                seed.users(),
                seed.projects(),
                seed.serviceAccounts(),
                seed.bindings(),
                seed.adapters(),
                keys);
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until every service has applied what the others have committed so far; a write that depends on it is then sent once. */
    void awaitReplication() {
        eventually(() -> assertThat(database.query(OUTBOXES_ARE_EMPTY)).isEqualTo("t"));
        var lag = new ConsumerLag(kafkaBootstrap, topicPrefix);
        var ends = lag.endOffsets();
        eventually(() -> assertThat(lag.behind(ends)).isEmpty());
    }

    Path recordKeys() {
        return home.path().resolve("record-keys");
    }

    /** Returns a client with the token of a demo user, named by its role. */
    ApiClient as(String user) {
        return person(user);
    }

    String token(String user) {
        return TOKENS.computeIfAbsent(user, DEMO::token);
    }

    String baseUrl() {
        return String.valueOf(platform.baseUrl());
    }

    ApiClient anonymous() {
        return new ApiClient(platform.baseUrl(), null);
    }

    /** Returns a call on an instance of the demo project. */
    ApiClient.Call instance(String operationId, String user, String instanceId) {
        return as(user).call(operationId).path("project_id", DemoData.PROJECT).path("app_instance_id", instanceId);
    }

    /** Returns a launch of the demo app in the demo project. */
    ApiClient.Call launch(String user, String displayName) {
        return launchIn(DemoData.PROJECT, user, displayName);
    }

    ApiClient.Call launchIn(UUID projectId, String user, String displayName) {
        return as(user).call("createAppInstance").path("project_id", projectId).body(launchBody(displayName));
    }

    static ObjectNode launchBody(String displayName) {
        return Json.object()
                .put("app_slug", DemoData.APP)
                .put("version", DemoData.VERSION)
                .put("display_name", displayName);
    }

    /** Returns the settings of a simulated adapter with its files in the directory. */
    SimulatedAdapter.AdapterSettings adapterIn(Path directory) {
        return adapterIn(directory, DemoData.ADAPTER, ADAPTER_SECRET);
    }

    SimulatedAdapter.AdapterSettings adapterIn(Path directory, UUID adapterId, String secret) {
        try {
            var file = Files.writeString(home.path().resolve(adapterId + ".secret"), secret);
            return new SimulatedAdapter.AdapterSettings(
                    platform.baseUrl(), line.apply(kafkaBootstrap), topicPrefix, adapterId, file, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a client with the token of the demo's adapter. */
    ApiClient asAdapter() {
        var credential =
                Json.object().put("adapter_id", DemoData.ADAPTER.toString()).put("adapter_secret", ADAPTER_SECRET);
        var token =
                anonymous().call("exchangeAdapterToken").body(credential).send().expect(200);
        return anonymous().as(token.text("access_token"));
    }

    /** Sends a record past the API; without a token if it is null. */
    void send(String topic, String key, Envelope event, @Nullable String token) {
        try (var producer = newProducer()) {
            var unused = producer.send(toRecord(topic, key, event, token));
        }
    }

    ProducerRecord<String, byte[]> toRecord(String topic, String key, Envelope event, @Nullable String token) {
        var record = new ProducerRecord<>(topicPrefix + topic, key, event.toBytes());
        if (token != null) {
            record.headers().add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    KafkaProducer<String, byte[]> newProducer() {
        return new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", kafkaBootstrap),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    /** Returns the sum of a metric over the lines whose labels contain the text. */
    double metric(String name, String labels) {
        var line = Pattern.compile(
                "^" + name + "(\\{[^}]*" + Pattern.quote(labels) + "[^}]*\\})? (\\S+)$", Pattern.MULTILINE);
        return line.matcher(getManagement("/metrics"))
                .results()
                .mapToDouble(result -> Double.parseDouble(result.group(2)))
                .sum();
    }

    Platform platform() {
        return platform;
    }

    EventTap events() {
        return events;
    }

    FreshDatabase database() {
        return database;
    }

    String topicPrefix() {
        return topicPrefix;
    }

    String kafkaBootstrap() {
        return kafkaBootstrap;
    }

    /** Reads a path of the management port. */
    String getManagement(String path) {
        var address = URI.create("http://127.0.0.1:" + platform.managementPort() + path);
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns a client with a token of the demo's issuer, for a known or unknown subject. */
    ApiClient person(String subject) {
        return new ApiClient(platform.baseUrl(), token(subject));
    }

    /** Stops the platform and returns its database. */
    FreshDatabase stopKeepingDatabase() {
        events.close();
        await(platform.stop());
        telemetry.close();
        home.close();
        return database;
    }

    @Override
    public void close() {
        stopKeepingDatabase().close();
        deleteTopics();
    }

    /** The broker and every consumer with a pattern handle all topics again and again, so old ones make later tests slow. */
    private void deleteTopics() {
        try {
            var own = ADMIN.listTopics().names().get().stream()
                    .filter(topic -> topic.startsWith(topicPrefix))
                    .toList();
            ADMIN.deleteTopics(own).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the topics of " + topicPrefix + " could not be deleted", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
