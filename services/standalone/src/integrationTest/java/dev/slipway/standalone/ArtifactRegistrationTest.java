package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.RegistryPusher;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import static dev.slipway.standalone.ArtifactCalls.ids;
import static dev.slipway.standalone.ArtifactCalls.key;
import static dev.slipway.standalone.ArtifactCalls.manifestWith;
import static dev.slipway.standalone.ArtifactCalls.repository;
import static dev.slipway.standalone.ArtifactFixture.TRUSTED;
import static dev.slipway.standalone.ArtifactFixture.UNKNOWN_DIGEST;
import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static org.assertj.core.api.Assertions.assertThat;

/** Registration of artifacts, and credentials to push and pull, through the API and with a registry that requires tokens. */
class ArtifactRegistrationTest {
    private static ArtifactFixture fixture;
    private static DistributionServer registry;
    private static PlatformUnderTest platform;
    private static ArtifactCalls calls;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        fixture = ArtifactFixture.start(directory);
        registry = fixture.registry();
        platform = fixture.platform();
        calls = fixture.calls();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    @Proves({"1.51"})
    void getAppRegistry_listsSourcesAndPushNamespace() {
        var ofProject = platform.as("project_viewer")
                .call("getAppRegistry")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200);
        var ofPlatform =
                platform.as("project_viewer").call("getAppRegistry").send().expect(200);

