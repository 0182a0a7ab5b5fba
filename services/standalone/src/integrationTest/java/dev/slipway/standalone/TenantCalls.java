package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.ObservedRecord;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls of the tenancy tests. */
final class TenantCalls {
    private final PlatformUnderTest platform;

    /** A new organization and its owner. */
    record Tenant(String orgId, String owner) {}

    TenantCalls(PlatformUnderTest platform) {
        this.platform = platform;
    }

    Tenant create(String slug) {
        var owner = "owner of " + slug;
        var body = namedBody(slug).set("owner", userReference(owner));
        var made = sendAndAwaitRevision(
                platform.as("platform_superadmin").call("createOrganization").body(body), 201);
        return new Tenant(made.text("id"), owner);
    }

    /** Returns a call by the tenant's owner. */
    Call call(Tenant tenant, String operationId) {
        return person(tenant.owner).call(operationId).path("org_id", tenant.orgId);
    }

    ApiClient person(String subject) {
        return platform.person(subject);
    }

    @CanIgnoreReturnValue
    String project(Tenant tenant, String slug) {
        return sendAndAwaitRevision(call(tenant, "createProject").body(namedBody(slug)), 201)
                .text("id");
    }

    /** Grants a role in the project, or in the organization if none is given, and returns the binding. */
    @CanIgnoreReturnValue
    ApiResponse grant(Tenant tenant, String projectId, String role, String subject) {
        var body = userReference(subject).put("role", role);
        return projectId.isEmpty()
                ? sendAndAwaitRevision(
                        call(tenant, "createOrganizationRoleBinding").body(body), 201)
                : sendAndAwaitRevision(
                        call(tenant, "createProjectRoleBinding")
                                .path("project_id", projectId)
                                .body(body),
                        201);
    }

    /** Creates a plan, with an empty policy unless it has one, and waits until it is replicated to IAM. */
    void createPlan(String plan) {
        var admin = platform.as("platform_superadmin");
        if (admin.call("getPlanPolicy")
                .path("plan", plan)
                .send()
                .text("version")
                .equals("0")) {
            admin.call("putPlanPolicy")
                    .path("plan", plan)
                    .body(Json.object().set("values", Json.object()))
                    .send()
                    .expect(200);
        }
        eventually(() -> assertThat(
                        platform.database().query("SELECT count(*) FROM iam.plans WHERE plan = '" + plan + "'"))
                .isEqualTo("1"));
    }

    /** Puts the tenant on another plan, as the platform. */
    void setPlan(Tenant tenant, String plan) {
        createPlan(plan);
        sendAndAwaitRevision(
                platform.as("platform_superadmin")
                        .call("adminUpdateOrganization")
                        .path("org_id", tenant.orgId)
                        .header("X-Break-Glass-Reason", "The tenant ordered another plan")
                        .body(Json.object().put("plan", plan)),
                200);
    }

    /** Sends a write and waits until it is replicated to authorization. */
    @CanIgnoreReturnValue
    ApiResponse sendAndAwaitRevision(Call call, int status) {
        var apiResponse = call.send().expect(status);
        var revision = Long.parseLong(apiResponse.header("X-Revision"));
        eventually(() -> assertThat(platform.platform().serviceContext().authz().revision())
                .isGreaterThanOrEqualTo(revision));
        return apiResponse;
    }

    /** Waits until the latest record of the key matches. */
    void awaitLatest(String topic, String key, Consumer<JsonNode> holds) {
        eventually(() -> {
            var seen = platform.events()
                    .find(s -> s.topic().equals(topic) && s.key().equals(key));
            assertThat(seen).as(key).isNotEmpty();
            holds.accept(seen.get(seen.size() - 1).payload());
        });
    }

    /** Returns the audit records of an action on a target, in order. */
    List<JsonNode> audits(String action, String targetId) {
        return platform
                .events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                        && observedRecord.payload().path("action").asText().equals(action)
                        && observedRecord.payload().path("target_id").asText().equals(targetId))
                .stream()
                .map(ObservedRecord::payload)
                .toList();
    }

    static ObjectNode namedBody(String slug) {
        return Json.object().put("slug", slug).put("display_name", "Named " + slug);
    }

    static ObjectNode userReference(String subject) {
        return Json.object().put("issuer", DemoData.ISSUER).put("subject", subject);
    }

    static List<String> texts(ApiResponse list, String field) {
        return StreamSupport.stream(list.body().path("items").spliterator(), false)
                .map(item -> item.path(field).asText())
                .toList();
    }

    static String statusAndCode(ApiResponse apiResponse) {
        return apiResponse.status() + " " + apiResponse.text("code");
    }
}
