package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the commands of the guide to tenants as one script, and calls the operations of another organization's tenant. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsGuideTest {
    private PlatformUnderTest platform;

    @TempDir
    private Path directory;

    @BeforeAll
    void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    @Proves("4.25")
    void guide_createsSuspendsAndDestroysATenant_whenPastedAsOneBlock() throws IOException, InterruptedException {
        var tokens = Files.createDirectories(directory.resolve(".slipway/tokens"));
        Files.writeString(tokens.resolve("tenant_owner"), platform.token("tenant_owner"));
        var guide = Files.readString(Path.of("../../docs/tenants.md"));

        var output =
                GuideScript.run(directory, GuideScript.of(guide).replace("http://127.0.0.1:8080", platform.baseUrl()));

        assertThat(output)
                .contains(
                        "\"name\":\"create_database\",\"status\":\"completed\"",
                        "\"username\":\"tenant_",
                        "\"tenant_plan\":\"pro\"",
                        "\"exceeded_quota\":\"max_objects\"",
                        "\"plan\":\"enterprise\"",
                        "\"status\":\"suspended\"",
                        "\"status\":\"destroying\"",
                        ".ndjson");
    }

    /** Neither another organization nor a role without the action gets to a tenant, and platform roles only with a reason. */
    @Test
    void operations_areRefused_toOthers() {
        var created = platform.as("tenant_owner")
                .call("createTenant")
                .path("org_id", DemoData.ORG)
                .body(Json.object().put("isolation_level", "shared_schema"))
                .send()
                .expect(202);
        var tenantId = created.text("id");
        for (var operation : List.of("getTenant", "getTenantStatus", "getTenantUsage", "listTenantCredentials")) {
            platform.as("other_tenant_owner")
                    .call(operation)
                    .path("org_id", DemoData.ORG)
                    .path("tenant_id", tenantId)
                    .send()
                    .expect(404);
            var foreign = platform.as("other_tenant_owner")
                    .call(operation)
                    .path("org_id", DemoData.OTHER_ORG)
                    .path("tenant_id", tenantId)
                    .send()
                    .expect(404);
            assertThat(foreign.text("code")).isEqualTo("tenant_not_found");
        }
        platform.as("other_tenant_owner")
                .call("listTenantRecords")
                .path("tenant_id", tenantId)
                .path("object", "account")
                .send()
                .expect(404);
        platform.as("platform_superadmin")
                .call("getTenant")
                .path("org_id", DemoData.ORG)
                .path("tenant_id", tenantId)
                .send()
                .expect(403);
        platform.as("project_viewer")
                .call("createTenant")
                .path("org_id", DemoData.ORG)
                .body(Json.object())
                .send()
                .expect(404);
    }
}
