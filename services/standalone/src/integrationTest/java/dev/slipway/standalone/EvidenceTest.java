package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Releases and evidence on a whole platform, and the enforcement of their gates by the catalog. */
class EvidenceTest {
    private static final String SHA = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    private static final List<String> GATES = List.of(
            "contract_drift",
            "acceptance",
            "security_evidence",
            "environment_profile",
            "capacity_reserve",
            "approval_and_residual_risk");

    @TempDir
    private static Path directory;

    private static ArtifactFixture fixture;
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() throws IOException {
        fixture = ArtifactFixture.start(directory);
        platform = fixture.platform();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void guide_takesAReleaseThroughTheGates_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        for (var user : List.of("platform_ops", "platform_superadmin")) {
            Files.writeString(tokens.resolve(user), platform.token(user));
        }
        var guide = GuideScript.of(Files.readString(Path.of("../../docs/evidence.md")))
                .replace("http://127.0.0.1:8080", platform.baseUrl());

        var output = GuideScript.run(directory, guide);

        assertThat(output)
                .contains(
                        "There is no product_approval evidence for release.",
                        "There is no platform_approval evidence for release.",
                        "separation_of_duties",
                        "\"verdict\":\"pass\"",
                        "\"family\":\"runtime_health\",\"verdict\":\"pass\"",
                        "\"code\":\"revision_not_validated\"",
                        "\"family\":\"contract\",\"verdict\":\"pass\"",
                        "\"family\":\"edge\",\"verdict\":\"blocked\"",
                        "fast: \"revision\":",
                        "\"identical\":true",
                        "\"pattern\":\"password\"",
                        "\"passed\":1");
    }

