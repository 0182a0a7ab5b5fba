package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.PlatformProcess;

import java.time.Instant;
import java.util.List;

/** Tokens of every origin, each with the call that ends its access. */
record RevocableAccesses(PlatformProcess front) {
    /** A token and the call that ends its access. */
    record Access(String name, String token, Call end) {}

    List<Access> all() {
        return List.of(tokenRevoked(), credentialRevoked(), keyRevoked(), accountDeleted(), userDisabled());
    }

    private Access tokenRevoked() {
        var account = account();
        var token = exchanged("exchangeServiceAccountToken", credential(account), "credential_id");
        var jti = DecodedToken.of(token).jti();
        return new Access("a token", token, inProject("revokeProjectToken").path("jti", jti));
    }

    private Access credentialRevoked() {
        var account = account();
        var credential = credential(account);
        return new Access(
                "a credential",
                exchanged("exchangeServiceAccountToken", credential, "credential_id"),
                inProject("revokeServiceAccountCredential")
                        .path("service_account_id", account)
                        .path("credential_id", credential.text("credential_id")));
    }

    private Access keyRevoked() {
        var body = Json.object()
                .put("name", "k")
                .put("expires_at", Instant.now().plusSeconds(3_600).toString());
        body.putArray("actions").add("apps.instance.read");
        var key = front.as("project_viewer")
                .call("createApiKey")
                .body(body)
                .send()
                .expect(201);
        return new Access(
                "an API key",
                exchanged("exchangeApiKeyToken", key, "api_key_id"),
                front.as("project_viewer").call("revokeApiKey").path("api_key_id", key.text("api_key_id")));
    }

    private Access accountDeleted() {
        var account = account();
        return new Access(
                "a service account",
                exchanged("exchangeServiceAccountToken", credential(account), "credential_id"),
                inProject("deleteServiceAccount").path("service_account_id", account));
    }

    private Access userDisabled() {
        return new Access(
                "a user",
                front.demo().path("tokens").path("project_admin").asText(),
                front.as("platform_superadmin").call("disableUser").path("user_id", userId("project_admin")));
    }

    private String userId(String user) {
        return front.as(user).call("getMe").send().expect(200).text("principal_id");
    }

    private Call inProject(String operation) {
        return front.as("project_owner").call(operation).path("project_id", DemoData.PROJECT);
    }

    private String account() {
        return inProject("createServiceAccount")
                .body(CredentialCalls.account())
                .send()
                .expect(201)
                .text("id");
    }

    private ApiResponse credential(String account) {
        return inProject("createServiceAccountCredential")
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
    }

    private String exchanged(String operation, ApiResponse secret, String idField) {
        return front.as("project_owner")
                .as(null)
                .call(operation)
                .body(CredentialCalls.client(secret.text(idField), secret.text("secret")))
                .send()
                .expect(200)
                .text("access_token");
    }
}
