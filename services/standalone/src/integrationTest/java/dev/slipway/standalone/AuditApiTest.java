package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private static AuditCalls audit;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        audit = new AuditCalls(platform);
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void log_isNotFound_forAnotherTenant() {
        var entry = audit.launch("own entry");
        for (var operation : ORGANIZATION_READS) {
            audit.organization(operation, "other_tenant_owner", DemoData.ORG)
                    .path("audit_entry_id", entry.path("id").asText())
                    .path("tile", "0/000.p/1")
                    .send()
                    .expect(404);
        }
        audit.organization("getOrganizationAuditEntry", "other_tenant_owner", DemoData.OTHER_ORG)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(404);
        audit.project("getProjectAuditEntry", "tenant_owner", DemoData.SIBLING_PROJECT)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(404);
        platform.as("tenant_owner").call("listPlatformAuditEntries").send().expect(403);
        var others = Json.object().put("reason", "not my entry");
        others.putArray("entry_ids").add(entry.path("id").asText());
        audit.organization("redactOrganizationAudit", "other_tenant_owner", DemoData.OTHER_ORG)
                .body(others)
                .send()
                .expect(404);
    }

    @Test
    @Proves("3.112")
    void entry_hasActorSourceAndRegistryVersion() {
        var entry = audit.launch("complete entry");
        assertThat(entry.path("action").asText()).isEqualTo("apps.instance.create");
        assertThat(entry.path("action_version").asInt()).isEqualTo(1);
        assertThat(entry.path("retention_class").asText()).isEqualTo("standard");
        assertThat(entry.at("/actor/actor_type").asText()).isEqualTo("user");
        assertThat(entry.at("/actor/display_name").asText()).isNotEmpty();
        assertThat(entry.at("/actor/role_path").asText()).isEqualTo("project:" + DemoData.PROJECT + "/project_owner");
        assertThat(entry.at("/source/source_address").asText()).isEqualTo("127.0.0.1");
        assertThat(entry.at("/source/user_agent").asText()).startsWith("Java-http-client");
        assertThat(entry.path("trace_id").asText()).matches("[0-9a-f]{32}");
        assertThat(audit.project("getProjectAuditEntry", "project_viewer", DemoData.PROJECT)
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
        var entry = audit.find(correlation);
        assertThat(entry.path("result").asText()).isEqualTo("denied");
        assertThat(entry.path("reason").asText()).isEqualTo("insufficient_permissions");
        assertThat(entry.at("/actor/role_path").isNull()).isTrue();
    }

    @Test
    void redaction_deletesPersonalValues_andIsAnEntryItself() {
        var entry = audit.launch("redacted entry");
        var body = Json.object().put("reason", "erasure request 17");
        body.putArray("entry_ids").add(entry.path("id").asText());
        audit.organization("redactOrganizationAudit", "tenant_admin", DemoData.ORG)
                .body(body)
                .send()
                .expect(403);
        audit.organization("redactOrganizationAudit", "tenant_owner", DemoData.ORG)
                .body(Json.object().set("entry_ids", body.path("entry_ids")))
                .send()
                .expect(400);

        var correlation = "redaction-" + UUID.randomUUID();
        audit.organization("redactOrganizationAudit", "tenant_owner", DemoData.ORG)
                .header("X-Correlation-ID", correlation)
                .body(body)
                .send()
                .expect(200);

        var redacted = audit.organization("getOrganizationAuditEntry", "tenant_owner", DemoData.ORG)
                .path("audit_entry_id", entry.path("id").asText())
                .send()
                .expect(200)
                .body();
        assertThat(redacted.at("/actor/display_name").isNull()).isTrue();
        assertThat(redacted.at("/source/source_address").isNull()).isTrue();
        assertThat(redacted.path("redacted").asBoolean()).isTrue();
        assertThat(redacted.path("leaf_hash")).isEqualTo(entry.path("leaf_hash"));
        var recorded = audit.find(correlation);
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
        audit.launch("seen from outside");
        audit.organization("listOrganizationAuditEntries", "platform_superadmin", DemoData.ORG)
                .send()
                .expect(403);
        var correlation = "outside-" + UUID.randomUUID();
        audit.organization("adminListOrganizationAuditEntries", "platform_superadmin", DemoData.ORG)
                .header("X-Break-Glass-Reason", "an incident is investigated")
                .header("X-Correlation-ID", correlation)
                .send()
                .expect(200);
        assertThat(audit.find(correlation).path("reason").asText()).isEqualTo("an incident is investigated");
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

        assertThat(audit.organization("createGroup", "tenant_owner", DemoData.ORG)
                        .body(Json.object().put("slug", refused).put("display_name", refused))
                        .send()
                        .text("code"))
                .isEqualTo("audit_action_inactive");

        assertThat(platform.database().query("SELECT count(*) FROM iam.groups WHERE slug = '" + refused + "'"))
                .isEqualTo("0");
    }

    /** The database refuses the audit record: the change of the same transaction is rolled back. */
    @Test
    @Proves("C.17")
    void record_isPartOfTheTransaction_andCannotBeChangedByTheServiceRole() {
        var refused = "role-" + UUID.randomUUID().toString().substring(0, 8);
        var database = platform.database();
        database.execute("""
                CREATE FUNCTION public.refuse_audit_record() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no space for audit records'; END $$;
                CREATE TRIGGER refuse_audit_record BEFORE INSERT ON iam.outbox FOR EACH ROW
                WHEN (NEW.topic LIKE '%audit.events' AND convert_from(NEW.value, 'UTF8') LIKE '%iam.role.write%')
                EXECUTE FUNCTION public.refuse_audit_record()
                """);
        var role = Json.object().put("display_name", refused).put("level", "project");
        role.putArray("actions").add("apps.instance.read");
        audit.organization("createRole", "tenant_owner", DemoData.ORG)
                .body(role)
                .send()
                .expect(500);
        assertThat(platform.getManagement("/metrics"))
                .containsPattern("slipway_audit_write_failures_total\\{service=\"iam\"} [1-9]")
                .contains("slipway_consumer_behind_seconds{", "slipway_outbox_oldest_age_seconds{");
        database.execute("DROP TRIGGER refuse_audit_record ON iam.outbox; DROP FUNCTION public.refuse_audit_record");
        assertThat(database.query("SELECT count(*) FROM iam.roles WHERE label = '" + refused + "'"))
                .isEqualTo("0");

        audit.launch("an entry that cannot be changed");
        for (var statement : List.of(
                "UPDATE audit.log_leaves SET sequence = 0",
                "DELETE FROM audit.log_leaves",
                "UPDATE audit.log_entries SET content = '{}'",
                "DELETE FROM audit.audit_records",
                "UPDATE audit.audit_records SET payload = '{}'")) {
            assertThatThrownBy(() -> database.execute("SET ROLE slipway_audit; " + statement))
                    .as(statement)
                    .hasStackTraceContaining("permission denied");
        }
        var allowed = RegistrySeeds.auditMetadataKeys();
        assertThat(platform.events().find(record -> record.type().equals("audit.recorded")))
                .isNotEmpty()
                .allSatisfy(
                        record -> assertThat(record.payload().path("metadata").propertyStream())
                                .allMatch(field -> allowed.contains(field.getKey())));
        platform.launch("project_viewer", "denied").send().expect(403);
        eventually(() -> assertThat(
                        platform.events().find(record -> record.type().equals("audit.recorded")))
                .anyMatch(record -> record.payload().path("result").asText().equals("denied")));
    }

    @Test
    void product_recordsItsOwnAction_butNotOneOfThePlatform() {
        var action = "depot.rack.reserve";
        var body = Json.object()
                .put("action", action)
                .put("target_type", "rack")
                .put("target_id", "r-17")
                .put("result", "success");
        var unregistered = audit.project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(409);
        assertThat(unregistered.text("code")).isEqualTo("audit_action_inactive");
        audit.project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body.deepCopy().put("action", "iam.binding.write"))
                .send()
                .expect(400);
        audit.project("writeProjectAuditEntry", "project_viewer", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(403);
        var entry = Json.object()
                .put("product_id", "audit")
                .put("target_type", "rack")
                .put("retention_class", "standard")
                .put("privileged", false);
        entry.putArray("metadata_keys").add("rack_row");
        audit.registry("putRegistryEntry", action)
                .body(Json.object().set("body", entry))
                .send()
                .expect(200);
        audit.registry("moveRegistryEntry", action)
                .body(Json.object().put("lifecycle", "active"))
                .send()
                .expect(200);
        platform.awaitReplication();
        body.putObject("metadata").put("rack_row", 4).put("password", "secret");
        audit.project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .send()
                .expect(400);
        body.withObject("/metadata").remove("password");
        var id = audit.project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                .body(body)
                .header("Idempotency-Key", "reserve-17")
                .send()
                .expect(202)
                .text("id");
        assertThat(audit.project("writeProjectAuditEntry", "project_owner", DemoData.PROJECT)
                        .body(body)
                        .header("Idempotency-Key", "reserve-17")
                        .send()
                        .expect(202)
                        .text("id"))
                .isEqualTo(id);
        eventually(() -> assertThat(audit.project("getProjectAuditEntry", "project_viewer", DemoData.PROJECT)
                        .path("audit_entry_id", id)
                        .send()
                        .expect(200)
                        .text("target_id"))
                .isEqualTo("r-17"));
    }
}
