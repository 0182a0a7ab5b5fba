package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests tokens of adapters and of shared runtime operators. */
class OperatorTokensTest {
    private static final UUID COMMAND = UUID.randomUUID();
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"C.05", "C.06", "0.56"})
    void operator_getsATokenForItsRuntime_andNoProject() {
        var runtime = UUID.randomUUID().toString();
        var body = Json.object().put("shared_runtime_id", runtime).put("display_name", "Shared scheduler");
        body.putArray("allowed_actions").add("apps.shared_runtime.read").add("apps.shared_runtime.report");
        var create =
                platform.as("tenant_owner").call("createSharedRuntimeOperator").path("org_id", DemoData.ORG);
        var tooMuch = body.deepCopy();
        tooMuch.withArray("allowed_actions").add("apps.instance.read");
        assertThat(create.body(tooMuch).send().expect(403).text("code")).isEqualTo("grant_exceeds_own");
        CredentialCalls.assertExcessAudited(platform, "iam.operator.create", DemoData.ORG.toString());
        platform.as("other_tenant_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", DemoData.ORG)
                .body(body)
                .send()
                .expect(404);
        platform.as("project_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", DemoData.ORG)
                .body(body)
                .send()
                .expect(404);
        var id = create.body(body).send().expect(201).text("id");
        create.body(body).send().expect(409);
        platform.as("other_tenant_owner")
                .call("getSharedRuntimeOperator")
                .path("org_id", DemoData.OTHER_ORG)
                .path("operator_id", id)
                .send()
                .expect(404);
        var credential = operator("createSharedRuntimeOperatorCredential", id)
                .body(Json.object())
                .send()
                .expect(201);

        var listed = operator("listSharedRuntimeOperatorCredentials", id).send().expect(200);
        assertThat(listed.body().path("items")).hasSize(1);
        assertThat(listed.body().at("/items/0/credential_id").asText()).isEqualTo(credential.text("credential_id"));
        assertThat(listed.body().at("/items/0").has("secret")).isFalse();
        var exchanged = CredentialCalls.exchange(platform, "exchangeSharedRuntimeOperatorToken", credential)
                .send()
                .expect(200);
        assertThat(exchanged.body().path("expires_in").asInt()).isEqualTo(600);
        var token = exchanged.text("access_token");

        assertThat(DecodedToken.of(token).claims().fieldNames())
                .toIterable()
                .containsExactlyInAnyOrderElementsOf(Set.of(
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
        assertThat(DecodedToken.of(token).text("shared_runtime_id")).isEqualTo(runtime);
        assertThat(DecodedToken.of(token).text("org_id")).isEqualTo(DemoData.ORG.toString());
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 "));
        assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("404 not_found");
        assertThat(onRuntime(
                        token,
                        "getSharedRuntime",
                        DemoData.ORG,
                        UUID.randomUUID().toString()))
                .isEqualTo("404 not_found");
        assertThat(onRuntime(token, "getSharedRuntime", DemoData.OTHER_ORG, runtime))
                .isEqualTo("404 not_found");
        assertThat(onRuntime(token, "listWorkers", DemoData.ORG, runtime)).isEqualTo("403 insufficient_permissions");
        assertThat(onRuntime(token, "getSharedRuntime", DemoData.ORG, runtime))
                .isEqualTo("404 shared_runtime_not_found"); // allowed, and not created yet
        CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send()
                .expect(401);
        operator("disableSharedRuntimeOperator", id).send().expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_invalid"));
        CredentialCalls.exchange(platform, "exchangeSharedRuntimeOperatorToken", credential)
                .send()
                .expect(401);
        for (var result : List.of("success", "denied")) {
            eventually(() -> assertThat(CredentialCalls.findAudits(
                            platform, "iam.token.exchange", credential.text("credential_id"), result))
                    .isNotEmpty());
        }
        operator("enableSharedRuntimeOperator", id).send().expect(200);
        operator("revokeSharedRuntimeOperatorCredential", id)
                .path("credential_id", credential.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        operator("deleteSharedRuntimeOperator", id).send().expect(200);
        operator("enableSharedRuntimeOperator", id).send().expect(409);
    }

    private static String onRuntime(String token, String operationId, UUID org, String runtime) {
        var response = platform.anonymous()
                .as(token)
                .call(operationId)
                .path("org_id", org)
                .path("shared_runtime_id", runtime)
                .send();
        return response.status() + " " + response.text("code");
    }

    @Test
    void adapterTask_onASharedRuntime_actsAsItsOperator() {
        var runtime = UUID.randomUUID().toString();
        var body = Json.object()
                .put("shared_runtime_id", runtime)
                .put("runtime_backend", "bare_metal")
                .put("display_name", "Shared scheduler");
        body.putArray("allowed_actions").add("apps.shared_runtime.report");
        var operator = platform.as("tenant_owner")
                .call("createSharedRuntimeOperator")
                .path("org_id", DemoData.ORG)
                .body(body)
                .send()
                .expect(201)
                .text("id");
        var own = adapterOf("bare_metal");
        var another = adapterOf("slurm");
        assertThat(taskOn(own, DemoData.ORG, runtime).expect(409).text("message"))
                .contains("has no command " + COMMAND);
        platform.database()
                .execute("INSERT INTO iam.runtime_tasks (command_id, subject_id, starts_generation, sequence) VALUES ('"
                        + COMMAND + "', '" + runtime + "', true, 1)");

        var token = taskOn(own, DemoData.ORG, runtime).expect(200).text("access_token");

        var claims = DecodedToken.of(token);
        assertThat(claims.claims().fieldNames()).toIterable().doesNotContain("project_id", "app_instance_id");
        assertThat(claims.subject()).isEqualTo(operator);
        assertThat(claims.text("actor_type")).isEqualTo("shared_runtime_operator");
        assertThat(claims.text("org_id")).isEqualTo(DemoData.ORG.toString());
        assertThat(claims.text("shared_runtime_id")).isEqualTo(runtime);
        assertThat(claims.text("scope")).isEqualTo("apps.shared_runtime.report");
        assertThat(claims.text("aud")).isEqualTo("slipway/reports");
        assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("401 token_invalid");
        assertThat(taskOn(another, DemoData.ORG, runtime).expect(409).text("code"))
                .isEqualTo("task_unknown");
        assertThat(taskOn(own, DemoData.OTHER_ORG, runtime).expect(409).text("code"))
                .isEqualTo("task_unknown");
        assertThat(taskOn(own, DemoData.ORG, UUID.randomUUID().toString())
                        .expect(409)
                        .text("code"))
                .isEqualTo("task_unknown");
        operator("disableSharedRuntimeOperator", operator).send().expect(200);
        taskOn(own, DemoData.ORG, runtime).expect(409);
        eventually(() -> {
            assertThat(CredentialCalls.findAudits(platform, "iam.operator_token.exchange", runtime, "success"))
                    .hasSize(1);
            assertThat(CredentialCalls.findAudits(platform, "iam.operator_token.exchange", runtime, "denied"))
                    .hasSize(4)
                    .allSatisfy(
                            audit -> assertThat(audit.path("reason").asText()).isEqualTo("task_unknown"));
        });
    }

    @Test
    void adapterTask_isRefused_withoutExactlyOneResource() {
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
    void adapter_exchangesItsCredentials_unlessDisabled() {
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
        var listed = adapter("listAdapterCredentials", id).send().expect(200);
        assertThat(listed.body().path("items").findValuesAsText("credential_id"))
                .containsExactlyInAnyOrder(first.text("credential_id"), second.text("credential_id"));
        assertThat(listed.body().toString()).doesNotContain("sws_");
        var read = adapter("getAdapter", id).send().expect(200);
        assertThat(read.text("runtime_backend")).isEqualTo("bare_metal");
        assertThat(read.text("state")).isEqualTo("active");
        var instance = platform.launch("project_owner", "for a task")
                .send()
                .expect(202)
                .text("id");

        var command = RawReports.id(new RawReports(platform).command("deploy", instance));
        eventually(() -> assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.runtime_tasks WHERE command_id = '" + command + "'"))
                .isEqualTo("1"));
        var task = task(id, first.text("secret"), instance, command).expect(200).text("access_token");
        var token = platform.anonymous()
                .call("exchangeAdapterToken")
                .body(Json.object().put("adapter_id", id).put("adapter_secret", first.text("secret")))
                .send()
                .expect(200)
                .text("access_token");
        task(id, second.text("secret"), instance, command).expect(200);
        task(id, "sws_wrong", instance, command).expect(401);
        assertThat(DecodedToken.of(task).text("actor_type")).isEqualTo("service_account");
        assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 ");

        adapter("revokeAdapterCredential", id)
                .path("credential_id", first.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        task(id, first.text("secret"), instance, command).expect(401);
        task(id, second.text("secret"), instance, command).expect(200);
        adapter("disableAdapter", id).send().expect(200);
        assertThat(task(id, second.text("secret"), instance, command)
                        .expect(401)
                        .text("message"))
                .contains("disabled");
        adapter("enableAdapter", id).send().expect(200);
        task(id, second.text("secret"), instance, command).expect(200);
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
                .path("org_id", DemoData.ORG)
                .path("operator_id", id);
    }

    private static Call adapter(String operation, String id) {
        return platform.as("platform_superadmin").call(operation).path("adapter_id", id);
    }

    /** A new adapter with its secret. */
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

    private static ApiResponse task(String adapterId, String secret, String instanceId, String commandId) {
        return task(taskBody(new AdapterKey(adapterId, secret))
                .put("app_instance_id", instanceId)
                .put("command_id", commandId));
    }

    private static ApiResponse taskOn(AdapterKey adapter, UUID orgId, String sharedRuntimeId) {
        return task(taskBody(adapter).put("org_id", orgId.toString()).put("shared_runtime_id", sharedRuntimeId));
    }

    private static ApiResponse task(ObjectNode body) {
        return platform.anonymous().call("exchangeOperatorToken").body(body).send();
    }

    private static ObjectNode taskBody(AdapterKey adapter) {
        return Json.object()
                .put("adapter_id", adapter.id)
                .put("adapter_secret", adapter.secret)
                .put("command_id", COMMAND.toString());
    }
}
