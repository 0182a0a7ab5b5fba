package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;
import dev.slipway.service.KeyCipher;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestInfrastructure;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests a platform without the demo: only the configured administrator exists, and a restart changes nothing. */
class ProductionStartTest {
    private final String prefix = "t" + UUID.randomUUID().toString().substring(0, 8) + ".";
    private final String kafka = TestInfrastructure.shared().kafkaBootstrap();
    private final String encryptionKey = KeyCipher.generateKey();

    @TempDir
    private Path home;

    @Test
    void firstAdministrator_isMadeOnce_andKeysOutliveAProcess() throws Exception {
        var key = TestKey.generate("theirs");
        var vertx = Vertx.vertx();
        var served = key.jwks();
        var server = PlatformUnderTest.await(vertx.createHttpServer()
                .requestHandler(request -> request.response().end(served).onFailure(e -> {}))
                .listen(0, "127.0.0.1"));
        var issuer = "http://127.0.0.1:" + server.actualPort();
        var token = key.sign(TestKey.claims(issuer, "root", "slipway", Instant.now()));
        try (var database = FreshDatabase.create()) {
            var before = new String[1];
            run(database, issuer, api -> {
                eventually(() -> api.as(token).call("getMe").send().expect(200));
                eventually(() -> api.as(token).call("listAdapters").send().expect(200));
                before[0] = signing(api.as(token));
                run(Map.of("SLIPWAY_SERVICES", "gateway"), alone -> isRefusedForWhatIsNotThere(alone.as(token)));
            });
            run(database, issuer, api -> {
                api.as(token).call("listAdapters").send().expect(200);
                assertThat(signing(api.as(token))).isEqualTo(before[0]);
                assertThat(api.call("getJwks").send().expect(200).body().path("keys"))
                        .hasSize(1);
            });
            assertThat(database.query("SELECT count(*) FROM iam.role_bindings")).isEqualTo("1");
            assertThat(database.query("SELECT count(*) FROM iam.users")).isEqualTo("1");
        } finally {
            PlatformUnderTest.await(vertx.close());
        }
    }

    @Test
    void demo_isRevoked_byAStartWithoutItOnTheSameData() {
        var demo = new DemoData("the-demo-adapters-secret", Instant.now());
        var tokens = demo.tokens();
        var users = List.of("platform_superadmin", "tenant_owner", "project_owner", "service_account");
        try (var database = FreshDatabase.create()) {
            var secrets = new HashMap<String, ObjectNode>();
            run(demoSettings(database), demo.iamSeed(), demo.catalogSeed(), api -> {
                users.forEach(
                        user -> api.as(tokens.get(user)).call("getMe").send().expect(200));
                secrets.putAll(createSecrets(api, tokens));
                secrets.forEach((operation, body) ->
                        api.call(operation).body(body).send().expect(200));
                var issued = api.call("exchangeServiceAccountToken")
                        .body(secrets.get("exchangeServiceAccountToken"))
                        .send()
                        .expect(200)
                        .text("access_token");
                tokens.put("issued", issued);
                eventually(() -> api.as(issued).call("getMe").send().expect(200));
            });

            run(
                    Map.of(
                            "SLIPWAY_DATABASE_URL",
                            database.url(),
                            "SLIPWAY_SERVICES",
                            "iam,gateway",
                            "SLIPWAY_KEY_ENCRYPTION_KEY",
                            encryptionKey),
                    api -> {
                        tokens.forEach((user, token) -> assertThat(
                                        api.as(token).call("getMe").send().status())
                                .as(user)
                                .isEqualTo(401));
                        secrets.forEach((operation, body) -> assertThat(statusAndCode(
                                        api.call(operation).body(body).send()))
                                .as(operation)
                                .isEqualTo("401 credential_invalid"));
                        assertThat(api.call("getJwks").send().expect(200).body().path("keys"))
                                .hasSize(1);
                    });

            assertThat(database.query("SELECT count(*) FROM iam.role_bindings WHERE removed_at IS NULL"))
                    .isEqualTo("0");
            assertThat(database.query("SELECT count(*) FROM iam.users WHERE disabled_at IS NULL"))
                    .isEqualTo("0");
            assertThatThrownBy(() -> run(demoSettings(database), demo.iamSeed(), demo.catalogSeed(), api -> {}))
                    .hasStackTraceContaining("revoked the demo on this data");
        }
    }