        var shared = ofProject.body().at("/items/0");
        assertThat(shared.path("tier").asText()).isEqualTo("platform");
        assertThat(shared.path("host").asText()).isEqualTo(registry.host());
        assertThat(shared.path("push_namespace").asText()).isEqualTo("slipway/apps/" + DemoData.PROJECT);
        assertThat(shared.path("credentials").asText()).isEqualTo("intent");
        assertThat(ofPlatform.body().at("/items/0/push_namespace").isNull()).isTrue();
        assertThat(ofPlatform.body().path("items")).hasSize(3);
    }

    @Test
    void publishIntent_isRefused_outsideTheProjectsNamespace_orWithoutCredentials() {
        for (var repository : List.of(
                "slipway/apps/" + DemoData.OTHER_PROJECT + "/echo",
                "slipway/apps/" + DemoData.PROJECT,
                "slipway/apps/" + DemoData.PROJECT + "0/echo",
                "library/echo")) {
            assertThat(calls.createPublishIntent("project_owner", "shared", repository)
                            .expect(403)
                            .text("code"))
                    .as(repository)
                    .isEqualTo("repository_not_allowed");
        }
        assertThat(calls.createPublishIntent("project_owner", "nowhere", repository("echo"))
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
        assertThat(calls.createPublishIntent("project_owner", "open", DemoData.PROJECT + "/echo")
                        .expect(409)
                        .text("code"))
                .isEqualTo("credentials_unavailable");
        assertThat(calls.createPublishIntent("project_owner", "elsewhere", repository("echo"))
                        .expect(403)
                        .text("code"))
                .isEqualTo("repository_not_allowed");
        assertThat(calls.createPublishIntent("project_viewer", "shared", repository("echo"))
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
    }

    @Test
    @Proves({"1.53", "1.66", "2.35"})
    void publishIntent_isValidForOneRepositoryUntilItExpires_andReturnsItsCredentialOnce() {
        var key = UUID.randomUUID().toString();
        var repository = repository("intended");
        var intent = calls.createPublishIntent("project_owner", "shared", repository, key)
                .expect(201);
        var token = intent.body().at("/credential/token").asText();
        var holder = new RegistryPusher(registry.url(), token);

        holder.image(repository, "v1", "pushed by its holder");
        assertThat(holder.tryStartUpload(repository("another"))).isEqualTo(401);
        assertThat(holder.tryStartUpload("slipway/apps/" + DemoData.OTHER_PROJECT + "/intended"))
                .isEqualTo(401);
        assertThat(new RegistryPusher(registry.url(), null).tryStartUpload(repository))
                .isEqualTo(401);

        var again = calls.createPublishIntent("project_owner", "shared", repository, key)
                .expect(201);
        assertThat(again.text("id")).isEqualTo(intent.text("id"));
        assertThat(again.body().has("credential")).isFalse();

        fixture.requireTokens(Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        assertThat(holder.tryStartUpload(repository)).isEqualTo(401);
        fixture.requireTokens(Clock.systemUTC());

        calls.assertAudited(intent.text("id"), "apps.artifact.publish_intent");
        var signature = token.substring(token.lastIndexOf('.') + 1);
        assertThat(platform.events()
                        .find(observedRecord ->
                                observedRecord.event().toString().contains(signature)))
                .isEmpty();
        for (var kept : List.of(
                "encode(value, 'escape') FROM catalog.outbox",
                "encode(body, 'escape') FROM catalog.idempotency",
                "i::text FROM catalog.artifact_intents i")) {
            assertThat(platform.database()
                            .query("SELECT count(*) FROM (SELECT " + kept.replace(" FROM", " AS kept FROM")
                                    + ") AS all_kept" + " WHERE kept LIKE '%" + signature + "%'"))
                    .as(kept)
                    .isEqualTo("0");
        }
    }

    @Test
    @Proves("2.69")
    void register_isRefused_whenSourceLacksDigest_orIsNotAllowed() {
        assertThat(calls.push("known", "known content")).isNotEqualTo(UNKNOWN_DIGEST);
        var elsewhere = calls.body("known", UNKNOWN_DIGEST);
        elsewhere.withObject("/source").put("uri", "oci://registry.example.com/apps/known");
        var inside = calls.body("known", UNKNOWN_DIGEST);
        inside.withObject("/source").put("uri", "oci://169.254.169.254/apps/known");
        var user = calls.body("known", UNKNOWN_DIGEST);
        user.withObject("/source").put("uri", "oci://" + registry.host() + "/../known");

        assertThat(calls.register("project_owner", calls.body("known", UNKNOWN_DIGEST))
                        .expect(409)
                        .text("code"))
                .isEqualTo("digest_not_found");
        assertThat(calls.register("project_owner", elsewhere).expect(403).text("code"))
                .isEqualTo("source_not_allowed");
        assertThat(calls.register("project_owner", inside).expect(403).text("code"))
                .isEqualTo("source_not_allowed");
        assertThat(calls.register("project_owner", user)
                        .expect(400)
                        .body()
                        .at("/details/fields/0/field")
                        .asText())
                .isEqualTo("/source/uri");
        assertThat(calls.register(
                                "project_owner",
                                calls.body("known", UNKNOWN_DIGEST).put("artifact_type", "no_such_type"))
                        .status())
                .isEqualTo(409);
        assertThat(platform.database()
                        .query("SELECT count(*) FROM catalog.app_artifacts WHERE digest = '" + UNKNOWN_DIGEST + "'"))
                .isEqualTo("0");

        var admin = platform.as("platform_superadmin");
        admin.call("registerAppVersion")
                .path("app_slug", DemoData.APP)
                .body(manifestBody(manifestWith(UNKNOWN_DIGEST).put("version", "from-elsewhere")))
                .send()
                .expect(201);
        var publish =
                admin.call("publishAppVersion").path("app_slug", DemoData.APP).path("version", "from-elsewhere");
        assertThat(publish.send().expect(409).text("code")).isEqualTo("manifest_invalid");
        assertThat(platform.launch("project_owner", "")
                        .body(PlatformUnderTest.launchBody("from elsewhere").put("version", "from-elsewhere"))
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("app_version_not_found");
    }

    @Test
    void register_isRefused_whenTypeIsInactive_orSizeOrKindDoesNotMatch() {
        var digest = calls.push("typed", "typed content");
        var sized = calls.body("typed", digest);
        sized.withObject("/source").put("size_bytes", 1);
        var object = calls.body("typed", digest);
        object.withObject("/source").put("source_type", "https").put("uri", "https://" + registry.host() + "/typed");

        assertThat(calls.register("project_owner", calls.body("typed", digest).put("artifact_type", "no_such_type"))
                        .expect(409)
                        .text("code"))
                .isEqualTo("artifact_type_inactive");
        assertThat(calls.register("project_owner", sized).expect(409).text("code"))
                .isEqualTo("digest_mismatch");
        assertThat(calls.register("project_owner", object).expect(400).text("code"))
                .isEqualTo("validation_error");
        assertThat(calls.register("project_owner", calls.body("typed", digest).put("visibility", "platform"))
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
    }

    @Test
    @Proves({"1.52", "1.54", "1.69"})
    void register_storesArtifactOnce_andRepliesEquallyToTheSameKey() throws Exception {
        var digest = calls.push("registered", "registered content");
        var key = UUID.randomUUID().toString();
        var body = calls.body("registered", digest).put("tag", "v1").put("app_slug", "echo");
        body.withObject("/source").put("source_ref", "git:4f1d2e");

        var first = calls.register("project_owner", body, key).expect(201);
        var id = first.text("id");
        registry.failWith("/v2/" + repository("registered") + "/manifests/" + digest, 503);
        var again = calls.register("project_owner", body, key).expect(201);
        assertThat(calls.register("project_owner", body).expect(503).text("code"))
                .isEqualTo("source_unavailable");
        registry.clearFaults();

        assertThat(again.body()).isEqualTo(first.body());
        assertThat(first.header("Location")).endsWith("/app-artifacts/" + id);
        assertThat(first.text("lifecycle_state")).isEqualTo("published");
        assertThat(first.text("trust_state")).isEqualTo("unverified");
        assertThat(first.body().at("/source/source_ref").asText()).isEqualTo("git:4f1d2e");
        var twice = calls.register("project_owner", body).expect(409);
        assertThat(twice.text("code")).isEqualTo("artifact_exists");
        assertThat(twice.body().at("/details/artifact_id").asText()).isEqualTo(id);
        assertThat(ids(calls.list("project_viewer", "digest=" + digest))).containsExactly(id);
        assertThat(ids(calls.list("project_viewer", "digest=" + digest + "&trust_state=verified")))
                .isEmpty();
        calls.assertEventCount(id, "registered", 1);
        calls.assertAudited(id, "apps.artifact.publish");

        var raced = calls.push("raced", "raced content");
        var answers = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> calls.register("project_owner", calls.body("raced", raced))))
                .toList();
        var statuses = answers.stream()
                .map(CompletableFuture::join)
                .map(ApiResponse::status)
                .toList();
        assertThat(statuses).containsOnlyOnce(201).containsOnly(201, 409);
    }

    @Test
    void register_isRefused_whenRepositoryBelongsToAnotherProject() {
        var digest = calls.push("not-yours", "content of one project alone");

        for (var who : Map.of(DemoData.SIBLING_PROJECT, "tenant_owner", DemoData.OTHER_PROJECT, "other_tenant_owner")
                .entrySet()) {
            assertThat(calls.register(who.getValue(), who.getKey(), calls.body("not-yours", digest), key())
                            .expect(403)
                            .text("code"))
                    .isEqualTo("repository_not_allowed");
        }
    }

    @Test
    @Proves({"2.35", "C.08"})
    void pullIntent_requiresVerifiedArtifact_andPullsItsRepositoryOnly() {
        var digest = calls.push("pulled", "content to pull");
        var id = calls.register("project_owner", calls.body("pulled", digest))
                .expect(201)
                .text("id");
        assertThat(calls.createPullIntent("project_viewer", id).expect(409).text("code"))
                .isEqualTo("artifact_unverified");
        calls.sign("pulled", digest);
        calls.verify(id).expect(200);

        var intent = calls.createPullIntent("project_viewer", id).expect(201);

        var holder = new RegistryPusher(
                registry.url(), intent.body().at("/credential/token").asText());
        assertThat(intent.text("repository")).isEqualTo(repository("pulled"));
        assertThat(holder.tryReadManifest(repository("pulled"), "manifests/" + digest))
                .isEqualTo(200);
        assertThat(holder.tryStartUpload(repository("pulled"))).isEqualTo(401);
        assertThat(holder.tryReadManifest(repository("known"), "manifests/v1")).isEqualTo(401);
        calls.assertAudited(intent.text("id"), "apps.artifact.pull_intent");
    }

    /** Blobs come from an object store, or are pushed to a registry with a publish intent. */
    @Test
    @Proves({"1.12", "2.34", "C.10"})
    void blobsFromObjectStoreAndRegistry_passTheSameLifecycle() {
        var bytes = "weights".getBytes(StandardCharsets.UTF_8);
        fixture.objects().putObject("/bucket/weights.bin", bytes);
        fixture.objects().putObject("/bucket/weights.bin.sig", TRUSTED.sign(bytes));
        var object = blob(bytes);
        object.putObject("source")
                .put("source_type", "s3")
                .put("uri", "http://" + fixture.objects().host() + "/bucket/weights.bin")
                .put("size_bytes", bytes.length)
                .put("content_encoding", "identity");
        assertWholeLifecycle(object);
        assertThat(calls.register("project_owner", object.put("digest", UNKNOWN_DIGEST))
                        .expect(409)
                        .text("code"))
                .isEqualTo("digest_mismatch");

        var pushed = "pushed weights".getBytes(StandardCharsets.UTF_8);
        var descriptor = calls.publisher("weights").blob(repository("weights"), "application/octet-stream", pushed);
        calls.sign("weights", descriptor.path("digest").asText());
        var inRegistry = blob(pushed);
        inRegistry
                .putObject("source")
                .put("source_type", "oci")
                .put("uri", "oci://" + registry.host() + "/" + repository("weights"));
        assertWholeLifecycle(inRegistry);
    }

    /** The platform's own credentials would let every project read every repository. */
    @Test
    void register_isRefused_forAnObjectOnARegistry() {
        var secret = "another project's layer".getBytes(StandardCharsets.UTF_8);
        var digest = RegistryPusher.digest(secret);
        var unused = calls.publisher("weights").blob(repository("weights"), "application/octet-stream", secret);

        for (var type : List.of("https", "s3")) {
            var body = blob(secret);
            body.putObject("source")
                    .put("source_type", type)
                    .put("uri", "http://" + registry.host() + "/v2/" + repository("weights") + "/blobs/" + digest);
            var refused = calls.register("project_owner", body).expect(403);
            assertThat(refused.text("code")).isEqualTo("source_not_allowed");
            assertThat(refused.text("message")).contains("is a registry");
        }
    }

    private static ObjectNode blob(byte[] bytes) {
        return Json.object()
                .put("artifact_type", "model_weights")
                .put("artifact_kind", "blob")
                .put("digest", RegistryPusher.digest(bytes));
    }

    private static void assertWholeLifecycle(ObjectNode body) {
        var id = calls.register("project_owner", body).expect(201).text("id");
        assertThat(calls.verify(id).expect(200).text("trust_state")).isEqualTo("verified");
        assertThat(calls.promote(id, "dev").expect(200).text("channel")).isEqualTo("dev");
        calls.change("deprecateArtifact", "project_owner", id).expect(200);
        assertThat(calls.change("retireArtifact", "project_owner", id)
                        .expect(200)
                        .text("lifecycle_state"))
                .isEqualTo("retired");
    }
}
