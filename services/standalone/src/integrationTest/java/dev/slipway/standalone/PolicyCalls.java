package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.standalone.TenantCalls.Tenant;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the policy tests, as administrators. */
final class PolicyCalls {
    private final PlatformUnderTest platform;
    private final TenantCalls tenantCalls;

    PolicyCalls(PlatformUnderTest platform) {
        this.platform = platform;
        this.tenantCalls = new TenantCalls(platform);
    }

    LevelCalls global() {
        return new LevelCalls(this, "platform_superadmin", "Global", call -> call);
    }

    LevelCalls plan(String plan) {
        return new LevelCalls(this, "platform_superadmin", "Plan", call -> call.path("plan", plan));
    }

    /** Creates a tenant with one project and waits until it is replicated to the catalog. */
    PolicyTenant createTenant(String slug) {
        var tenant = tenantCalls.create("policy-" + slug);
        var project = tenantCalls.project(tenant, "main");
        var department = tenantCalls
                .call(tenant, "getProject")
                .path("project_id", project)
                .send()
                .expect(200)
                .text("department_id");
        var policyTenant = new PolicyTenant(this, tenant, project, department);
        eventually(() -> policyTenant.call("getEffectivePolicy").send().expect(200));
        eventually(() -> tenantCalls
                .call(tenant, "getDepartmentPolicy")
                .path("department_id", department)
                .send()
                .expect(200));
        return policyTenant;
    }

    record PolicyTenant(PolicyCalls calls, Tenant tenant, String projectId, String departmentId) {
        Call call(String operationId) {
            return calls.tenantCalls.call(tenant, operationId).path("project_id", projectId);
        }

        Call entitle(String body) {
            return entitle(DemoData.APP, body);
        }

        Call entitle(String appSlug, String body) {
            return call("putAppEntitlement").path("app_slug", appSlug).body(json(body));
        }

        /** Returns a launch of the demo's app with the given fields. */
        Call launch(String other) {
            var body = PlatformUnderTest.launchBody("by policy");
            body.setAll(json(other));
            return call("createAppInstance").body(body);
        }

        ApiResponse effective(String query) {
            var call = call("getEffectivePolicy");
            return (query.isEmpty() ? call : call.query(query)).send().expect(200);
        }

        LevelCalls levelOf(String level) {
            var name = level.substring(0, 1).toUpperCase(Locale.ROOT) + level.substring(1);
            return new LevelCalls(calls, tenant.owner(), name, call -> call.path("org_id", tenant.orgId())
                    .path("department_id", departmentId)
                    .path("project_id", projectId));
        }
    }

    /** The document of one policy level and the caller that writes it. */
    record LevelCalls(PolicyCalls calls, String caller, String name, UnaryOperator<Call> parameters) {
        Call get() {
            return parameters.apply(client("get"));
        }

        ApiResponse read() {
            return get().send().expect(200);
        }

        ApiResponse read(String query) {
            return get().query(query).send().expect(200);
        }

        Call put(String body) {
            return parameters.apply(client("put")).body(json(body));
        }

        @CanIgnoreReturnValue
        ApiResponse replace(String values, String denies) {
            return tryReplace(values, denies).expect(200);
        }

        ApiResponse tryReplace(String values, String denies) {
            return put("{'values': " + values + ", 'hard_denies': " + denies + "}")
                    .header("If-Match", read().header("ETag"))
                    .send();
        }

        private Call client(String verb) {
            var operation = verb + name + "Policy";
            return caller.startsWith("platform_")
                    ? calls.platform.as(caller).call(operation)
                    : calls.tenantCalls.person(caller).call(operation);
        }
    }

    static List<String> widenings(ApiResponse apiResponse) {
        assertThat(apiResponse.text("code")).isEqualTo("policy_widens");
        return StreamSupport.stream(apiResponse.body().at("/details/widenings").spliterator(), false)
                .map(w -> w.path("key").asText() + " " + w.path("level").asText() + " " + w.path("version"))
                .toList();
    }

    static ObjectNode json(String text) {
        return Json.parseStoredObject(text.replace('\'', '"'));
    }
}
