package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.Seen;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** What the tests of tenants do again and again, as users of the API. */
final class Tenants {
    private final PlatformUnderTest platform;

    /** An organization of its own, whose owner is a person of its own. */
    record Tenant(String orgId, String owner) {}

    Tenants(PlatformUnderTest platform) {
        this.platform = platform;
    }

    Tenant create(String slug) {
        var owner = "owner of " + slug;
        var body = named(slug).set("owner", user(owner));
        var made = done(
                platform.as("platform_superadmin").call("createOrganization").body(body), 201);
        return new Tenant(made.text("id"), owner);
    }

    /** A call by the tenant's owner. */
    Call call(Tenant tenant, String operationId) {
        return person(tenant.owner).call(operationId).path("org_id", tenant.orgId);
    }

    ApiClient person(String subject) {
        return platform.person(subject);
    }

    @CanIgnoreReturnValue
    String project(Tenant tenant, String slug) {
        return done(call(tenant, "createProject").body(named(slug)), 201).text("id");
    }

    /** Grants a role at the project, or at the organization where none is given; the answer is the binding. */
    @CanIgnoreReturnValue
    Answer grant(Tenant tenant, String projectId, String role, String subject) {
        var body = user(subject).put("role", role);
        return projectId.isEmpty()
                ? done(call(tenant, "createOrganizationRoleBinding").body(body), 201)
                : done(
                        call(tenant, "createProjectRoleBinding")
                                .path("project_id", projectId)
                                .body(body),
                        201);
    }

    /** Sends a write, and waits until decisions know of it. */
    @CanIgnoreReturnValue
    Answer done(Call call, int status) {
        var answer = call.send().expect(status);
        var revision = Long.parseLong(answer.header("X-Revision"));
        eventually(
                () -> assertThat(platform.platform().frame().authz().revision()).isGreaterThanOrEqualTo(revision));
        return answer;
    }

    /** Waits until the last that was said under a key is as it should be. */
    void last(String topic, String key, Consumer<JsonNode> holds) {
        eventually(() -> {
            var seen = platform.events()
                    .where(s -> s.topic().equals(topic) && s.key().equals(key));
            assertThat(seen).as(key).isNotEmpty();
            holds.accept(seen.get(seen.size() - 1).payload());
        });
    }

    /** The audit records of what was done to something, in their order. */
    List<JsonNode> audits(String action, String targetId) {
        return platform
                .events()
                .where(seen -> seen.type().equals("audit.recorded")
                        && seen.payload().path("action").asText().equals(action)
                        && seen.payload().path("target_id").asText().equals(targetId))
                .stream()
                .map(Seen::payload)
                .toList();
    }

    static ObjectNode named(String slug) {
        return Json.object().put("slug", slug).put("display_name", "Named " + slug);
    }

    static ObjectNode user(String subject) {
        return Json.object().put("issuer", Demo.ISSUER).put("subject", subject);
    }

    static List<String> texts(Answer list, String field) {
        return StreamSupport.stream(list.body().path("items").spliterator(), false)
                .map(item -> item.path(field).asText())
                .toList();
    }

    static String told(Answer answer) {
        return answer.status() + " " + answer.text("code");
    }
}
