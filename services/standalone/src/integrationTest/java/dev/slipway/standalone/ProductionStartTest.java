package dev.slipway.standalone;

import dev.slipway.authz.testing.TestKey;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;
import dev.slipway.iam.signingkey.KeyCipher;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

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
        var environment = new HashMap<>(settings);
        environment.putAll(Map.of(
                "SLIPWAY_HOME",
                home.toString(),
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
        var telemetry = Telemetry.start(environment);
        var addresses = new Addresses(kafka, environment.get("SLIPWAY_DATABASE_URL"));
        var platform = PlatformUnderTest.await(Platform.start(
                StandaloneConfig.from(environment), addresses, telemetry, IamSeed.EMPTY, CatalogSeed.EMPTY));
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
