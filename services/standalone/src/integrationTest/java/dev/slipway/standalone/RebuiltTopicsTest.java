package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static dev.slipway.standalone.TenantCalls.namedBody;
import static dev.slipway.standalone.TenantCalls.userReference;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that IAM and the catalog republish their state after the loss of all topics. */
class RebuiltTopicsTest {
    private static final String REVISION = "SELECT revision FROM iam.authz_revision";
    private static final String CATALOG = "catalog.state ";
    private static final String KEPT = """
            SELECT (SELECT count(*) FROM catalog.registry_entries) + (SELECT count(*) FROM catalog.app_catalog)
                + (SELECT count(*) FROM catalog.app_versions) + (SELECT count(*) FROM catalog.policy_levels)
                + (SELECT count(*) FROM catalog.project_app_entitlements)
            """;

    @Test
    void state_isRepublished_atTheSameRevision_whenTopicsAreNew() {
        var before = new PlatformUnderTest();
        var tenantCalls = new TenantCalls(before);
        var tenant = tenantCalls.create("surviving");
        var project = tenantCalls.project(tenant, "p");
        change(tenantCalls, tenant, project);
        new PolicyCalls(before).global().replace("{'max_gpus_per_instance': 4}", "{}");
        eventually(() -> assertThat(last(before)).containsKeys("revision", CATALOG + "policy:global:platform"));
        eventually(
                () -> assertThat(last(before).get("revision").path("revision").asText())
                        .isEqualTo(before.database().query(REVISION)));
        var told = withoutRevisions(of(last(before), false));
        var catalog = of(last(before), true);
        var database = before.stopKeepingDatabase();
        var revision = database.query(REVISION);

        try (var after = new PlatformUnderTest(database)) {
            eventually(
                    () -> assertThat(withoutRevisions(of(last(after), false))).isEqualTo(told));
            eventually(() -> assertThat(of(last(after), true))
                    .hasSize(Integer.parseInt(database.query(KEPT)))
                    .containsAllEntriesOf(catalog));
            assertThat(last(after).get("project:" + project).path("revision").asText())
                    .isEqualTo(revision);
            assertThat(after.events()
                            .find(observedRecord -> observedRecord.type().equals("authz.revision"))
                            .get(0)
                            .payload()
                            .path("revision")
                            .asText())
                    .isEqualTo(revision);
            new TenantCalls(after)
                    .person(tenant.owner())
                    .call("getProject")
                    .path("project_id", project)
                    .send()
                    .expect(200);
            assertThat(after.events().violations()).isEmpty();
        }
    }

    /** As after an upgrade from a version that did not sign records: readers accept none of the existing records. */
    @Test
    void state_isRepublished_whenAnotherKeySigns() {
        var before = new PlatformUnderTest();
        var tenantCalls = new TenantCalls(before);
        var tenant = tenantCalls.create("signed-again");
        var project = tenantCalls.project(tenant, "p");
        var topicPrefix = before.topicPrefix();
        var database = before.stopKeepingDatabase();

        try (var after = new PlatformUnderTest(database, topicPrefix)) {
            new TenantCalls(after)
                    .person(tenant.owner())
                    .call("getProject")
                    .path("project_id", project)
                    .send()
                    .expect(200);
            after.launch("project_owner", "after").send().expect(202);
            assertThat(after.getManagement("/metrics"))
                    .containsPattern("slipway_records_rejected_total\\{topic=\"authz.state\"} [1-9]");
        }
    }

    /** Creates one resource of each type, and deletes some. */
    private static void change(TenantCalls tenantCalls, TenantCalls.Tenant tenant, String project) {
        var group = tenantCalls
                .sendAndAwaitRevision(tenantCalls.call(tenant, "createGroup").body(namedBody("g")), 201)
                .text("id");
        var member = tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("member")),
                201);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "addGroupMember")
                        .path("group_id", group)
                        .body(userReference("member who stays")),
                201);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", member.text("user_id")),
                200);
        var binding =
                tenantCalls.grant(tenant, project, "project_viewer", "viewer").text("id");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(userReference("for a while")
                                .put("role", "project_viewer")
                                .put("expires_at", "2099-01-01T00:00:00Z")),
                201);
        tenantCalls.sendAndAwaitRevision(
                tenantCalls
                        .call(tenant, "deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", binding),
                200);
        var role = Json.object().put("display_name", "R").put("level", "project");
        role.putArray("actions").add("apps.instance.read");
        tenantCalls.sendAndAwaitRevision(tenantCalls.call(tenant, "createRole").body(role), 201);
        var gone = tenantCalls.project(tenant, "gone");
        tenantCalls.sendAndAwaitRevision(
                tenantCalls.call(tenant, "deleteProject").path("project_id", gone), 200);
    }

    /** Returns the last record of every key, except heartbeats and signing keys, which every start renews. */
    private static Map<String, ObjectNode> last(PlatformUnderTest platform) {
        var last = new TreeMap<String, ObjectNode>();
        platform
                .events()
                .find(observedRecord ->
                        Set.of("authz.state", "iam.state", "catalog.state").contains(observedRecord.topic()))
                .stream()
                .filter(observedRecord -> !observedRecord.key().equals("heartbeat")
                        && !observedRecord.key().startsWith("key:"))
                .forEach(observedRecord -> last.put(
                        observedRecord.topic().equals("authz.state")
                                ? observedRecord.key()
                                : observedRecord.topic() + " " + observedRecord.key(),
                        observedRecord.payload().deepCopy()));
        return last;
    }

    private static Map<String, ObjectNode> of(Map<String, ObjectNode> records, boolean catalog) {
        records.keySet().removeIf(key -> key.startsWith(CATALOG) != catalog);
        return records;
    }

    private static Map<String, ObjectNode> withoutRevisions(Map<String, ObjectNode> records) {
        records.values().forEach(record -> record.remove("revision"));
        return records;
    }
}
