package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Tokens of what works for tenants and belongs to none of their people: adapters, and operators of shared runtimes. */
class OperatorTokensTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    @Proves("C.06")
    void operator_hasATokenOfItsRuntime_andOfNoProject() {
        var runtime = UUID.randomUUID().toString();
        var body = Json.object().put("shared_runtime_id", runtime).put("display_name", "Shared scheduler");
        body.putArray("allowed_actions").add("apps.shared_runtime.read").add("apps.shared_runtime.report");
        var create =
                platform.as("tenant_owner").call("createSharedRuntimeOperator").path("org_id", Demo.ORG);
        var tooMuch = body.deepCopy();
        tooMuch.withArray("allowed_actions").add("apps.instance.read");
        assertThat(create.body(tooMuch).send().expect(403).text("code")).isEqualTo("grant_exceeds_own");
        CredentialCalls.assertExcessAudited(platform, "iam.operator.create", Demo.ORG.toString());
        platform.as("other_tenant_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", Demo.ORG)
                .body(body)
                .send()
                .expect(404);
        platform.as("project_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", Demo.ORG)
                .body(body)
                .send()
                .expect(404);
        var id = create.body(body).send().expect(201).text("id");
        create.body(body).send().expect(409);
        platform.as("other_tenant_owner")
                .call("getSharedRuntimeOperator")
                .path("org_id", Demo.OTHER_ORG)
                .path("operator_id", id)
                .send()
                .expect(404);
        var credential = operator("createSharedRuntimeOperatorCredential", id)
                .body(Json.object())
                .send()
                .expect(201);

        var token = CredentialCalls.exchange(platform, "exchangeSharedRuntimeOperatorToken", credential)
                .send()
                .expect(200)
                .text("access_token");

        assertThat(TokenText.of(token).claims().getClaims().keySet())
                .isEqualTo(Set.of(
                        "sub",
                        "actor_type",
                        "org_id",
                        "shared_runtime_id",
                        "scope",
                        "exp",
                        "iat",
                        "iss",
                        "aud",
                        "jti",
                        "credential_id"));
        assertThat(TokenText.of(token).text("shared_runtime_id")).isEqualTo(runtime);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 "));
        assertThat(CredentialCalls.listed(platform, token)).isEqualTo("404 not_found");
        CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send()
                .expect(401);
        operator("disableSharedRuntimeOperator", id).send().expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_invalid"));
        CredentialCalls.exchange(platform, "exchangeSharedRuntimeOperatorToken", credential)
                .send()
                .expect(401);
        operator("enableSharedRuntimeOperator", id).send().expect(200);
        operator("revokeSharedRuntimeOperatorCredential", id)
                .path("credential_id", credential.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        operator("deleteSharedRuntimeOperator", id).send().expect(200);
        operator("enableSharedRuntimeOperator", id).send().expect(409);
    }

    @Test
    @Proves("1.73")
    void adapter_taskOnASharedRuntime_speaksAsItsOperatorAndForNothingElse() {
        var runtime = UUID.randomUUID().toString();
        var body = Json.object()
                .put("shared_runtime_id", runtime)
                .put("runtime_backend", "bare_metal")
                .put("display_name", "Shared scheduler");
        body.putArray("allowed_actions").add("apps.shared_runtime.report");
        var operator = platform.as("tenant_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", Demo.ORG)
                .body(body)
                .send()
                .expect(201)
                .text("id");
        var own = adapterOf("bare_metal");
        var another = adapterOf("slurm");

        var token = taskOn(own, Demo.ORG, runtime).expect(200).text("access_token");

        var claims = TokenText.of(token).claims();
        assertThat(claims.getClaims()).doesNotContainKeys("project_id", "app_instance_id");
        assertThat(claims.getSubject()).isEqualTo(operator);
        assertThat(claims.getClaim("actor_type")).isEqualTo("shared_runtime_operator");
        assertThat(claims.getClaim("org_id")).isEqualTo(Demo.ORG.toString());
        assertThat(claims.getClaim("shared_runtime_id")).isEqualTo(runtime);
        assertThat(claims.getClaim("scope")).isEqualTo("apps.shared_runtime.report");
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 "));
        assertThat(CredentialCalls.listed(platform, token)).isEqualTo("404 not_found");
        assertThat(taskOn(another, Demo.ORG, runtime).expect(409).text("code")).isEqualTo("task_unknown");
        assertThat(taskOn(own, Demo.OTHER_ORG, runtime).expect(409).text("code"))
                .isEqualTo("task_unknown");
        assertThat(taskOn(own, Demo.ORG, UUID.randomUUID().toString())
                        .expect(409)
                        .text("code"))
                .isEqualTo("task_unknown");
        operator("disableSharedRuntimeOperator", operator).send().expect(200);
        taskOn(own, Demo.ORG, runtime).expect(409);
        eventually(() -> {
            assertThat(CredentialCalls.audited(platform, "iam.operator_token.exchange", runtime, "success"))
                    .hasSize(1);
            assertThat(CredentialCalls.audited(platform, "iam.operator_token.exchange", runtime, "denied"))
                    .hasSize(3)
                    .allSatisfy(
                            audit -> assertThat(audit.path("reason").asText()).isEqualTo("task_unknown"));
        });
    }

    @Test
    void adapter_taskOnBothOrNothing_isToldWhatToName() {
        var adapter = adapterOf("bare_metal");
        var id = UUID.randomUUID().toString();
        var neither = taskBody(adapter);
        var both =
                taskBody(adapter).put("app_instance_id", id).put("org_id", id).put("shared_runtime_id", id);
        var noOrganization = taskBody(adapter).put("shared_runtime_id", id);

        assertThat(task(neither)
                        .expect(400)
                        .body()
                        .at("/details/fields/0/field")
                        .asText())
                .isEqualTo("/app_instance_id");
        assertThat(task(both).expect(400).body().at("/details/fields/0/field").asText())
                .isEqualTo("/app_instance_id");
        assertThat(task(noOrganization)
                        .expect(400)
                        .body()
                        .at("/details/fields/0/field")
                        .asText())
                .isEqualTo("/org_id");
    }

    @Test
    void adapter_exchangesItsCredentials_andNoneWhenDisabled() {
        var body = Json.object().put("runtime_backend", "bare_metal").put("display_name", "Another adapter");
        platform.as("tenant_owner").call("createAdapter").body(body).send().expect(403);
        var id = platform.as("platform_superadmin")
                .call("createAdapter")
                .body(body)
                .send()
                .expect(201)
                .text("id");
        var first = adapter("createAdapterCredential", id)
                .body(Json.object())
                .send()
                .expect(201);
        var second = adapter("createAdapterCredential", id)
                .body(Json.object())
                .send()
                .expect(201);
        adapter("createAdapterCredential", id).body(Json.object()).send().expect(409);
        var instance = platform.launch("project_owner", "for a task")
                .send()
                .expect(202)
                .text("id");

        var token = eventuallyGet(() -> task(id, first.text("secret"), instance).expect(200))
                .text("access_token");
        task(id, second.text("secret"), instance).expect(200);
        task(id, "sws_wrong", instance).expect(401);
        assertThat(platform.anonymous()
                        .as(token)
                        .call("getMe")
                        .send()
                        .expect(200)
                        .text("actor_type"))
                .isEqualTo("service_account");

        adapter("revokeAdapterCredential", id)
                .path("credential_id", first.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        task(id, first.text("secret"), instance).expect(401);
        task(id, second.text("secret"), instance).expect(200);
        adapter("disableAdapter", id).send().expect(200);
        assertThat(task(id, second.text("secret"), instance).expect(401).text("message"))
                .contains("disabled");
        adapter("enableAdapter", id).send().expect(200);
        task(id, second.text("secret"), instance).expect(200);
        assertThat(platform.as("platform_superadmin")
                        .call("listAdapters")
                        .send()
                        .expect(200)
                        .body()
                        .toString())
                .contains(id);
    }

    private static Call operator(String operation, String id) {
        return platform.as("tenant_owner")
                .call(operation)
                .path("org_id", Demo.ORG)
                .path("operator_id", id);
    }

    private static Call adapter(String operation, String id) {
        return platform.as("platform_superadmin").call(operation).path("adapter_id", id);
    }

    /** A new adapter, with its secret. */
    private record AdapterKey(String id, String secret) {}

    private static AdapterKey adapterOf(String backend) {
        var id = platform.as("platform_superadmin")
                .call("createAdapter")
                .body(Json.object().put("runtime_backend", backend).put("display_name", "Adapter of " + backend))
                .send()
                .expect(201)
                .text("id");
        return new AdapterKey(
                id,
                adapter("createAdapterCredential", id)
                        .body(Json.object())
                        .send()
                        .expect(201)
                        .text("secret"));
    }

    private static Answer task(String adapterId, String secret, String instanceId) {
        return task(taskBody(new AdapterKey(adapterId, secret)).put("app_instance_id", instanceId));
    }

    private static Answer taskOn(AdapterKey adapter, UUID orgId, String sharedRuntimeId) {
        return task(taskBody(adapter).put("org_id", orgId.toString()).put("shared_runtime_id", sharedRuntimeId));
    }

    private static Answer task(ObjectNode body) {
        return platform.anonymous().call("exchangeOperatorToken").body(body).send();
    }

    private static ObjectNode taskBody(AdapterKey adapter) {
        return Json.object()
                .put("adapter_id", adapter.id)
                .put("adapter_secret", adapter.secret)
                .put("command_id", UUID.randomUUID().toString());
    }
}
