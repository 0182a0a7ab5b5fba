package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static dev.slipway.standalone.Tenants.named;
import static dev.slipway.standalone.Tenants.user;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The broker is gone with all its topics; IAM and the catalog have their databases. */
class RebuiltTopicsTest {
    private static final String REVISION = "SELECT revision FROM iam.authz_revision";
    private static final String CATALOG = "catalog.state ";
    private static final String KEPT = """
            SELECT (SELECT count(*) FROM catalog.registry_entries) + (SELECT count(*) FROM catalog.app_catalog)
                + (SELECT count(*) FROM catalog.app_versions) + (SELECT count(*) FROM catalog.policy_levels)
                + (SELECT count(*) FROM catalog.project_app_entitlements)
            """;

    @Test
    void everything_isToldAgain_atTheSameRevision_whenTheTopicsAreNew() {
        var before = new PlatformUnderTest();
        var tenants = new Tenants(before);
        var tenant = tenants.create("surviving");
        var project = tenants.project(tenant, "p");
        change(tenants, tenant, project);
        new PolicyCalls(before).global().say("{'max_gpus_per_instance': 4}", "{}");
        eventually(() -> assertThat(last(before)).containsKeys("revision", CATALOG + "policy:global:platform"));
        eventually(
                () -> assertThat(last(before).get("revision").path("revision").asText())
                        .isEqualTo(before.database().query(REVISION)));
        var told = withoutRevisions(of(last(before), false));
        var catalog = of(last(before), true);
        var database = before.leave();
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
                            .where(seen -> seen.type().equals("authz.revision"))
                            .get(0)
                            .payload()
                            .path("revision")
                            .asText())
                    .isEqualTo(revision);
            new Tenants(after)
                    .person(tenant.owner())
                    .call("getProject")
                    .path("project_id", project)
                    .send()
                    .expect(200);
            assertThat(after.events().faults()).isEmpty();
        }
    }

    /** One of everything, some of it gone again. */
    private static void change(Tenants tenants, Tenants.Tenant tenant, String project) {
        var group = tenants.done(tenants.call(tenant, "createGroup").body(named("g")), 201)
                .text("id");
        var member = tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("member")), 201);
        tenants.done(
                tenants.call(tenant, "addGroupMember").path("group_id", group).body(user("member who stays")), 201);
        tenants.done(
                tenants.call(tenant, "removeGroupMember")
                        .path("group_id", group)
                        .path("user_id", member.text("user_id")),
                200);
        var binding = tenants.grant(tenant, project, "project_viewer", "viewer").text("id");
        tenants.done(
                tenants.call(tenant, "createProjectRoleBinding")
                        .path("project_id", project)
                        .body(user("for a while")
                                .put("role", "project_viewer")
                                .put("expires_at", "2099-01-01T00:00:00Z")),
                201);
        tenants.done(
                tenants.call(tenant, "deleteProjectRoleBinding")
                        .path("project_id", project)
                        .path("binding_id", binding),
                200);
        var role = Json.object().put("display_name", "R").put("level", "project");
        role.putArray("actions").add("apps.instance.read");
        tenants.done(tenants.call(tenant, "createRole").body(role), 201);
        var gone = tenants.project(tenant, "gone");
        tenants.done(tenants.call(tenant, "deleteProject").path("project_id", gone), 200);
    }

    /** The last record of every key, but for heartbeats and keys, which each start makes anew. */
    private static Map<String, ObjectNode> last(PlatformUnderTest platform) {
        var last = new TreeMap<String, ObjectNode>();
        platform
                .events()
                .where(seen ->
                        Set.of("authz.state", "iam.state", "catalog.state").contains(seen.topic()))
                .stream()
                .filter(seen -> !seen.key().equals("heartbeat") && !seen.key().startsWith("key:"))
                .forEach(seen -> last.put(
                        seen.topic().equals("authz.state") ? seen.key() : seen.topic() + " " + seen.key(),
                        seen.payload().deepCopy()));
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
