package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.RegistryPusher;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls that artifact tests share: push, sign, register and change, in the demo project unless another is given. */
final class ArtifactCalls {
    private final PlatformUnderTest platform;
    private final DistributionServer registry;
    private final ArtifactSigner trusted;

    ArtifactCalls(PlatformUnderTest platform, DistributionServer registry, ArtifactSigner trusted) {
        this.platform = platform;
        this.registry = registry;
        this.trusted = trusted;
    }

    ApiResponse createPublishIntent(String user, String source, String repository) {
        return createPublishIntent(user, source, repository, key());
    }

    ApiResponse createPublishIntent(String user, String source, String repository, String key) {
        return platform.as(user)
                .call("createPublishIntent")
                .path("project_id", DemoData.PROJECT)
                .header("Idempotency-Key", key)
                .body(Json.object()
                        .put("registry", source)
                        .put("repository", repository)
                        .put("ttl_seconds", 120))
                .send();
    }

    ApiResponse createPullIntent(String user, String artifactId) {
        return platform.as(user)
                .call("createPullIntent")
                .path("project_id", DemoData.PROJECT)
                .body(Json.object().put("artifact_id", artifactId))
                .send();
    }

    RegistryPusher publisher(String name) {
        var token = createPublishIntent("project_owner", "shared", repository(name))
                .expect(201)
                .body()
                .at("/credential/token");
        return new RegistryPusher(registry.url(), token.asText());
    }

    String push(String name, String content) {
        return publisher(name).image(repository(name), "v1", content);
    }

    void sign(String name, String digest) {
        var payload = ArtifactSigner.payload(repository(name), digest);
        publisher(name).signature(repository(name), digest, payload, trusted.sign(payload));
    }

    /** Pushes to the namespace of another project. */
    String pushTo(UUID projectId, String user, String repository, String content) {
        var token = platform.as(user)
                .call("createPublishIntent")
                .path("project_id", projectId)
                .body(Json.object().put("registry", "shared").put("repository", repository))
                .send()
                .expect(201)
                .body()
                .at("/credential/token");
        return new RegistryPusher(registry.url(), token.asText()).image(repository, "v1", content);
    }

    ObjectNode body(String name, String digest) {
        return at(repository(name), digest);
    }

    ObjectNode at(String repository, String digest) {
        var body = Json.object()
                .put("artifact_type", "app_bundle")
                .put("artifact_kind", "oci")
                .put("digest", digest);
        body.putObject("source").put("source_type", "oci").put("uri", "oci://" + registry.host() + "/" + repository);
        return body;
    }

    ApiResponse register(String user, ObjectNode body) {
        return register(user, body, key());
    }

    ApiResponse register(String user, ObjectNode body, String key) {
        return register(user, DemoData.PROJECT, body, key);
    }

    ApiResponse register(String user, UUID projectId, ObjectNode body, String key) {
        return platform.as(user)
                .call("registerArtifact")
                .path("project_id", projectId)
                .header("Idempotency-Key", key)
                .body(body)
                .send();
    }

    ApiResponse list(String user, String query) {
        return platform.as(user)
                .call("listArtifacts")
                .path("project_id", DemoData.PROJECT)
                .query(query)
                .send()
                .expect(200);
    }

    ApiClient.Call one(String operation, String user, String id) {
        return in(DemoData.PROJECT, operation, user, id);
    }

    ApiClient.Call in(UUID projectId, String operation, String user, String id) {
        return platform.as(user).call(operation).path("project_id", projectId).path("artifact_id", id);
    }

    ApiResponse verify(String id) {
        return one("verifyArtifact", "project_owner", id).send();
    }

    ApiResponse promote(String id, String channel) {
        return one("promoteArtifact", "tenant_owner", id)
                .body(Json.object().put("channel", channel))
                .send();
    }

    ApiResponse change(String operation, String user, String id) {
        return one(operation, user, id)
                .body(Json.object().put("reason", "it is time"))
                .send();
    }

    List<ObservedRecord> events(String id, String event) {
        return platform.events()
                .find(observedRecord ->
                        observedRecord.type().equals("apps.artifact." + event) && isOf(observedRecord, id));
    }

    void assertEventCount(String id, String event, int times) {
        eventually(() -> assertThat(events(id, event)).hasSize(times));
        assertThat(platform.events().violations()).isEmpty();
    }

    void assertAudited(String target, String action) {
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals(action)
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(target)))
                .hasSize(1));
    }

    static ObjectNode manifestWith(String digest) {
        var manifest = Json.parseStoredObject(DemoData.manifest());
        manifest.putArray("artifacts")
                .addObject()
                .put("name", "bundle")
                .put("type", "app_bundle")
                .put("digest", digest);
        return manifest;
    }

    static String repository(String name) {
        return "slipway/apps/" + DemoData.PROJECT + "/" + name;
    }

    static List<String> ids(ApiResponse page) {
        return StreamSupport.stream(page.body().path("items").spliterator(), false)
                .map(item -> item.path("id").asText())
                .toList();
    }

    private static boolean isOf(ObservedRecord observedRecord, String id) {
        return observedRecord.payload().path("artifact_id").asText().equals(id)
                && observedRecord.key().equals(id)
                && observedRecord.payload().path("project_id").asText().equals(DemoData.PROJECT.toString());
    }

    static String key() {
        return UUID.randomUUID().toString();
    }
}
