package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ArtifactSigner;
import dev.slipway.testkit.DistributionServer;
import dev.slipway.testkit.DistributionServer.TokenRules;
import dev.slipway.testkit.Proves;
import dev.slipway.testkit.RegistryPusher;
import dev.slipway.testkit.TestCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.ArtifactCalls.ids;
import static dev.slipway.standalone.ArtifactCalls.key;
import static dev.slipway.standalone.ArtifactCalls.own;
import static dev.slipway.standalone.CatalogCalls.problems;
import static dev.slipway.standalone.CatalogCalls.wrapped;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Artifacts from a publisher's machine to production, and out of it again: by the API, with a registry that asks for tokens. */
class ArtifactsTest {
    private static final String NOWHERE = "sha256:" + "0".repeat(64);
    private static final ArtifactSigner TRUSTED = new ArtifactSigner();
    private static DistributionServer registry;
    /** A tenant's own. */
    private static DistributionServer tenants;

    private static TestCertificate certificate;
    private static PlatformUnderTest platform;
    private static ArtifactCalls calls;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        certificate = TestCertificate.in(directory);
        registry = new DistributionServer();
        registry.requireTokens(rules(Clock.systemUTC()));
        tenants = new DistributionServer();
        var local = registry.host() + "," + tenants.host();
        var source = Json.object()
                .put("name", "shared")
                .put("host", registry.host())
                .put("namespace", "slipway/apps")
                .put("push", true)
                .put("token_service", "test-registry");
        var open = Json.object()
                .put("name", "open")
                .put("host", "open.example.com")
                .put("push", true);
        var objects = Json.object()
                .put("name", "elsewhere")
                .put("source_type", "https")
                .put("host", "objects.example.com");
        platform = new PlatformUnderTest(Map.of(
                "SLIPWAY_ARTIFACT_SOURCES",
                        Json.text(Json.array().add(source).add(open).add(objects)),
                "SLIPWAY_ARTIFACT_PRIVATE_HOSTS", local,
                "SLIPWAY_ARTIFACT_PLAIN_HOSTS", local,
                "SLIPWAY_ARTIFACT_TRUSTED_KEYS",
                        Files.writeString(directory.resolve("trusted.pem"), TRUSTED.publicKeyPem())
                                .toString(),
                "SLIPWAY_REGISTRY_TOKEN_KEY_FILE", certificate.keyFile().toString(),
                "SLIPWAY_REGISTRY_TOKEN_CERTIFICATE_FILE",
                        certificate.certificateFile().toString()));
        calls = new ArtifactCalls(platform, registry, TRUSTED);
    }

    @AfterAll
    static void stop() {
        platform.close();
        registry.close();
        tenants.close();
    }

    private static TokenRules rules(Clock clock) {
        return new TokenRules("slipway", "test-registry", certificate.certificate(), clock);
    }

    @Test
    @Proves({"1.51"})
    void registry_tellsWhereAProjectPushesAndPulls() {
        var ofProject = platform.as("project_viewer")
                .call("getAppRegistry")
                .header("X-Project-ID", Demo.PROJECT.toString())
                .send()
                .expect(200);
        var ofPlatform =
                platform.as("project_viewer").call("getAppRegistry").send().expect(200);

        var shared = ofProject.body().at("/items/0");
        assertThat(shared.path("tier").asText()).isEqualTo("platform");
        assertThat(shared.path("host").asText()).isEqualTo(registry.host());
        assertThat(shared.path("push_namespace").asText()).isEqualTo("slipway/apps/" + Demo.PROJECT);
        assertThat(shared.path("credentials").asText()).isEqualTo("intent");
        assertThat(ofPlatform.body().at("/items/0/push_namespace").isNull()).isTrue();
        assertThat(ofPlatform.body().path("items")).hasSize(3);
    }

    @Test
    void publishIntent_isRefused_outsideOfTheProjectsNamespace_orWhereThereIsNoCredential() {
        for (var repository : List.of(
                "slipway/apps/" + Demo.OTHER_PROJECT + "/echo",
                "slipway/apps/" + Demo.PROJECT,
                "slipway/apps/" + Demo.PROJECT + "0/echo",
                "library/echo")) {
            assertThat(calls.intend("project_owner", "shared", repository)
                            .expect(403)
                            .text("code"))
                    .as(repository)
                    .isEqualTo("repository_not_allowed");
        }
        assertThat(calls.intend("project_owner", "nowhere", own("echo"))
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
        assertThat(calls.intend("project_owner", "open", Demo.PROJECT + "/echo")
                        .expect(409)
                        .text("code"))
                .isEqualTo("credentials_unavailable");
        assertThat(calls.intend("project_owner", "elsewhere", own("echo"))
                        .expect(403)
                        .text("code"))
                .isEqualTo("repository_not_allowed");
        assertThat(calls.intend("project_viewer", "shared", own("echo"))
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
    }

    @Test
    @Proves({"1.53", "1.66", "2.35"})
    void publishIntent_isGoodForOneRepository_forAWhile_andItsCredentialIsShownOnce() {
        var key = UUID.randomUUID().toString();
        var repository = own("intended");
        var intent = calls.intend("project_owner", "shared", repository, key).expect(201);
        var token = intent.body().at("/credential/token").asText();
        var holder = new RegistryPusher(registry.url(), token);

        holder.image(repository, "v1", "pushed by its holder");
        assertThat(holder.tryToBegin(own("another"))).isEqualTo(401);
        assertThat(holder.tryToBegin("slipway/apps/" + Demo.OTHER_PROJECT + "/intended"))
                .isEqualTo(401);
        assertThat(new RegistryPusher(registry.url(), null).tryToBegin(repository))
                .isEqualTo(401);

        var again = calls.intend("project_owner", "shared", repository, key).expect(201);
        assertThat(again.text("id")).isEqualTo(intent.text("id"));
        assertThat(again.body().has("credential")).isFalse();

        registry.requireTokens(rules(Clock.offset(Clock.systemUTC(), Duration.ofHours(1))));
        assertThat(holder.tryToBegin(repository)).isEqualTo(401);
        registry.requireTokens(rules(Clock.systemUTC()));

        calls.assertAudited(intent.text("id"), "apps.artifact.publish_intent");
        var signature = token.substring(token.lastIndexOf('.') + 1);
        assertThat(platform.events().where(seen -> seen.event().toString().contains(signature)))
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
    void register_isRefused_whenTheSourceHasItNot_orPolicyAllowsItNot() {
        assertThat(calls.pushed("known", "known content")).isNotEqualTo(NOWHERE);
        var elsewhere = calls.body("known", NOWHERE);
        elsewhere.withObject("/source").put("uri", "oci://registry.example.com/apps/known");
        var inside = calls.body("known", NOWHERE);
        inside.withObject("/source").put("uri", "oci://169.254.169.254/apps/known");
        var user = calls.body("known", NOWHERE);
        user.withObject("/source").put("uri", "oci://" + registry.host() + "/../known");

        assertThat(calls.register("project_owner", calls.body("known", NOWHERE))
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
        assertThat(calls.register("project_owner", calls.body("known", NOWHERE).put("artifact_type", "no_such_type"))
                        .status())
                .isEqualTo(409);
        assertThat(platform.database()
                        .query("SELECT count(*) FROM catalog.app_artifacts WHERE digest = '" + NOWHERE + "'"))
                .isEqualTo("0");

        var admin = platform.as("platform_superadmin");
        admin.call("registerAppVersion")
                .path("app_slug", Demo.APP)
                .body(wrapped(manifestWith(NOWHERE).put("version", "from-elsewhere")))
                .send()
                .expect(201);
        var publish = admin.call("publishAppVersion").path("app_slug", Demo.APP).path("version", "from-elsewhere");
        assertThat(publish.send().expect(409).text("code")).isEqualTo("manifest_invalid");
        assertThat(platform.launch("project_owner", "")
                        .body(PlatformUnderTest.launchBody("from elsewhere").put("version", "from-elsewhere"))
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("app_version_not_found");
    }

    @Test
    void register_isRefused_whenTheTypeIsNotActive_theSizeIsAnother_orTheKindDoesNotFit() {
        var digest = calls.pushed("typed", "typed content");
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
    void register_keepsTheArtifact_once_andAnswersTheSameToTheSameKey() throws Exception {
        var digest = calls.pushed("registered", "registered content");
        var key = UUID.randomUUID().toString();
        var body = calls.body("registered", digest).put("tag", "v1").put("app_slug", "echo");
        body.withObject("/source").put("source_ref", "git:4f1d2e");

        var first = calls.register("project_owner", body, key).expect(201);
        var id = first.text("id");
        registry.failAt("/v2/" + own("registered") + "/manifests/" + digest, 503);
        var again = calls.register("project_owner", body, key).expect(201);
        assertThat(calls.register("project_owner", body).expect(503).text("code"))
                .isEqualTo("source_unavailable");
        registry.behave();

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
        calls.assertAnnounced(id, "registered", 1);
        calls.assertAudited(id, "apps.artifact.publish");

        var raced = calls.pushed("raced", "raced content");
        var answers = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> calls.register("project_owner", calls.body("raced", raced))))
                .toList();
        var statuses = answers.stream()
                .map(CompletableFuture::join)
                .map(Answer::status)
                .toList();
        assertThat(statuses).containsOnlyOnce(201).containsOnly(201, 409);
    }

    @Test
    @Proves({"1.55", "1.56", "1.57", "1.69", "3.59", "3.71", "3.114", "C.09"})
    void artifact_goesFromPublishedToRetired_byItsTrustAndInOrder() {
        var digest = calls.pushed("lifecycle", "content with a life");
        var body = calls.body("lifecycle", digest);
        body.withObject("/source").put("source_ref", "git:4f1d2e");
        var id = calls.register("project_owner", body).expect(201).text("id");
        var refusals = promotions("artifact_unverified");

        assertThat(calls.promote(id, "dev").expect(409).text("code")).isEqualTo("artifact_unverified");
        assertThat(promotions("artifact_unverified")).isEqualTo(refusals + 1);
        var failed = calls.verify(id).expect(200);
        assertThat(failed.text("trust_state")).isEqualTo("failed_verification");
        assertThat(failed.text("trust_reason")).isEqualTo("signature: there is no signature beside the artifact");
        assertThat(calls.promote(id, "dev").expect(409).text("code")).isEqualTo("artifact_verification_failed");

        calls.signed("lifecycle", digest);
        var verified = calls.verify(id).expect(200);
        assertThat(verified.text("trust_state")).isEqualTo("verified");
        assertThat(verified.body().at("/verification/checks").toString())
                .contains("signature")
                .contains("passed");
        assertThat(calls.promote(id, "test").expect(409).text("code")).isEqualTo("channel_out_of_order");
        for (var channel : List.of("dev", "test", "staging", "prod")) {
            assertThat(calls.promote(id, channel).expect(200).text("channel")).isEqualTo(channel);
        }
        assertThat(calls.promote(id, "prod").expect(200).text("lifecycle_state"))
                .isEqualTo("promoted");
        assertThat(calls.change("retireArtifact", "project_owner", id)
                        .expect(409)
                        .text("code"))
                .isEqualTo("state_conflict");
        assertThat(calls.change("deprecateArtifact", "project_owner", id)
                        .expect(200)
                        .text("lifecycle_state"))
                .isEqualTo("deprecated");
        assertThat(calls.promote(id, "prod").expect(409).text("code")).isEqualTo("state_conflict");
        assertThat(calls.change("retireArtifact", "project_owner", id)
                        .expect(200)
                        .text("lifecycle_state"))
                .isEqualTo("retired");
        assertThat(calls.verify(id).expect(409).text("code")).isEqualTo("state_conflict");

        var last = calls.one("getArtifact", "project_viewer", id).send().expect(200);
        assertThat(last.text("trust_state")).isEqualTo("verified");
        assertThat(problemsOfAManifestWith("v1")).contains("/artifacts/0/digest shape");
        assertThat(last.text("repository")).isEqualTo(registry.host() + "/" + own("lifecycle"));
        assertThat(last.body().at("/source/source_ref").asText()).isEqualTo("git:4f1d2e");
        var history =
                calls.one("listArtifactHistory", "project_viewer", id).send().expect(200);
        assertThat(StreamSupport.stream(history.body().path("items").spliterator(), false)
                        .map(entry -> entry.path("event").asText() + " "
                                + entry.path("channel").asText("-")))
                .containsExactly(
                        "retired prod",
                        "deprecated prod",
                        "promoted prod",
                        "promoted staging",
                        "promoted test",
                        "promoted dev",
                        "verified -",
                        "verification_failed -",
                        "registered -");
        for (var event : List.of("registered", "verified", "verification_failed", "deprecated", "retired")) {
            calls.assertAnnounced(id, event, 1);
        }
        calls.assertAnnounced(id, "promoted", 4);
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.recorded")
                                && seen.payload().path("target_id").asText().equals(id)
                                && seen.payload().path("action").asText().equals("apps.artifact.promote")
                                && seen.payload()
                                        .at("/metadata/digest")
                                        .asText()
                                        .equals(digest)
                                && seen.payload()
                                        .at("/metadata/channel")
                                        .asText()
                                        .equals("staging")))
                .hasSize(1));
    }

    @Test
    void revoke_endsTheTrustInADigest_whereverItIsRegistered_forGood() {
        var digest = calls.pushed("revoked", "content that turns out bad");
        calls.signed("revoked", digest);
        var id = calls.register("project_owner", calls.body("revoked", digest))
                .expect(201)
                .text("id");
        assertThat(problemsOfAManifestWith(NOWHERE)).contains("/artifacts/0/digest artifact_untrusted");
        assertThat(problemsOfAManifestWith(digest)).contains("/artifacts/0/digest artifact_untrusted");
        calls.verify(id).expect(200);
        assertThat(problemsOfAManifestWith(digest)).doesNotContain("/artifacts/0/digest artifact_untrusted");
        calls.promote(id, "dev").expect(200);
        var instance = launchedWith(digest);
        var siblings = "slipway/apps/" + Demo.SIBLING_PROJECT + "/revoked";
        var same = calls.pushedTo(Demo.SIBLING_PROJECT, "tenant_owner", siblings, "content that turns out bad");
        assertThat(same).isEqualTo(digest);
        var sibling = calls.register("tenant_owner", Demo.SIBLING_PROJECT, calls.at(siblings, digest), key())
                .expect(201);

        assertThat(calls.change("revokeArtifact", "tenant_owner", id)
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
        var revoked = calls.one("adminRevokeArtifact", "platform_ops", id)
                .header("X-Break-Glass-Reason", "a key of its builder leaked")
                .body(Json.object().put("reason", "its builder's key leaked"))
                .send()
                .expect(200);

        assertThat(revoked.text("trust_state")).isEqualTo("revoked");
        assertThat(revoked.text("lifecycle_state")).isEqualTo("promoted");
        eventually(() -> assertThat(platform.managed("/metrics"))
                .containsPattern("slipway_artifacts\\{trust_state=\"revoked\"} [1-9]")
                .containsPattern("slipway_artifacts\\{trust_state=\"verified\"} \\d"));
        assertThat(problemsOfAManifestWith(digest)).contains("/artifacts/0/digest artifact_untrusted");
        assertThat(calls.promote(id, "test").expect(409).text("code")).isEqualTo("artifact_revoked");
        assertThat(promotions("artifact_revoked")).isPositive();
        assertThat(platform.managed("/metrics")).contains("slipway_policy_age_seconds");
        assertThat(calls.verify(id).expect(409).text("code")).isEqualTo("artifact_revoked");
        assertThat(calls.pull("project_owner", id).expect(409).text("code")).isEqualTo("artifact_revoked");
        assertThat(platform.as("tenant_owner")
                        .call("getArtifact")
                        .path("project_id", Demo.SIBLING_PROJECT)
                        .path("artifact_id", sibling.text("id"))
                        .send()
                        .expect(200)
                        .text("trust_reason"))
                .isEqualTo("its builder's key leaked");
        var others = "slipway/apps/" + Demo.OTHER_PROJECT + "/revoked";
        var again = calls.pushedTo(Demo.OTHER_PROJECT, "other_tenant_owner", others, "content that turns out bad");
        assertThat(calls.register("other_tenant_owner", Demo.OTHER_PROJECT, calls.at(others, again), key())
                        .expect(409)
                        .text("code"))
                .isEqualTo("artifact_revoked");
        eventually(() -> assertThat(
                        platform.launch("project_owner", "too late").send().text("code"))
                .isEqualTo("artifact_revoked"));
        calls.assertAnnounced(id, "revoked", 1);
        var told = calls.announced(id, "revoked").get(0).payload();
        assertThat(told.path("instances_total").asInt()).isEqualTo(1);
        assertThat(told.at("/instances/0/app_instance_id").asText()).isEqualTo(instance);
        assertThat(told.path("reason").asText()).isEqualTo("its builder's key leaked");
    }

    @Test
    @Proves("C.08")
    void artifact_isNotFound_byOtherTenants_andSeenByItsTenant_onlyWhereItIsShared() {
        var own = calls.register("project_owner", calls.body("private", calls.pushed("private", "private content")))
                .expect(201)
                .text("id");
        var digest = calls.pushed("for-all", "content for the tenant");
        calls.signed("for-all", digest);
        var shared = calls.register(
                        "project_owner", calls.body("for-all", digest).put("visibility", "tenant"))
                .expect(201)
                .text("id");
        calls.verify(shared).expect(200);

        for (var id : List.of(own, shared)) {
            for (var operation : List.of("getArtifact", "listArtifactHistory", "verifyArtifact")) {
                assertThat(calls.in(Demo.OTHER_PROJECT, operation, "other_tenant_owner", id)
                                .send()
                                .expect(404)
                                .text("code"))
                        .isEqualTo("artifact_not_found");
            }
            for (var operation : List.of("promoteArtifact", "deprecateArtifact", "retireArtifact")) {
                var body = operation.equals("promoteArtifact")
                        ? Json.object().put("channel", "dev")
                        : Json.object().put("reason", "to hurt");
                assertThat(calls.in(Demo.OTHER_PROJECT, operation, "other_tenant_owner", id)
                                .body(body)
                                .send()
                                .expect(404)
                                .text("code"))
                        .isEqualTo("artifact_not_found");
                assertThat(calls.in(Demo.SIBLING_PROJECT, operation, "tenant_owner", id)
                                .body(body)
                                .send()
                                .status())
                        .isEqualTo(404);
            }
        }
        calls.in(Demo.SIBLING_PROJECT, "getArtifact", "tenant_owner", own)
                .send()
                .expect(404);
        calls.in(Demo.SIBLING_PROJECT, "getArtifact", "tenant_owner", shared)
                .send()
                .expect(200);
        var listed = platform.as("tenant_owner")
                .call("listArtifacts")
                .path("project_id", Demo.SIBLING_PROJECT)
                .query("include=shared")
                .send()
                .expect(200);
        assertThat(ids(listed)).contains(shared).doesNotContain(own);
    }

    @Test
    @Proves({"1.11", "2.30", "2.31", "2.32", "2.33"})
    void policy_decidesTheSources_atEveryUse() {
        var policies = new PolicyCalls(platform);
        var home = policies.home("sources");
        var repository = "slipway/apps/" + home.projectId() + "/echo";
        var intent = home.call("createPublishIntent")
                .body(Json.object().put("registry", "shared").put("repository", repository));
        var pusher = new RegistryPusher(
                registry.url(),
                intent.send().expect(201).body().at("/credential/token").asText());
        var digest = pusher.image(repository, "v1", "under policy");
        var register =
                home.call("registerArtifact").body(calls.at(repository, digest).put("artifact_type", "sdk_example"));
        assertThat(hosts(home)).containsExactlyInAnyOrder(registry.host(), "open.example.com", "objects.example.com");
        var id = register.send().expect(201).text("id");
        try {
            var own = "'*.tenant.example.com', '" + tenants.host() + "'";
            var values = "{'artifact_source_allowlist': ['" + registry.host() + "', " + own + "]}";
            policies.global().say(values, "{}");
            assertThat(hosts(home)).containsExactly(registry.host(), "*.tenant.example.com", tenants.host());
            assertThat(verify(home, id).text("trust_state")).isEqualTo("verified");

            home.levelOf("project").say("{'artifact_source_allowlist': [" + own + "]}", "{}");
            assertThat(hosts(home)).containsExactly("*.tenant.example.com", tenants.host());
            assertThat(verify(home, id).text("trust_reason"))
                    .isEqualTo("source: policy does not allow " + registry.host());
            assertThat(register.send().expect(403).text("code")).isEqualTo("source_not_allowed");
            assertThat(intent.send().expect(403).text("code")).isEqualTo("source_not_allowed");
            var theirs = new RegistryPusher(tenants.url(), null).image("team/echo", "v1", "the tenant's own");
            var body = calls.at("team/echo", theirs).put("artifact_type", "sdk_example");
            body.withObject("/source").put("uri", "oci://" + tenants.host() + "/team/echo");
            var registered = home.call("registerArtifact").body(body).send().expect(201);
            assertThat(verify(home, registered.text("id")).text("trust_state")).isEqualTo("verified");

            var wider =
                    home.levelOf("project").saying("{'artifact_source_allowlist': ['elsewhere.example.com']}", "{}");
            assertThat(wider.status()).isGreaterThanOrEqualTo(400);
            policies.global().say(values, "{'artifact_source_allowlist': [" + own + "]}");
            assertThat(hosts(home)).isEmpty();
        } finally {
            policies.global().say("{}", "{}");
        }
    }

    private static Answer verify(PolicyCalls.Home home, String id) {
        return home.call("verifyArtifact").path("artifact_id", id).send().expect(200);
    }

    private static List<String> hosts(PolicyCalls.Home home) {
        var answer = home.call("getAppRegistry")
                .header("X-Project-ID", home.projectId())
                .send()
                .expect(200);
        return StreamSupport.stream(answer.body().path("items").spliterator(), false)
                .map(item -> item.path("host").asText())
                .toList();
    }

    @Test
    void register_isRefused_whenTheRepositoryIsAnotherProjects() {
        var digest = calls.pushed("not-yours", "content of one project alone");

        for (var who : Map.of(Demo.SIBLING_PROJECT, "tenant_owner", Demo.OTHER_PROJECT, "other_tenant_owner")
                .entrySet()) {
            assertThat(calls.register(who.getValue(), who.getKey(), calls.body("not-yours", digest), key())
                            .expect(403)
                            .text("code"))
                    .isEqualTo("repository_not_allowed");
        }
    }

    @Test
    @Proves({"2.35", "C.08"})
    void pullIntent_isForWhatIsVerified_andPullsNothingElse() {
        var digest = calls.pushed("pulled", "content to pull");
        var id = calls.register("project_owner", calls.body("pulled", digest))
                .expect(201)
                .text("id");
        assertThat(calls.pull("project_viewer", id).expect(409).text("code")).isEqualTo("artifact_unverified");
        calls.signed("pulled", digest);
        calls.verify(id).expect(200);

        var intent = calls.pull("project_viewer", id).expect(201);

        var holder = new RegistryPusher(
                registry.url(), intent.body().at("/credential/token").asText());
        assertThat(intent.text("repository")).isEqualTo(own("pulled"));
        assertThat(holder.tryToRead(own("pulled"), "manifests/" + digest)).isEqualTo(200);
        assertThat(holder.tryToBegin(own("pulled"))).isEqualTo(401);
        assertThat(holder.tryToRead(own("known"), "manifests/v1")).isEqualTo(401);
        calls.assertAudited(intent.text("id"), "apps.artifact.pull_intent");
    }

    @Test
    @Proves({"1.12", "2.34", "C.10"})
    void register_takesAnObject_byTheSameOperations() {
        var bytes = "weights".getBytes(StandardCharsets.UTF_8);
        registry.putObject("/bucket/weights.bin", bytes);
        registry.putObject("/bucket/weights.bin.sig", TRUSTED.sign(bytes));
        var body = Json.object()
                .put("artifact_type", "model_weights")
                .put("artifact_kind", "blob")
                .put("digest", RegistryPusher.digest(bytes));
        body.putObject("source")
                .put("source_type", "s3")
                .put("uri", "http://" + registry.host() + "/bucket/weights.bin")
                .put("size_bytes", bytes.length)
                .put("content_encoding", "identity");

        var id = calls.register("project_owner", body).expect(201).text("id");

        assertThat(calls.verify(id).expect(200).text("trust_state")).isEqualTo("verified");
        assertThat(calls.promote(id, "dev").expect(200).text("channel")).isEqualTo("dev");
        calls.change("deprecateArtifact", "project_owner", id).expect(200);
        assertThat(calls.change("retireArtifact", "project_owner", id)
                        .expect(200)
                        .text("lifecycle_state"))
                .isEqualTo("retired");
        assertThat(calls.register("project_owner", body.put("digest", NOWHERE))
                        .expect(409)
                        .text("code"))
                .isEqualTo("digest_mismatch");
        registry.behave();
    }

    /** All of it, in the order in which somebody new to the platform meets it; nothing but public operations. */
    @Test
    @Proves({"1.01", "3.18", "2.69"})
    void thirdParty_bringsAnApp_fromNothingToALaunch() {
        var admin = platform.as("platform_superadmin");
        var product = Json.object();
        product.putObject("body").put("display_name", "Third").put("owner", "third inc");
        admin.call("putRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "third")
                .body(product)
                .send()
                .expect(200);
        admin.call("moveRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "third")
                .body(Json.object().put("lifecycle", "active"))
                .send()
                .expect(200);
        admin.call("createApp")
                .body(Json.object()
                        .put("slug", "third-app")
                        .put("display_name", "Third app")
                        .put("category", "serving")
                        .put("publisher", "third inc")
                        .put("product_id", "third"))
                .send()
                .expect(201);
        var digest = calls.pushed("third-app", "the third party's bundle");
        var draft = manifestWith(digest).put("app", "third-app").put("version", "1.0.0");
        ((ObjectNode) draft.at("/artifacts/0")).put("reference", "oci://" + registry.host() + "/third-app");
        var registered = admin.call("registerAppVersion")
                .path("app_slug", "third-app")
                .body(wrapped(draft))
                .send()
                .expect(201);
        assertThat(problems(registered)).containsExactly("/artifacts/0/digest artifact_untrusted");
        assertThat(version("publishAppVersion").send().expect(409).text("code")).isEqualTo("manifest_invalid");

        var artifact = calls.register("project_owner", calls.body("third-app", digest))
                .expect(201)
                .text("id");
        assertThat(calls.verify(artifact).expect(200).text("trust_state")).isEqualTo("failed_verification");
        assertThat(calls.promote(artifact, "dev").status()).isEqualTo(409);
        calls.signed("third-app", digest);
        assertThat(calls.verify(artifact).expect(200).text("trust_state")).isEqualTo("verified");
        List.of("dev", "test", "staging", "prod")
                .forEach(channel -> calls.promote(artifact, channel).expect(200));
        version("publishAppVersion").send().expect(200);
        assertThat(seenByTheProject()).isEqualTo("false app_not_entitled");

        var entitled = entitle("{'enabled': true}", null);
        assertThat(seenByTheProject()).isEqualTo("true ");
        eventually(() -> launchThirdApp().expect(202));

        // A version that was published stays published; whether a project may have it from there is asked at each
        // launch.
        var global = new PolicyCalls(platform).global();
        global.say("{'artifact_source_allowlist': ['" + registry.host() + "', 'elsewhere.example.com']}", "{}");
        try {
            var narrowed = entitle(
                    "{'enabled': true, 'policy_overrides': {'artifact_source_allowlist': ['elsewhere.example.com']}}",
                    entitled.header("ETag"));
            assertThat(narrowed.header("ETag")).isNotEqualTo(entitled.header("ETag"));
            assertThat(seenByTheProject()).isEqualTo("false source_not_allowed");
            eventually(() -> assertThat(launchThirdApp().expect(403).text("message"))
                    .contains("oci://" + registry.host() + "/third-app", "by the entitlement level"));
        } finally {
            global.say("{}", "{}");
        }
    }

    private static Answer entitle(String body, @Nullable String etag) {
        var call = platform.as("tenant_admin")
                .call("putAppEntitlement")
                .path("project_id", Demo.PROJECT)
                .path("app_slug", "third-app")
                .body(PolicyCalls.json(body));
        return (etag == null ? call : call.header("If-Match", etag)).send().expect(200);
    }

    private static Answer launchThirdApp() {
        return platform.as("project_member")
                .call("createAppInstance")
                .path("project_id", Demo.PROJECT)
                .body(Json.object()
                        .put("app_slug", "third-app")
                        .put("version", "1.0.0")
                        .put("display_name", "the first of many"))
                .send();
    }

    private static ApiClient.Call version(String operation) {
        return platform.as("platform_superadmin")
                .call(operation)
                .path("app_slug", "third-app")
                .path("version", "1.0.0");
    }

    private static String seenByTheProject() {
        var seen = platform.as("project_viewer")
                .call("getAppVersion")
                .path("app_slug", "third-app")
                .path("version", "1.0.0")
                .header("X-Project-ID", Demo.PROJECT.toString())
                .send()
                .expect(200)
                .body();
        return seen.path("launchable").asText() + " "
                + seen.path("not_launchable_reason").asText("");
    }

    /** What the catalog finds wrong with the demo's manifest, if it named the digest. */
    private static List<String> problemsOfAManifestWith(String digest) {
        return problems(platform.as("platform_superadmin")
                .call("validateManifest")
                .body(wrapped(manifestWith(digest)))
                .send()
                .expect(200));
    }

    private static ObjectNode manifestWith(String digest) {
        var manifest = Json.trusted(Demo.manifest());
        manifest.putArray("artifacts")
                .addObject()
                .put("name", "bundle")
                .put("type", "app_bundle")
                .put("digest", digest);
        return manifest;
    }

    /** An instance of a version that names the digest, once the catalog knows of it. */
    private static String launchedWith(String digest) {
        var names = "manifest = manifest || '{\"artifacts\": [{\"digest\": \"" + digest + "\"}]}'";
        for (var kept : Map.of("catalog", names, "instances", names + ", artifact_digests = '{" + digest + "}'")
                .entrySet()) {
            platform.database()
                    .execute(
                            "UPDATE %1$s.app_versions SET %2$s WHERE app_id = (SELECT id FROM %1$s.app_catalog WHERE slug = '%3$s')"
                                    .formatted(kept.getKey(), kept.getValue(), Demo.APP));
        }
        var instance = platform.launch("project_owner", "runs with it")
                .send()
                .expect(202)
                .text("id");
        eventually(() -> assertThat(platform.database()
                        .query("SELECT count(*) FROM catalog.launched_instances WHERE id = '" + instance + "'"))
                .isEqualTo("1"));
        return instance;
    }

    /** How many promotions came to this. */
    private static double promotions(String outcome) {
        return platform.managed("/metrics")
                .lines()
                .filter(line -> line.startsWith("slipway_artifact_promotions_total{outcome=\"" + outcome + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }
}
