package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.log.domain.Checkpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.ProofVerifier;
import dev.slipway.audit.log.domain.SignedNote;
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
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests the audit logs of a running platform: every tenant reads and verifies its own log, and no other. */
class AuditApiTest {
    private static final List<String> ORGANIZATION_READS = List.of(
            "listOrganizationAuditEntries",
            "getOrganizationAuditEntry",
            "exportOrganizationAudit",
            "getOrganizationAuditCheckpoint",
            "getOrganizationAuditInclusionProof",
            "getOrganizationAuditConsistencyProof",
            "getOrganizationAuditLogCheckpoint",
            "getOrganizationAuditTile");

    private static PlatformUnderTest platform;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void log_isNotFound_forAnotherTenant() {
        var entry = launch("own entry");
        for (var operation : ORGANIZATION_READS) {
            organization(operation, "other_tenant_owner", DemoData.ORG)
                    .path("audit_entry_id", entry.path("id").asText())
                    .path("tile", "0/000.p/1")
                    .send()
                    .expect(404);
        }
        organization("getOrganizationAuditEntry", "other_tenant_owner", DemoData.OTHER_ORG)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(404);
        project("getProjectAuditEntry", "tenant_owner", DemoData.SIBLING_PROJECT)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(404);
        platform.as("tenant_owner").call("listPlatformAuditEntries").send().expect(403);
        var others = Json.object().put("reason", "not my entry");
        others.putArray("entry_ids").add(entry.path("id").asText());
        organization("redactOrganizationAudit", "other_tenant_owner", DemoData.OTHER_ORG)
                .body(others)
                .send()
                .expect(404);
    }

    @Test
    @Proves("3.112")
    void entry_hasActorSourceAndRegistryVersion() {
        var entry = launch("complete entry");
        assertThat(entry.path("action").asText()).isEqualTo("apps.instance.create");
        assertThat(entry.path("action_version").asInt()).isEqualTo(1);
        assertThat(entry.path("retention_class").asText()).isEqualTo("standard");
        assertThat(entry.at("/actor/actor_type").asText()).isEqualTo("user");
        assertThat(entry.at("/actor/display_name").asText()).isNotEmpty();
        assertThat(entry.at("/actor/role_path").asText()).isEqualTo("project:" + DemoData.PROJECT + "/project_owner");
        assertThat(entry.at("/source/source_address").asText()).isEqualTo("127.0.0.1");
        assertThat(entry.at("/source/user_agent").asText()).startsWith("Java-http-client");
        assertThat(entry.path("trace_id").asText()).matches("[0-9a-f]{32}");
        assertThat(project("getProjectAuditEntry", "project_viewer", DemoData.PROJECT)
                        .path("audit_entry_id", entry.path("id").asText())
                        .send()
                        .expect(200)
                        .body())
                .isEqualTo(entry);
    }

    @Test
    void denial_isAnEntry() {
        var correlation = "denied-" + UUID.randomUUID();
        platform.launch("project_viewer", "denied")
                .header("X-Correlation-ID", correlation)
                .send()
                .expect(403);
        var entry = find(correlation);
        assertThat(entry.path("result").asText()).isEqualTo("denied");
        assertThat(entry.path("reason").asText()).isEqualTo("insufficient_permissions");
        assertThat(entry.at("/actor/role_path").isNull()).isTrue();
    }

    @Test
    void proofs_matchThePublishedCheckpoint() {
        var entry = launch("proven entry");
        var sequence = entry.path("sequence").asLong();
        var proof = eventuallyGet(() -> organization("getOrganizationAuditInclusionProof", "tenant_owner", DemoData.ORG)
                .query("sequence=" + sequence)
                .send()
                .expect(200)
                .body());
        var size = proof.path("tree_size").asLong();
        var root = Hash.ofHex(proof.path("root_hash").asText());
        assertThat(proof.path("leaf_hash")).isEqualTo(entry.path("leaf_hash"));
        assertThat(ProofVerifier.isIncluded(
                        Hash.ofHex(proof.path("leaf_hash").asText()), sequence, size, hashes(proof), root))
                .isTrue();
        eventually(() -> assertThat(platform.events()
                        .find(observed -> observed.topic().equals("audit.checkpoints")
                                && observed.key().equals(DemoData.ORG.toString())
                                && observed.payload().path("tree_size").asLong() == size))
                .singleElement()
                .satisfies(observed -> assertThat(
                                observed.payload().path("root_hash").asText())
                        .isEqualTo(root.hex())));
        var consistency = organization("getOrganizationAuditConsistencyProof", "tenant_owner", DemoData.ORG)
                .query("from_size=1&tree_size=" + size)
                .send()
                .expect(200)
                .body();
        assertThat(ProofVerifier.isConsistent(
                        1,
                        Hash.ofHex(consistency.path("from_root_hash").asText()),
                        size,
                        Hash.ofHex(consistency.path("root_hash").asText()),
                        hashes(consistency)))
                .isTrue();
        assertThat(platform.events().violations()).isEmpty();
    }

