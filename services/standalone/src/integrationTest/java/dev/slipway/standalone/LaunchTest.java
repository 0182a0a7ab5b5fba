package dev.slipway.standalone;

import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A launch from the request to the events. */
class LaunchTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    @Proves({"1.48", "1.70"})
    void create_isAcceptedAndPublished_whenEntitled() {
        var created = platform.launch("project_member", "one").send().expect(202);

        assertThat(created.text("status")).isEqualTo("requested");
        assertThat(TenantCalls.statusAndCode(platform.launchIn(DemoData.OTHER_PROJECT, "other_tenant_owner", "none")
                        .body(PlatformUnderTest.launchBody("none").put("app_slug", "absent"))
                        .send()))
                .isEqualTo("404 app_not_found");
        assertThat(created.header("Location")).endsWith("/app-instances/" + created.text("id"));
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.type().equals("apps.instance.requested")
                                && observedRecord.key().equals(created.text("id"))))
                .hasSize(1));
        assertThat(platform.events().violations()).isEmpty();
    }

    /** The inputs of launch decisions are cached: a change that increments no version number would never be noticed. */
    @ParameterizedTest
    @MethodSource("inputTables")
    void launchInputs_areReadAgain_whenATableChanges(String table) {
        platform.launch("project_member", "before").send().expect(202);
        var before = numbers();

        platform.database().execute(CHANGES.get(table));

        assertThat(numbers()).isNotEqualTo(before);
        platform.launch("project_member", "after").send().expect(202);
    }

    /**
     * The tables of the launch inputs, from the source of the store. Users never change; attachments and the limits of spending
     * are never cached; the others hold ages, version numbers and instances.
     */
    static List<String> inputTables() throws IOException {
        var sources = Path.of("../instances/src/main/java/dev/slipway/instances/launch");
        var statements = Files.readString(sources.resolve("LaunchContextStore.java"));
        var named = Pattern.compile("(?:FROM|JOIN) ([a-z_]++)(?!\\()")
                .matcher(statements)
                .results();
        var tables = named.map(found -> found.group(1))
                .filter(table -> !List.of(
                                "users",
                                "catalog_freshness",
                                "known_facts",
                                "app_instances",
                                "shared_runtime_attachments",
                                "limits",
                                "billing_accounts",
                                "billing_freshness",
                                "billing_budgets",
                                "billing_prices",
                                "budget_reservations")
                        .contains(table))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(tables).isEqualTo(CHANGES.keySet());
        return List.copyOf(tables);
    }

    private static final Map<String, String> CHANGES = Map.of(
            "organizations", "UPDATE instances.organizations SET plan = plan",
            "projects", "UPDATE instances.projects SET department_id = department_id",
            "service_accounts", "UPDATE instances.service_accounts SET state = state",
            "project_app_entitlements", "UPDATE instances.project_app_entitlements SET enabled = enabled",
            "app_catalog", "UPDATE instances.app_catalog SET status = status",
            "app_versions", "UPDATE instances.app_versions SET status = status",
            "policy_levels", "INSERT INTO instances.policy_levels VALUES ('organization', 'nobody', 1, '{}', '{}')",
            "policy_keys", "UPDATE instances.policy_keys SET state = state",
            "revoked_digests", "INSERT INTO instances.revoked_digests VALUES ('sha256:nothing')");

    private static String numbers() {
        return platform.database()
                .query(
                        "SELECT k.number || '/' || p.facts FROM instances.known_facts k, instances.projects p WHERE p.id = '"
                                + DemoData.PROJECT + "'");
    }
}