    @Test
    void serviceAccount_writesEvidence_inItsOwnProjectOnly() {
        var account = CredentialCalls.createAccount(
                platform, DemoData.PROJECT, "evidence.release.write", "evidence.write", "evidence.read");
        var token = CredentialCalls.exchangeToken(
                platform, CredentialCalls.createCredential(platform, DemoData.PROJECT, account));
        var ci = platform.anonymous().as(token);
        platform.awaitReplication();

        var release = ci.call("createProjectRelease")
                .path("project_id", DemoData.PROJECT)
                .body(candidate("ci-product", "1.0.0"))
                .send()
                .expect(201)
                .text("id");

        ci.call("addProjectEvidence")
                .path("project_id", DemoData.PROJECT)
                .path("release_id", release)
                .body(item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 0.9.0")))
                .send()
                .expect(201);
        ci.call("addEvidence")
                .path("release_id", release)
                .body(item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 0.9.0")))
                .send()
                .expect(403);
        platform.as("other_tenant_owner")
                .call("getProjectRelease")
                .path("project_id", DemoData.PROJECT)
                .path("release_id", release)
                .send()
                .expect(404);
    }

    /** Records, bundle, registries and read model of one release. */
    @Test
    @Proves("3.15")
    void evidence_isABundleWithRetentionClasses_anAuditTrailAndAReadModel() {
        var admin = platform.as("platform_superadmin");
        var release = release("bundled", "1.0.0");
        add(release, item("source_revision", "release", "recorded", Map.of("source_sha", "4b825dc", "branch", "main")));
        add(
                release,
                item("acceptance_test", "demo", "passed", Map.of("environment", "production", "report_ref", "ci/1")));
        add(release, item("security_scan", "scan", "passed", Map.of("tool", "trivy", "report_ref", "ci/2")));

        var bundle = admin.call("listEvidence")
                .path("release_id", release)
                .send()
                .expect(200)
                .body()
                .path("items");
        assertThat(bundle)
                .extracting(item -> item.path("type").asText())
                .containsExactly("security_scan", "acceptance_test", "source_revision");
        var classes = listEntries(admin, "retention_class");
        assertThat(bundle).allSatisfy(item -> assertThat(classes)
                .contains(item.path("retention_class").asText()));
        assertThat(listEntries(admin, "audit_action")).contains("evidence.write", "evidence.release.write");
        eventually(() -> assertThat(admin.call("listPlatformAuditEntries")
                        .query("target=" + release)
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .extracting(entry -> entry.path("action").asText())
                .containsExactly("evidence.write", "evidence.write", "evidence.write", "evidence.release.write"));
        assertThatThrownBy(() -> platform.database()
                        .execute("SET ROLE slipway_audit; DELETE FROM audit.evidence_items WHERE release_id = '"
                                + release + "'"))
                .hasStackTraceContaining("permission denied");
        awaitReplicated(release);
    }

    private static List<String> listEntries(ApiClient admin, String kind) {
        return admin.call("listRegistryEntries")
                .path("kind", kind)
                .query("limit=500")
                .send()
                .expect(200)
                .body()
                .path("items")
                .findValuesAsText("id");
    }

    @Test
    @Proves("3.94")
    void registriesAndEvidence_areRowsThatTheApiWritesAndReads() {
        var admin = platform.as("platform_superadmin");
        admin.call("putRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "stored")
                .body(CatalogCalls.entry(
                        Json.object().put("display_name", "Stored").put("owner", "stored inc")))
                .send()
                .expect(200);
        var release = admin.call("createRelease")
                .body(candidate("stored", "1.0.0"))
                .send()
                .expect(201)
                .text("id");
        var evidence = admin.call("addEvidence")
                .path("release_id", release)
                .body(item("rollback_plan", "release", "rollback", Map.of("plan", "deploy 0.9.0")))
                .send()
                .expect(201)
                .text("id");

        assertThat(
                        platform.database()
                                .query(
                                        "SELECT body ->> 'owner' FROM catalog.registry_entries WHERE kind = 'product' AND id = 'stored'"))
                .isEqualTo("stored inc");
        assertThat(platform.database()
                        .query("SELECT type || ' ' || result FROM audit.evidence_items WHERE id = '" + evidence + "'"))
                .isEqualTo("rollback_plan rollback");
        assertThat(admin.call("getRegistryEntry")
                        .path("kind", "product")
                        .path("entry_id", "stored")
                        .send()
                        .expect(200)
                        .body()
                        .at("/body/owner")
                        .asText())
                .isEqualTo("stored inc");
        assertThat(admin.call("listEvidence")
                        .path("release_id", release)
                        .send()
                        .expect(200)
                        .body()
                        .at("/items/0/id")
                        .asText())
                .isEqualTo(evidence);
    }

    @Test
    void publicationAndPromotion_needPassedGates_whenPolicyGatesTheProduct() {
        var admin = platform.as("platform_superadmin");
        var catalog = new CatalogCalls(platform);
        admin.call("createApp").body(app("gated", "apps")).send().expect(201);
        catalog.register("gated", manifest("gated", "1.0.0")).expect(201);
        var calls = fixture.calls();
        var digest = calls.push("gated", "a bundle");
        calls.sign("gated", digest);
        var artifact = calls.register(
                        "project_owner", calls.body("gated", digest).put("app_slug", "gated"))
                .expect(201)
                .text("id");
        calls.verify(artifact).expect(200);
        for (var channel : List.of("dev", "test", "staging")) {
            calls.promote(artifact, channel).expect(200);
        }
        new PolicyCalls(platform).global().replace("{'ungated_products': ['" + DemoData.APP + "']}", "{}");

        assertThat(version(admin, "publishAppVersion", "gated", "1.0.0")
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("release_blocked");
        assertThat(calls.promote(artifact, "prod").expect(409).text("code")).isEqualTo("release_blocked");
        var release = release("gated", "1.0.0");
        add(release, item("artifact_digests", "release", "recorded", Map.of("digests", List.of(digest))));
        awaitReplicated(release);
        assertThat(version(admin, "publishAppVersion", "gated", "1.0.0")
                        .send()
                        .expect(409)
                        .body()
                        .at("/details/release_id")
                        .asText())
                .isEqualTo(release);

        for (var gate : GATES) {
            admin.call("waiveReleaseGate")
                    .path("release_id", release)
                    .body(waiver(gate))
                    .send()
                    .expect(201);
        }
        var verdictId = awaitReplicated(release);

        assertThat(version(admin, "publishAppVersion", "gated", "1.0.0")
                        .send()
                        .expect(200)
                        .text("release_verdict_id"))
                .isEqualTo(verdictId);
        assertThat(calls.promote(artifact, "prod").expect(200).text("release_verdict_id"))
                .isEqualTo(verdictId);
    }

    /** Waits until the catalog has the current verdict, and returns its id. */
    @CanIgnoreReturnValue
    private static String awaitReplicated(String release) {
        var verdictId = platform.as("platform_ops")
                .call("getRelease")
                .path("release_id", release)
                .send()
                .expect(200)
                .text("release_verdict_id");
        eventually(() -> assertThat(platform.database()
                        .query("SELECT release_verdict_id FROM catalog.release_verdicts WHERE release_id = '" + release
                                + "'"))
                .isEqualTo(verdictId));
        return verdictId;
    }

    private static String release(String product, String version) {
        return platform.as("platform_ops")
                .call("createRelease")
                .body(candidate(product, version))
                .send()
                .expect(201)
                .text("id");
    }

    private static void add(String release, ObjectNode body) {
        platform.as("platform_ops")
                .call("addEvidence")
                .path("release_id", release)
                .body(body)
                .send()
                .expect(201);
    }

    private static ObjectNode waiver(String gate) {
        return Json.object()
                .put("gate", gate)
                .put("owner", "Head of Operations")
                .put("reason", "the first release of a test")
                .put(
                        "expires_at",
                        Instant.now()
                                .truncatedTo(ChronoUnit.SECONDS)
                                .plusSeconds(86_400)
                                .toString());
    }

    static ObjectNode candidate(String product, String version) {
        return Json.object()
                .put("product", product)
                .put("version", version)
                .put("source_sha", SHA)
                .put("branch", "main")
                .put("environment", "production")
                .put("profile", "eu-central")
                .put("production_impacting", true)
                .put("capacity_impacting", true);
    }

    static ObjectNode item(String type, String subject, String result, Map<String, ?> fields) {
        var body = Json.object().put("type", type).put("subject", subject).put("result", result);
        body.set("fields", Json.toObject(fields));
        return body;
    }
}