    /** Creates an API key and credentials of an account and of an adapter; returns the body of each exchange. */
    private static Map<String, ObjectNode> createSecrets(ApiClient api, Map<String, String> tokens) {
        var key = api.as(tokens.get("project_owner"))
                .call("createApiKey")
                .body(apiKeyBody())
                .send()
                .expect(201);
        var credential = api.as(tokens.get("project_owner"))
                .call("createServiceAccountCredential")
                .path("project_id", DemoData.PROJECT)
                .path("service_account_id", DemoData.SERVICE_ACCOUNT)
                .body(Json.object())
                .send()
                .expect(201);
        return Map.of(
                "exchangeApiKeyToken",
                exchange(key.text("api_key_id"), key.text("secret")),
                "exchangeServiceAccountToken",
                exchange(credential.text("credential_id"), credential.text("secret")),
                "exchangeAdapterToken",
                Json.object()
                        .put("adapter_id", DemoData.ADAPTER.toString())
                        .put("adapter_secret", "the-demo-adapters-secret"));
    }

    private static ObjectNode apiKeyBody() {
        var body = Json.object()
                .put("name", "left behind")
                .put("expires_at", Instant.now().plus(1, ChronoUnit.DAYS).toString());
        body.putArray("actions").add("apps.instance.read");
        return body;
    }

    private static ObjectNode exchange(String id, String secret) {
        return Json.object().put("client_id", id).put("client_secret", secret);
    }

    private static Map<String, String> demoSettings(FreshDatabase database) {
        return Map.of(
                "SLIPWAY_DATABASE_URL", database.url(),
                "SLIPWAY_SERVICES", "iam,catalog,gateway",
                "SLIPWAY_DEMO", "true");
    }

    private void run(FreshDatabase database, String issuer, Consumer<ApiClient> work) {
        var issuers = Json.array();
        issuers.addObject().put("issuer", issuer).put("jwks_url", issuer + "/keys");
        run(
                Map.of(
                        "SLIPWAY_DATABASE_URL",
                        database.url(),
                        "SLIPWAY_SERVICES",
                        "iam,gateway",
                        "SLIPWAY_KEY_ENCRYPTION_KEY",
                        encryptionKey,
                        "SLIPWAY_OIDC_ISSUERS",
                        Json.text(issuers),
                        "SLIPWAY_FIRST_ADMINISTRATOR",
                        issuer + "|root"),
                work);
    }

    private void run(Map<String, String> settings, Consumer<ApiClient> work) {
        run(settings, IamSeed.EMPTY, CatalogSeed.EMPTY, work);
    }

    private void run(Map<String, String> settings, IamSeed iamSeed, CatalogSeed catalogSeed, Consumer<ApiClient> work) {
        var environment = new HashMap<>(settings);
        environment.putAll(Map.of(
                "SLIPWAY_HOME",
                home.toString(),
                "SLIPWAY_RECORD_KEYS_DIRECTORY",
                home.resolve("record-keys").toString(),
                "SLIPWAY_KAFKA_BOOTSTRAP",
                kafka,
                "SLIPWAY_TOPIC_PREFIX",
                prefix,
                "SLIPWAY_TOPIC_PARTITIONS",
                "1",
                "SLIPWAY_HTTP_PORT",
                "0",
                "SLIPWAY_MANAGEMENT_PORT",
                "0"));
        environment.putIfAbsent("SLIPWAY_DEMO", "false");
        var telemetry = Telemetry.start(environment);
        var addresses = new Addresses(kafka, environment.get("SLIPWAY_DATABASE_URL"));
        var platform = PlatformUnderTest.await(
                Platform.start(StandaloneConfig.from(environment), addresses, telemetry, iamSeed, catalogSeed));
        try {
            work.accept(new ApiClient(platform.baseUrl(), null));
            assertThat(platform.serviceContext().health().isReady()).isTrue();
        } finally {
            var stopped = platform.stop();
            assertThat(platform.serviceContext().health().isReady()).isFalse();
            PlatformUnderTest.await(stopped);
            telemetry.close();
        }
    }

    /** A gateway without a database authenticates, and reports that services are unavailable. */
    private static void isRefusedForWhatIsNotThere(ApiClient api) {
        assertThat(api.call("listAdapters").send().expect(503).text("code")).isEqualTo("service_unavailable");
    }

    private static List<String> kids(ApiClient api, String state) {
        return StreamSupport.stream(
                        api.call("listSigningKeys")
                                .send()
                                .expect(200)
                                .body()
                                .path("items")
                                .spliterator(),
                        false)
                .filter(key -> key.path("state").asText().equals(state))
                .map(key -> key.path("kid").asText())
                .toList();
    }

    private static String signing(ApiClient api) {
        assertThat(kids(api, "signing")).hasSize(1);
        return kids(api, "signing").get(0);
    }
}
