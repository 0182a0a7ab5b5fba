package dev.slipway.standalone;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;
import dev.slipway.standalone.Platform.Addresses;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreePorts;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a second process is ready only when it has replicated existing data. */
class ReadinessTest {
    /** An error that consumers retry for as long as it lasts. */
    private static final String DELAY_PROJECTS = """
            CREATE FUNCTION instances.reject() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'delayed by a test' USING ERRCODE = '57P03'; END $$;
            CREATE TRIGGER delayed BEFORE INSERT ON instances.projects FOR EACH ROW EXECUTE FUNCTION instances.reject()
            """;

    private static final String END_DELAY = "DROP TRIGGER delayed ON instances.projects";
    private static final Telemetry TELEMETRY = Telemetry.start(Map.of());

    @TempDir
    private Path home;

    private final int managementPort = FreePorts.find(1).get(0);

    @AfterAll
    static void close() {
        TELEMETRY.close();
    }

    @Test
    void process_isReady_onlyWhenItsReadModelsAreCurrent() throws Exception {
        try (var platform = new PlatformUnderTest(Map.of("SLIPWAY_SERVICES", "iam,catalog,gateway"))) {
            var first = PlatformUnderTest.await(startInstances(platform));
            assertThat(platform.database().query("SELECT count(*) FROM instances.projects"))
                    .isEqualTo(platform.database().query("SELECT count(*) FROM iam.projects"));
            assertThat(platform.database().query("SELECT count(*) FROM instances.project_app_entitlements"))
                    .isEqualTo(platform.database().query("SELECT count(*) FROM catalog.project_app_entitlements"));
            PlatformUnderTest.await(first.stop());
            var projectId = platform.as("tenant_owner")
                    .call("createProject")
                    .path("org_id", DemoData.ORG)
                    .body(Json.object().put("slug", "late").put("display_name", "Late"))
                    .send()
                    .expect(201)
                    .text("id");
            platform.database().execute(DELAY_PROJECTS);

            var starting = startInstances(platform);

            eventually(() -> assertThat(health().body()).contains("records to apply: {instances.read-models="));
            assertThat(health().statusCode()).isEqualTo(503);
            assertThat(starting.isComplete()).isFalse();
            platform.database().execute(END_DELAY);
            var second = PlatformUnderTest.await(starting);
            assertThat(platform.database()
                            .query("SELECT count(*) FROM instances.projects WHERE id = '" + projectId + "'"))
                    .isEqualTo("1");
            assertThat(health().statusCode()).as(health().body()).isEqualTo(200);
            PlatformUnderTest.await(second.stop());
        }
    }

    private Future<Platform> startInstances(PlatformUnderTest platform) {
        var config = StandaloneConfig.from(Map.of(
                "SLIPWAY_HOME", home.toString(),
                "SLIPWAY_KAFKA_BOOTSTRAP", platform.kafkaBootstrap(),
                "SLIPWAY_DATABASE_URL", platform.database().url(),
                "SLIPWAY_TOPIC_PREFIX", platform.topicPrefix(),
                "SLIPWAY_RECORD_KEYS_DIRECTORY", platform.recordKeys().toString(),
                "SLIPWAY_TOPIC_PARTITIONS", "2",
                "SLIPWAY_MANAGEMENT_PORT", String.valueOf(managementPort),
                "SLIPWAY_SERVICES", "instances"));
        var addresses =
                new Addresses(platform.kafkaBootstrap(), platform.database().url());
        return Platform.start(config, addresses, TELEMETRY, IamSeed.EMPTY, CatalogSeed.EMPTY);
    }

    private HttpResponse<String> health() throws Exception {
        var address = URI.create("http://127.0.0.1:" + managementPort + "/health/ready");
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    }
}