    @Test
    void tiles_areServedInTheLayoutOfTlogTiles() {
        launch("entry in a tile");
        var note = organization("getOrganizationAuditLogCheckpoint", "tenant_owner", DemoData.ORG)
                .send()
                .expect(200)
                .body()
                .asText();
        var root = Checkpoint.parse(SignedNote.parse(note).text());
        var width = Math.min(root.size(), 256);
        for (var path : List.of("0/000", "0%2F000")) {
            var tile = organization("getOrganizationAuditTile", "tenant_owner", DemoData.ORG)
                    .path("tile", width == 256 ? path : path + ".p/" + width)
                    .send()
                    .expect(200)
                    .body()
                    .asText();
            assertThat(Base64.getDecoder().decode(tile)).hasSize((int) width * Hash.BYTES);
        }
        organization("getOrganizationAuditTile", "tenant_owner", DemoData.ORG)
                .path("tile", "0/001")
                .send()
                .expect(404);
        platform.as("platform_superadmin")
                .call("getPlatformAuditTile")
                .path("tile", "entries/000.p/1")
                .send()
                .expect(200);
        platform.as("tenant_owner")
                .call("getPlatformAuditTile")
                .path("tile", "0/000.p/1")
                .send()
                .expect(403);
    }

    @Test
    void export_isVerifiedByTheTool_andRejectedWhenChanged() throws IOException {
        launch("exported entry");
        var lines = organization("exportOrganizationAudit", "tenant_owner", DemoData.ORG)
                .query("limit=500")
                .send()
                .expect(200)
                .body();
        var export = StreamSupport.stream(lines.spliterator(), false)
                .map(Json::text)
                .collect(Collectors.joining("\n", "", "\n"));
        var file = Files.writeString(directory.resolve("export.ndjson"), export);
        assertThat(VerifyMain.commandLine().execute(file.toString())).isZero();
        var changed = Files.writeString(
                directory.resolve("changed.ndjson"),
                export.replace("\"apps.instance.create\"", "\"apps.instance.delete\""));
        assertThat(VerifyMain.commandLine().execute(changed.toString())).isEqualTo(1);
        assertThat(VerifyMain.commandLine().execute("--key", "no key", file.toString()))
                .isEqualTo(2);
    }

    @Test
    void redaction_deletesPersonalValues_andIsAnEntryItself() {
        var entry = launch("redacted entry");
        var body = Json.object().put("reason", "erasure request 17");
        body.putArray("entry_ids").add(entry.path("id").asText());
        organization("redactOrganizationAudit", "tenant_admin", DemoData.ORG)
                .body(body)
                .send()
                .expect(403);
        organization("redactOrganizationAudit", "tenant_owner", DemoData.ORG)
                .body(Json.object().set("entry_ids", body.path("entry_ids")))
                .send()
                .expect(400);

        var correlation = "redaction-" + UUID.randomUUID();
        organization("redactOrganizationAudit", "tenant_owner", DemoData.ORG)
                .header("X-Correlation-ID", correlation)
                .body(body)
                .send()
                .expect(200);

        var redacted = organization("getOrganizationAuditEntry", "tenant_owner", DemoData.ORG)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(200)
                .body();
        assertThat(redacted.at("/actor/display_name").isNull()).isTrue();
        assertThat(redacted.at("/source/source_address").isNull()).isTrue();
        assertThat(redacted.path("redacted").asBoolean()).isTrue();
        assertThat(redacted.path("leaf_hash")).isEqualTo(entry.path("leaf_hash"));
        var recorded = find(correlation);
        assertThat(recorded.path("action").asText()).isEqualTo("audit.log.redact");
        assertThat(recorded.path("privileged").asBoolean()).isTrue();
        assertThat(recorded.at("/metadata/reason").asText()).isEqualTo("erasure request 17");
        assertThat(recorded.at("/metadata/sequences/0")).isEqualTo(entry.path("sequence"));
        assertThat(platform.database()
                        .query("SELECT payload #>> '{actor,display_name}' FROM audit.audit_records WHERE event_id = '"
                                + entry.path("id").asText() + "'"))
                .isEqualTo("redacted");
    }

