package dev.slipway.standalone;

import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Json;

import java.util.List;
import java.util.UUID;

/** Break-glass reads, calls without a token, the adapter's desired state, and the deletion of tenants. */
final class AdminTour {
    private static final String ADMIN = "platform_superadmin";

    private final TourRecorder tour;

    AdminTour(TourRecorder tour) {
        this.tour = tour;
    }

    void run() {
        tour.chapter("19-break-glass");
        breakGlass();
        tour.chapter("20-without-token");
        withoutToken();
        tour.chapter("21-endings");
        endings();
    }

    private void breakGlass() {
        tour.call("platform_ops", "adminListAppInstances");
        tour.call("platform_ops", "listAppInstances");
        tour.step("platform_superadmin", "adminPlanAppInstance")
                .header("X-Break-Glass-Reason", "The tenant asked for help")
                .body("{'app_slug': 'echo', 'version': '1.0.0', 'display_name': 'Help'}")
                .send();
        for (var unknown : List.of(
                "shared_runtime_id",
                "attachment_id",
                "worker_id",
                "tenant_id",
                "deployment_id",
                "release_id",
                "line_id")) {
            tour.set(unknown, DemoData.ECHO.toString());
        }
        tour.set("app_name", "unknown");
        tour.set("period", "2026-01");
        for (var operation : operations()) {
            // Audit logs, usage and status are filled asynchronously, so what they contain varies.
            var varies = operation.isStream()
                    || operation.path().matches(".*/(audit|usage|billing|status|consistency)(/.*)?");
            if (operation.isAdminVariant() && TourRecorder.isRead(operation) && !varies) {
                tour.step("platform_superadmin", operation.id())
                        .header("X-Break-Glass-Reason", "The tenant asked for help")
                        .send();
            }
        }
    }

    private void withoutToken() {
        for (var operation : operations()) {
            var call = tour.platform().anonymous().call(operation.id()).anyPath(UUID.randomUUID());
            var apiResponse = (operation.hasBody() ? call.body(Json.object()) : call).send();
            if (apiResponse.status() != 200) {
                tour.record(
                        operation.id(),
                        Json.object().put("status", apiResponse.status()).put("code", apiResponse.text("code")));
            }
        }
    }

    private void endings() {
        var adapterToken = tour.call(
                        "anonymous",
                        "exchangeAdapterToken",
                        "{'adapter_id': '" + DemoData.ADAPTER + "', 'adapter_secret': '"
                                + PlatformUnderTest.ADAPTER_SECRET + "'}")
                .text("access_token");
        tour.stepWithToken("adapter", adapterToken, "listDesiredState").send();
        tour.call(
                "anonymous",
                "exchangeOperatorToken",
                "{'adapter_id': '" + DemoData.ADAPTER
                        + "', 'adapter_secret': 'wrong', 'app_instance_id': '$app_instance_id$', 'command_id': '$app_instance_id$'}");
        var database = tour.platform().database();
        tour.set("org_id", database.query("SELECT id FROM iam.organizations WHERE slug = 'tour'"));
        tour.set("project_id", database.query("SELECT id FROM iam.projects WHERE slug = 'main'"));
        tour.call("tour owner", "deleteOrganization");
        tour.call("tour owner", "deleteProject");
        tour.call(
                "tour owner",
                "createServiceAccount",
                "{'slug': 'late', 'display_name': 'Late', 'allowed_actions': ['apps.instance.read']}");
        tour.set("project_id", database.query("SELECT id FROM iam.projects WHERE slug = 'side'"));
        tour.call("tour owner", "deleteProject");
        tour.call(ADMIN, "deleteOrganization");
        tour.call("tour owner", "deleteOrganization");
    }

    private static List<ApiOperation> operations() {
        return Contract.load().operations().stream()
                .sorted((one, other) -> one.id().compareTo(other.id()))
                .toList();
    }
}
