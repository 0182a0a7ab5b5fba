package dev.slipway.standalone;

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
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.ArtifactCalls.ids;
import static dev.slipway.standalone.ArtifactCalls.key;
import static dev.slipway.standalone.ArtifactCalls.manifestWith;
import static dev.slipway.standalone.ArtifactCalls.repository;
import static dev.slipway.standalone.ArtifactFixture.UNKNOWN_DIGEST;
import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static dev.slipway.standalone.CatalogCalls.problems;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Verification, promotion, visibility and revocation of artifacts, through the API. */
class ArtifactsTest {
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
    @Proves({"1.55", "1.56", "1.57", "1.69", "3.59", "3.71", "3.114", "C.09"})
    void artifact_passesItsLifecycle_inOrder() {
        var digest = calls.push("lifecycle", "content with a life");
        var body = calls.body("lifecycle", digest);
        body.withObject("/source").put("source_ref", "git:4f1d2e");
        var id = calls.register("project_owner", body).expect(201).text("id");
        var refusals = promotions("artifact_unverified");

        assertThat(calls.promote(id, "dev").expect(409).text("code")).isEqualTo("artifact_unverified");
        assertThat(promotions("artifact_unverified")).isEqualTo(refusals + 1);
        var failed = calls.verify(id).expect(200);
        assertThat(failed.text("trust_state")).isEqualTo("failed_verification");
        assertThat(failed.text("trust_reason")).isEqualTo("signature: the artifact has no signature");
        assertThat(calls.promote(id, "dev").expect(409).text("code")).isEqualTo("artifact_verification_failed");

        calls.sign("lifecycle", digest);
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
        assertThat(last.text("repository")).isEqualTo(registry.host() + "/" + repository("lifecycle"));
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
            calls.assertEventCount(id, event, 1);
        }
        calls.assertEventCount(id, "promoted", 4);
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                                && observedRecord
                                        .payload()
                                        .path("target_id")
                                        .asText()
                                        .equals(id)
                                && observedRecord
                                        .payload()
                                        .path("action")
                                        .asText()
                                        .equals("apps.artifact.promote")
                                && observedRecord
                                        .payload()
                                        .at("/metadata/digest")
                                        .asText()
                                        .equals(digest)
                                && observedRecord
                                        .payload()
                                        .at("/metadata/channel")
                                        .asText()
                                        .equals("staging")))
                .hasSize(1));
    }

    @Test
    void revoke_appliesToTheDigest_inAllProjects() {
        var digest = calls.push("revoked", "content that turns out bad");
        calls.sign("revoked", digest);
        var id = calls.register("project_owner", calls.body("revoked", digest))
                .expect(201)
                .text("id");
        assertThat(problemsOfAManifestWith(UNKNOWN_DIGEST)).contains("/artifacts/0/digest artifact_untrusted");
        assertThat(problemsOfAManifestWith(digest)).contains("/artifacts/0/digest artifact_untrusted");
        calls.verify(id).expect(200);
        assertThat(problemsOfAManifestWith(digest)).doesNotContain("/artifacts/0/digest artifact_untrusted");
        calls.promote(id, "dev").expect(200);
        var instance = launchedWith(digest);
        var siblings = "slipway/apps/" + DemoData.SIBLING_PROJECT + "/revoked";
        var same = calls.pushTo(DemoData.SIBLING_PROJECT, "tenant_owner", siblings, "content that turns out bad");
        assertThat(same).isEqualTo(digest);
        var sibling = calls.register("tenant_owner", DemoData.SIBLING_PROJECT, calls.at(siblings, digest), key())
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
        eventually(() -> assertThat(platform.getManagement("/metrics"))
                .containsPattern("slipway_artifacts\\{trust_state=\"revoked\"} [1-9]")
                .containsPattern("slipway_artifacts\\{trust_state=\"verified\"} \\d"));
        assertThat(problemsOfAManifestWith(digest)).contains("/artifacts/0/digest artifact_untrusted");
        assertThat(calls.promote(id, "test").expect(409).text("code")).isEqualTo("artifact_revoked");
        assertThat(promotions("artifact_revoked")).isPositive();
        assertThat(platform.getManagement("/metrics")).contains("slipway_policy_age_seconds");
        assertThat(calls.verify(id).expect(409).text("code")).isEqualTo("artifact_revoked");
        assertThat(calls.createPullIntent("project_owner", id).expect(409).text("code"))
                .isEqualTo("artifact_revoked");
        assertThat(platform.as("tenant_owner")
                        .call("getArtifact")
                        .path("project_id", DemoData.SIBLING_PROJECT)
                        .path("artifact_id", sibling.text("id"))
                        .send()
                        .expect(200)
                        .text("trust_reason"))
                .isEqualTo("its builder's key leaked");
        var others = "slipway/apps/" + DemoData.OTHER_PROJECT + "/revoked";
        var again = calls.pushTo(DemoData.OTHER_PROJECT, "other_tenant_owner", others, "content that turns out bad");
        assertThat(calls.register("other_tenant_owner", DemoData.OTHER_PROJECT, calls.at(others, again), key())
                        .expect(409)
                        .text("code"))
                .isEqualTo("artifact_revoked");
        platform.awaitReplication();
        assertThat(platform.launch("project_owner", "too late").send().text("code"))
                .isEqualTo("artifact_revoked");
        calls.assertEventCount(id, "revoked", 1);
        var payload = calls.events(id, "revoked").get(0).payload();
        assertThat(payload.path("instances_total").asInt()).isEqualTo(1);
        assertThat(payload.at("/instances/0/app_instance_id").asText()).isEqualTo(instance);
        assertThat(payload.path("reason").asText()).isEqualTo("its builder's key leaked");
    }

    @Test
    @Proves("C.08")
    void artifact_isVisible_onlyToProjectsItIsSharedWith() {
        var own = calls.register("project_owner", calls.body("private", calls.push("private", "private content")))
                .expect(201)
                .text("id");
        var digest = calls.push("for-all", "content for the tenant");
        calls.sign("for-all", digest);
        var shared = calls.register(
                        "project_owner", calls.body("for-all", digest).put("visibility", "tenant"))
                .expect(201)
                .text("id");
        calls.verify(shared).expect(200);

        for (var id : List.of(own, shared)) {
            for (var operation : List.of("getArtifact", "listArtifactHistory", "verifyArtifact")) {
                assertThat(calls.in(DemoData.OTHER_PROJECT, operation, "other_tenant_owner", id)
                                .send()
                                .expect(404)
                                .text("code"))
                        .isEqualTo("artifact_not_found");
            }
            for (var operation : List.of("promoteArtifact", "deprecateArtifact", "retireArtifact")) {
                var body = operation.equals("promoteArtifact")
                        ? Json.object().put("channel", "dev")
                        : Json.object().put("reason", "to hurt");
                assertThat(calls.in(DemoData.OTHER_PROJECT, operation, "other_tenant_owner", id)
                                .body(body)
                                .send()
                                .expect(404)
                                .text("code"))
                        .isEqualTo("artifact_not_found");
                assertThat(calls.in(DemoData.SIBLING_PROJECT, operation, "tenant_owner", id)
                                .body(body)
                                .send()
                                .status())
                        .isEqualTo(404);
            }
        }
        calls.in(DemoData.SIBLING_PROJECT, "getArtifact", "tenant_owner", own)
                .send()
                .expect(404);
        calls.in(DemoData.SIBLING_PROJECT, "getArtifact", "tenant_owner", shared)
                .send()
                .expect(200);
        var listed = platform.as("tenant_owner")
                .call("listArtifacts")
                .path("project_id", DemoData.SIBLING_PROJECT)
                .query("include=shared")
                .send()
                .expect(200);
        assertThat(ids(listed)).contains(shared).doesNotContain(own);
    }

    @Test
    @Proves({"1.11", "2.30", "2.31", "2.32", "2.33"})
    void sourcePolicy_isChecked_atEveryUse() {
        var policies = new PolicyCalls(platform);
        var policyTenant = policies.createTenant("sources");
        var repository = "slipway/apps/" + policyTenant.projectId() + "/echo";
        var intent = policyTenant
                .call("createPublishIntent")
                .body(Json.object().put("registry", "shared").put("repository", repository));
        var pusher = new RegistryPusher(
                registry.url(),
                intent.send().expect(201).body().at("/credential/token").asText());
        var digest = pusher.image(repository, "v1", "under policy");
        var register = policyTenant
                .call("registerArtifact")
                .body(calls.at(repository, digest).put("artifact_type", "sdk_example"));
        assertThat(hosts(policyTenant))
                .containsExactlyInAnyOrder(
                        registry.host(), "open.example.com", fixture.objects().host());
        var id = register.send().expect(201).text("id");
        try {
            var own = "'*.tenant.example.com', '" + fixture.tenantRegistry().host() + "'";
            var values = "{'artifact_source_allowlist': ['" + registry.host() + "', " + own + "]}";
            policies.global().replace(values, "{}");
            assertThat(hosts(policyTenant))
                    .containsExactly(
                            registry.host(),
                            "*.tenant.example.com",
                            fixture.tenantRegistry().host());
            assertThat(verify(policyTenant, id).text("trust_state")).isEqualTo("verified");

            policyTenant.levelOf("project").replace("{'artifact_source_allowlist': [" + own + "]}", "{}");
            assertThat(hosts(policyTenant))
                    .containsExactly(
                            "*.tenant.example.com", fixture.tenantRegistry().host());
            assertThat(verify(policyTenant, id).text("trust_reason"))
                    .isEqualTo("source: policy does not allow " + registry.host());
            assertThat(register.send().expect(403).text("code")).isEqualTo("source_not_allowed");
            assertThat(intent.send().expect(403).text("code")).isEqualTo("source_not_allowed");
            var theirs = new RegistryPusher(fixture.tenantRegistry().url(), null)
                    .image("team/echo", "v1", "the tenant's own");
            var body = calls.at("team/echo", theirs).put("artifact_type", "sdk_example");
            body.withObject("/source")
                    .put("uri", "oci://" + fixture.tenantRegistry().host() + "/team/echo");
            var registered =
                    policyTenant.call("registerArtifact").body(body).send().expect(201);
            assertThat(verify(policyTenant, registered.text("id")).text("trust_state"))
                    .isEqualTo("verified");

            var wider = policyTenant
                    .levelOf("project")
                    .tryReplace("{'artifact_source_allowlist': ['elsewhere.example.com']}", "{}");
            assertThat(PolicyCalls.widenings(wider))
                    .hasSize(1)
                    .allMatch(widening -> widening.startsWith("artifact_source_allowlist global "));
            policies.global().replace(values, "{'artifact_source_allowlist': [" + own + "]}");
            assertThat(hosts(policyTenant)).isEmpty();
            assertThat(policyTenant
                            .call("registerArtifact")
                            .body(body)
                            .send()
                            .expect(403)
                            .text("code"))
                    .isEqualTo("source_not_allowed");
            assertThat(verify(policyTenant, registered.text("id")).text("trust_reason"))
                    .isEqualTo("source: policy does not allow "
                            + fixture.tenantRegistry().host());
        } finally {
            policies.global().replace("{}", "{}");
        }
    }

    private static ApiResponse verify(PolicyCalls.PolicyTenant policyTenant, String id) {
        return policyTenant
                .call("verifyArtifact")
                .path("artifact_id", id)
                .send()
                .expect(200);
    }

    private static List<String> hosts(PolicyCalls.PolicyTenant policyTenant) {
        var apiResponse = policyTenant
                .call("getAppRegistry")
                .header("X-Project-ID", policyTenant.projectId())
                .send()
                .expect(200);
        return StreamSupport.stream(apiResponse.body().path("items").spliterator(), false)
                .map(item -> item.path("host").asText())
                .toList();
    }

    /** Returns the problems of the demo app's manifest with the digest as an artifact. */
    private static List<String> problemsOfAManifestWith(String digest) {
        return problems(platform.as("platform_superadmin")
                .call("validateManifest")
                .body(manifestBody(manifestWith(digest)))
                .send()
                .expect(200));
    }

    /** Launches an instance of a version that references the digest, and waits until the catalog has its event. */
    private static String launchedWith(String digest) {
        var names = "manifest = manifest || '{\"artifacts\": [{\"digest\": \"" + digest + "\"}]}'";
        for (var kept : Map.of("catalog", names, "instances", names + ", artifact_digests = '{" + digest + "}'")
                .entrySet()) {
            platform.database()
                    .execute(
                            "UPDATE %1$s.app_versions SET %2$s WHERE app_id = (SELECT id FROM %1$s.app_catalog WHERE slug = '%3$s')"
                                    .formatted(kept.getKey(), kept.getValue(), DemoData.APP));
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

    /** Returns the number of promotions with an outcome. */
    private static double promotions(String outcome) {
        return platform.getManagement("/metrics")
                .lines()
                .filter(line -> line.startsWith("slipway_artifact_promotions_total{outcome=\"" + outcome + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }
}
