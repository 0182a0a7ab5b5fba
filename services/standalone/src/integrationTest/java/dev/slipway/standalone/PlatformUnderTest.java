package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.TemporaryDirectory;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Future;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A whole platform in this JVM, on a database and topics of its own, with the demo's tenants. */
final class PlatformUnderTest implements AutoCloseable {
    static final String ADAPTER_SECRET = "an-adapter-secret-for-tests";

    /** One for all platforms of a JVM, as they have the same people: signing takes longer than most of what tests do. */
    private static final Demo DEMO = demoFromNow();
    /** What refers to something that is not there yet is refused for now, which a test that begins at once would take for an error. */
    private static final String SERVICES_KNOW_EACH_OTHER = """
            SELECT (SELECT count(*) FROM iam.actions) = (SELECT count(*) FROM catalog.registry_entries WHERE kind = 'scope')
                AND (SELECT count(*) FROM iam.projects) = (SELECT count(*) FROM catalog.projects)
                AND (SELECT count(*) FROM iam.projects) = (SELECT count(*) FROM instances.projects)
                AND (SELECT count(*) FROM iam.users) = (SELECT count(*) FROM instances.users)
                AND (SELECT count(*) FROM iam.service_accounts) = (SELECT count(*) FROM instances.service_accounts)
                AND (SELECT count(*) FROM catalog.app_versions) = (SELECT count(*) FROM instances.app_versions)
                AND (SELECT count(*) FROM catalog.project_app_entitlements) = (SELECT count(*) FROM instances.project_app_entitlements)
            """;

    /** By whom they name; signed when first used. */
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

    /** With other settings than the usual, by the names that a user would set. */
    PlatformUnderTest(Map<String, String> settings) {
        this(FreshDatabase.create(), settings, List.of(), address -> address);
    }

    /** On topics of its own, and on the database that another platform left behind. */
    PlatformUnderTest(FreshDatabase left) {
        this(left, Map.of(), List.of(), address -> address);
    }

    /** Trusting more keys than the demo's. */
    PlatformUnderTest(Map<String, String> settings, List<IamSeed.IssuerKey> moreKeys) {
        this(FreshDatabase.create(), settings, moreKeys, address -> address);
    }

    /** With its Kafka and PostgreSQL at the end of a line that leads to their addresses. */
    PlatformUnderTest(Map<String, String> settings, UnaryOperator<String> line) {
        this(FreshDatabase.create(), settings, List.of(), line);
    }

    private PlatformUnderTest(
            FreshDatabase database,
            Map<String, String> settings,
            List<IamSeed.IssuerKey> moreKeys,
            UnaryOperator<String> line) {
        this.database = database;
        this.line = line;
        try {
            Files.writeString(new Home(home.path()).adapterSecretFile(), ADAPTER_SECRET);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var environment = new HashMap<>(Map.of(
                "SLIPWAY_HOME", home.path().toString(),
                "SLIPWAY_KAFKA_BOOTSTRAP", line.apply(kafkaBootstrap),
                "SLIPWAY_DATABASE_URL", line.apply(database.url()),
                "SLIPWAY_DEMO", "true",
                "SLIPWAY_TOPIC_PREFIX", topicPrefix,
                "SLIPWAY_TOPIC_PARTITIONS", "2",
                "SLIPWAY_HTTP_PORT", "0",
                "SLIPWAY_MANAGEMENT_PORT", "0",
                "SLIPWAY_REPLY_TIMEOUT", "PT25S", // a machine that tests much at once is slow, not broken
                "SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,gateway"));
        environment.putAll(settings);
        var config = StandaloneConfig.from(environment);
        telemetry = Telemetry.start(environment);
        var addresses =
                new Addresses(environment.get("SLIPWAY_KAFKA_BOOTSTRAP"), environment.get("SLIPWAY_DATABASE_URL"));
        platform = await(Platform.start(config, addresses, telemetry, trusting(moreKeys), DEMO.catalog()));
        events = new EventTap(kafkaBootstrap, topicPrefix);
        if (config.services().containsAll(List.of("iam", "catalog", "instances"))) {
            eventually(
                    () -> assertThat(database.query(SERVICES_KNOW_EACH_OTHER)).isEqualTo("t"));
        }
    }

    private static Demo demoFromNow() {
        return new Demo(ADAPTER_SECRET, Instant.now());
    }

    private static IamSeed trusting(List<IamSeed.IssuerKey> moreKeys) {
        var seed = DEMO.iam();
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

    /** A caller with the token of a demo user, named by its role. */
    ApiClient as(String user) {
        return person(user);
    }

    String token(String user) {
        return TOKENS.computeIfAbsent(user, DEMO::token);
    }

    ApiClient anonymous() {
        return new ApiClient(platform.baseUrl(), null);
    }

    /** A call on one instance of the demo project. */
    ApiClient.Call instance(String operationId, String user, String instanceId) {
        return as(user).call(operationId).path("project_id", Demo.PROJECT).path("app_instance_id", instanceId);
    }

    /** The call that launches the demo app in the demo project. */
    ApiClient.Call launch(String user, String displayName) {
        return launchIn(Demo.PROJECT, user, displayName);
    }

    ApiClient.Call launchIn(UUID projectId, String user, String displayName) {
        return as(user).call("createAppInstance").path("project_id", projectId).body(launchBody(displayName));
    }

    static ObjectNode launchBody(String displayName) {
        return Json.object()
                .put("app_slug", Demo.APP)
                .put("version", Demo.VERSION)
                .put("display_name", displayName);
    }

    /** For a simulated adapter of this platform, which keeps its things in the directory. */
    SimulatedAdapter.Place adapterIn(Path directory) {
        return adapterIn(directory, Demo.ADAPTER, ADAPTER_SECRET);
    }

    SimulatedAdapter.Place adapterIn(Path directory, UUID adapterId, String secret) {
        try {
            var file = Files.writeString(home.path().resolve(adapterId + ".secret"), secret);
            return new SimulatedAdapter.Place(
                    platform.baseUrl(), line.apply(kafkaBootstrap), topicPrefix, adapterId, file, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The demo's adapter, in its own name. */
    ApiClient asAdapter() {
        var credential =
                Json.object().put("adapter_id", Demo.ADAPTER.toString()).put("adapter_secret", ADAPTER_SECRET);
        var token =
                anonymous().call("exchangeAdapterToken").body(credential).send().expect(200);
        return anonymous().as(token.text("access_token"));
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

    /** What the management port says of health and metrics. */
    String managed(String path) {
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

    /** Someone whom the demo's issuer names, known or not. */
    ApiClient person(String subject) {
        return new ApiClient(platform.baseUrl(), token(subject));
    }

    /** Stops, and leaves the database behind. */
    FreshDatabase leave() {
        events.close();
        await(platform.stop());
        telemetry.close();
        home.close();
        return database;
    }

    @Override
    public void close() {
        leave().close();
    }
}
