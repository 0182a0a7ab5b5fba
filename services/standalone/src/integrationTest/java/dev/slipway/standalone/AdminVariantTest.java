package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Admin variants of tenant operations, and task tokens of adapters. */
class AdminVariantTest extends DecisionTestBase {
    @Test
    @Proves({"1.76", "2.28"})
    void adminVariant_isRefused_withoutReasonOrPlatformRole() {
        var missing =
                demoProjectCall("adminListAppInstances", "platform_ops").send().expect(400);
        assertThat(missing.body().at("/details/fields/0/field").asText()).isEqualTo("X-Break-Glass-Reason");
        for (var user : List.of("tenant_owner", "project_owner", "other_tenant_owner", "service_account")) {
            var refused = demoProjectCall("adminListAppInstances", user)
                    .header("X-Break-Glass-Reason", REASON)
                    .send()
                    .expect(403);
            assertThat(refused.text("code")).as(user).isEqualTo("insufficient_permissions");
        }
        // The header opens nothing but a twin.
        var original = demoProjectCall("listAppInstances", "platform_ops")
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(403);
        assertThat(original.text("code")).isEqualTo("break_glass_required");
    }

    @Test
    void adminVariant_isNotFound_whenTheProjectDoesNotExist() {
        var nowhere = platform.as("platform_ops")
                .call("adminListAppInstances")
                .path("project_id", Ids.next())
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(404);

        assertThat(nowhere.text("code")).isEqualTo("not_found");
    }

    @Test
    void adminVariant_isNotFound_whenItCreatesInAnUnknownOrganization() {
        var nowhere = platform.as("platform_superadmin")
                .call("adminCreateGroup")
                .path("org_id", Ids.next())
                .header("X-Break-Glass-Reason", REASON)
                .body(Json.object().put("slug", "nowhere").put("display_name", "Nowhere"))
                .send()
                .expect(404);

        assertThat(nowhere.text("code")).isEqualTo("not_found");
    }

    @Test
    @Proves({"1.76", "2.28"})
    void adminVariant_isOnTheTenantsTimelineWithItsReason_alsoForReads() {
        var key = Ids.next().toString();
        var created = launch(key).expect(202);
        var again = launch(key).expect(202);
        assertThat(again.text("id")).isEqualTo(created.text("id"));
        assertThat(created.header("Location")).startsWith("/api/v1/admin/projects/" + DemoData.PROJECT);
        var read = demoProjectCall("adminGetAppInstance", "platform_superadmin")
                .path("app_instance_id", created.text("id"))
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(200);
        assertThat(read.text("org_id")).isEqualTo(DemoData.ORG.toString());

        eventually(() -> {
            assertUse(read, "getAppInstance", "apps.instance.read");
            assertUse(created, "createAppInstance", CREATE);
        });
    }

    @Test
    @Proves("1.28")
    void taskToken_isOfTheProjectsAccount_andForReportsOnly() {
        var mine = platform.launch("project_owner", "the task's")
                .send()
                .expect(202)
                .text("id");
        var other =
                platform.launch("project_owner", "another").send().expect(202).text("id");
        var reports = new RawReports(platform);
        var token = reports.token(mine, RawReports.id(reports.command("deploy", mine)));
        var adapter = platform.anonymous().as(token);

        for (var instance : List.of(mine, other)) {
            adapter.call("getAppInstance")
                    .path("project_id", DemoData.PROJECT)
                    .path("app_instance_id", instance)
                    .send()
                    .expect(401);
        }
        var claims = DecodedToken.of(token);
        var account = platform.instance("getAppInstance", "project_owner", mine)
                .send()
                .expect(200)
                .text("operator_service_account_id");
        assertThat(claims.subject()).isEqualTo(account);
        assertThat(claims.text("actor_type")).isEqualTo("service_account");
        assertThat(claims.text("project_id")).isEqualTo(DemoData.PROJECT.toString());
        var accounts = platform.as("tenant_owner").call("getServiceAccount").path("service_account_id", account);
        assertThat(accounts.path("project_id", DemoData.PROJECT)
                        .send()
                        .expect(200)
                        .text("project_id"))
                .isEqualTo(DemoData.PROJECT.toString());
        for (var elsewhere : List.of(DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
            var asOperator = PlatformUnderTest.launchBody("x").put("operator_service_account_id", account);
            var owner = elsewhere.equals(DemoData.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
            assertThat(platform.launchIn(elsewhere, owner, "")
                            .body(asOperator)
                            .send()
                            .text("code"))
                    .isEqualTo("operator_account_invalid");
        }
    }
}
