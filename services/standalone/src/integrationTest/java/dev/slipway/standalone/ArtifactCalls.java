package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.RegistryPusher;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What the tests of artifacts do again and again: push, sign, register, and what follows, in the demo project unless said otherwise. */
final class ArtifactCalls {
    private final PlatformUnderTest platform;
    private final DistributionServer registry;
    private final ArtifactSigner trusted;

    ArtifactCalls(PlatformUnderTest platform, DistributionServer registry, ArtifactSigner trusted) {
        this.platform = platform;
        this.registry = registry;
        this.trusted = trusted;
    }

    Answer intend(String user, String source, String repository) {
        return intend(user, source, repository, key());
    }

    Answer intend(String user, String source, String repository, String key) {
        return platform.as(user)
                .call("createPublishIntent")
                .path("project_id", Demo.PROJECT)
                .header("Idempotency-Key", key)
                .body(Json.object()
                        .put("registry", source)
                        .put("repository", repository)
                        .put("ttl_seconds", 120))
                .send();
    }

    Answer pull(String user, String artifactId) {
        return platform.as(user)
                .call("createPullIntent")
                .path("project_id", Demo.PROJECT)
                .body(Json.object().put("artifact_id", artifactId))
                .send();
    }

    RegistryPusher publisher(String name) {
        var token =
                intend("project_owner", "shared", own(name)).expect(201).body().at("/credential/token");
        return new RegistryPusher(registry.url(), token.asText());
    }

    String pushed(String name, String content) {
        return publisher(name).image(own(name), "v1", content);
    }

    void signed(String name, String digest) {
        var payload = ArtifactSigner.payload(own(name), digest);
        publisher(name).signature(own(name), digest, payload, trusted.sign(payload));
    }

    /** Pushes to another project's namespace, as somebody there. */
    String pushedTo(UUID projectId, String user, String repository, String content) {
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
        return at(own(name), digest);
    }

    ObjectNode at(String repository, String digest) {
        var body = Json.object()
                .put("artifact_type", "app_bundle")
                .put("artifact_kind", "oci")
                .put("digest", digest);
        body.putObject("source").put("source_type", "oci").put("uri", "oci://" + registry.host() + "/" + repository);
        return body;
    }

    Answer register(String user, ObjectNode body) {
        return register(user, body, key());
    }

    Answer register(String user, ObjectNode body, String key) {
        return register(user, Demo.PROJECT, body, key);
    }

    Answer register(String user, UUID projectId, ObjectNode body, String key) {
        return platform.as(user)
                .call("registerArtifact")
                .path("project_id", projectId)
                .header("Idempotency-Key", key)
                .body(body)
                .send();
    }

    Answer list(String user, String query) {
        return platform.as(user)
                .call("listArtifacts")
                .path("project_id", Demo.PROJECT)
                .query(query)
                .send()
                .expect(200);
    }

    ApiClient.Call one(String operation, String user, String id) {
        return in(Demo.PROJECT, operation, user, id);
    }

    ApiClient.Call in(UUID projectId, String operation, String user, String id) {
        return platform.as(user).call(operation).path("project_id", projectId).path("artifact_id", id);
    }

    Answer verify(String id) {
        return one("verifyArtifact", "project_owner", id).send();
    }

    Answer promote(String id, String channel) {
        return one("promoteArtifact", "tenant_owner", id)
                .body(Json.object().put("channel", channel))
                .send();
    }

    Answer change(String operation, String user, String id) {
        return one(operation, user, id)
                .body(Json.object().put("reason", "it is time"))
                .send();
    }

    List<Seen> announced(String id, String event) {
        return platform.events().where(seen -> seen.type().equals("apps.artifact." + event) && isOf(seen, id));
    }

    void assertAnnounced(String id, String event, int times) {
        eventually(() -> assertThat(announced(id, event)).hasSize(times));
        assertThat(platform.events().faults()).isEmpty();
    }

    void assertAudited(String target, String action) {
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("action").asText().equals(action)
                                && seen.payload().path("target_id").asText().equals(target)))
                .hasSize(1));
    }

    static String own(String name) {
        return "slipway/apps/" + Demo.PROJECT + "/" + name;
    }

    static List<String> ids(Answer page) {
        return StreamSupport.stream(page.body().path("items").spliterator(), false)
                .map(item -> item.path("id").asText())
                .toList();
    }

    private static boolean isOf(Seen seen, String id) {
        return seen.payload().path("artifact_id").asText().equals(id)
                && seen.key().equals(id)
                && seen.payload().path("project_id").asText().equals(Demo.PROJECT.toString());
    }

    static String key() {
        return UUID.randomUUID().toString();
    }
}