    @Test
    void platformRole_readsTenantLog_throughTheAdminVariantOnly() {
        launch("seen from outside");
        organization("listOrganizationAuditEntries", "platform_superadmin", DemoData.ORG)
                .send()
                .expect(403);
        var correlation = "outside-" + UUID.randomUUID();
        organization("adminListOrganizationAuditEntries", "platform_superadmin", DemoData.ORG)
                .header("X-Break-Glass-Reason", "an incident is investigated")
                .header("X-Correlation-ID", correlation)
                .send()
                .expect(200);
        assertThat(find(correlation).path("reason").asText()).isEqualTo("an incident is investigated");
        eventually(() -> assertThat(platform.as("platform_superadmin")
                        .call("listPlatformAuditEntries")
                        .query("action=audit.key.rotate")
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .hasSize(1));
    }

    @Test
    void change_fails_whenItsAuditActionIsRetired() {
        for (var lifecycle : List.of("deprecated", "retired")) {
            platform.as("platform_superadmin")
                    .call("moveRegistryEntry")
                    .path("kind", "audit_action")
                    .path("entry_id", "iam.group.write")
                    .body(Json.object().put("lifecycle", lifecycle))
                    .send()
                    .expect(200);
        }
        platform.awaitReplication();
        var refused = "group-" + UUID.randomUUID().toString().substring(0, 8);

        assertThat(organization("createGroup", "tenant_owner", DemoData.ORG)
                        .body(Json.object().put("slug", refused).put("display_name", refused))
                        .send()
                        .text("code"))
                .isEqualTo("audit_action_inactive");

        assertThat(platform.database().query("SELECT count(*) FROM iam.groups WHERE slug = '" + refused + "'"))
                .isEqualTo("0");
    }

    @Test
    void product_recordsItsOwnAction_butNotOneOfThePlatform() {
        var action = "depot.rack.reserve";
        var body = Json.object()
                .put("action", action)
                .put("target_type", "rack")
                .put("target_id", "r-17")
                .put("result", "success");
        var unregistered = project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(409);
        assertThat(unregistered.text("code")).isEqualTo("audit_action_inactive");
        project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body.deepCopy().put("action", "iam.binding.write"))
                .send()
                .expect(400);
        project("writeProjectAuditEntry", "project_viewer", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(403);
        var entry = Json.object()
                .put("product_id", "audit")
                .put("target_type", "rack")
                .put("retention_class", "standard")
                .put("privileged", false);
        entry.putArray("metadata_keys").add("rack_row");
        registry("putRegistryEntry", action)
                .body(Json.object().set("body", entry))
                .send()
                .expect(200);
        registry("moveRegistryEntry", action)
                .body(Json.object().put("lifecycle", "active"))
                .send()
                .expect(200);
        platform.awaitReplication();
        body.putObject("metadata").put("rack_row", 4).put("password", "secret");
        project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(400);
        body.withObject("/metadata").remove("password");
        var id = project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .header("Idempotency-Key", "reserve-17")
                .send()
                .expect(202)
                .text("id");
        assertThat(project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                        .body(body)
                        .header("Idempotency-Key", "reserve-17")
                        .send()
                        .expect(202)
                        .text("id"))
                .isEqualTo(id);
        eventually(() -> assertThat(project("getProjectAuditEntry", "project_viewer", DemoData.PROJECT)
                        .path("audit_entry_id", id)
                        .send()
                        .expect(200)
                        .text("target_id"))
                .isEqualTo("r-17"));
    }

    private static ApiClient.Call registry(String operation, String action) {
        return platform.as("platform_superadmin")
                .call(operation)
                .path("kind", "audit_action")
                .path("entry_id", action);
    }

    /** Launches an instance and returns its entry in the log of the organization. */
    @CanIgnoreReturnValue
    private static JsonNode launch(String name) {
        var correlation = "audit-" + UUID.randomUUID();
        platform.launch("project_owner", name)
                .header("X-Correlation-ID", correlation)
                .send()
                .expect(202);
        var entry = find(correlation);
        eventually(() -> assertThat(organization("getOrganizationAuditCheckpoint", "tenant_owner", DemoData.ORG)
                        .send()
                        .expect(200)
                        .body()
                        .path("tree_size")
                        .asLong())
                .isGreaterThan(entry.path("sequence").asLong()));
        return entry;
    }

    private static JsonNode find(String correlation) {
        return eventuallyGet(() -> {
            var found = organization("listOrganizationAuditEntries", "tenant_owner", DemoData.ORG)
                    .query("correlation_id=" + correlation)
                    .send()
                    .expect(200)
                    .body()
                    .path("items");
            assertThat(found).hasSize(1);
            return found.get(0);
        });
    }

    private static ApiClient.Call organization(String operation, String user, UUID orgId) {
        return platform.as(user).call(operation).path("org_id", orgId);
    }

    private static ApiClient.Call project(String operation, String user, UUID projectId) {
        return platform.as(user).call(operation).path("project_id", projectId);
    }

    private static List<Hash> hashes(JsonNode proof) {
        return StreamSupport.stream(proof.path("hashes").spliterator(), false)
                .map(hash -> Hash.ofHex(hash.asText()))
                .toList();
    }
}
