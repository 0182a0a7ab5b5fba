package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.standalone.Tenants.Tenant;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;

import java.util.Locale;
import java.util.function.UnaryOperator;

import static dev.slipway.testkit.Eventually.eventually;

/** What the tests of policy do again and again, as administrators. */
final class PolicyCalls {
    private final PlatformUnderTest platform;
    private final Tenants tenants;

    PolicyCalls(PlatformUnderTest platform) {
        this.platform = platform;
        this.tenants = new Tenants(platform);
    }

    LevelOf global() {
        return new LevelOf(this, "platform_superadmin", "Global", call -> call);
    }

    LevelOf plan(String plan) {
        return new LevelOf(this, "platform_superadmin", "Plan", call -> call.path("plan", plan));
    }

    /** A tenant with one project, known to the catalog. */
    Home home(String slug) {
        var tenant = tenants.create("policy-" + slug);
        var project = tenants.project(tenant, "main");
        var department = tenants.call(tenant, "getProject")
                .path("project_id", project)
                .send()
                .expect(200)
                .text("department_id");
        var home = new Home(this, tenant, project, department);
        eventually(() -> home.call("getEffectivePolicy").send().expect(200));
        eventually(() -> tenants.call(tenant, "getDepartmentPolicy")
                .path("department_id", department)
                .send()
                .expect(200));
        return home;
    }

    record Home(PolicyCalls calls, Tenant tenant, String projectId, String departmentId) {
        Call call(String operationId) {
            return calls.tenants.call(tenant, operationId).path("project_id", projectId);
        }

        Call entitle(String body) {
            return entitle(Demo.APP, body);
        }

        Call entitle(String appSlug, String body) {
            return call("putAppEntitlement").path("app_slug", appSlug).body(json(body));
        }

        /** A launch of the demo's app, with something else than usual. */
        Call launch(String other) {
            var body = PlatformUnderTest.launchBody("by policy");
            body.setAll(json(other));
            return call("createAppInstance").body(body);
        }

        Answer effective(String query) {
            var call = call("getEffectivePolicy");
            return (query.isEmpty() ? call : call.query(query)).send().expect(200);
        }

        LevelOf levelOf(String level) {
            var name = level.substring(0, 1).toUpperCase(Locale.ROOT) + level.substring(1);
            return new LevelOf(calls, tenant.owner(), name, call -> call.path("org_id", tenant.orgId())
                    .path("department_id", departmentId)
                    .path("project_id", projectId));
        }
    }

    /** One level's document, written by somebody. */
    record LevelOf(PolicyCalls calls, String who, String name, UnaryOperator<Call> place) {
        Call get() {
            return place.apply(client("get"));
        }

        Answer read() {
            return get().send().expect(200);
        }

        Answer read(String query) {
            return get().query(query).send().expect(200);
        }

        Call put(String body) {
            return place.apply(client("put")).body(json(body));
        }

        @CanIgnoreReturnValue
        Answer say(String values, String denies) {
            return saying(values, denies).expect(200);
        }

        Answer saying(String values, String denies) {
            return put("{'values': " + values + ", 'hard_denies': " + denies + "}")
                    .header("If-Match", read().header("ETag"))
                    .send();
        }

        private Call client(String verb) {
            var operation = verb + name + "Policy";
            return who.startsWith("platform_")
                    ? calls.platform.as(who).call(operation)
                    : calls.tenants.person(who).call(operation);
        }
    }

    static ObjectNode json(String text) {
        return Json.trusted(text.replace('\'', '"'));
    }
}
