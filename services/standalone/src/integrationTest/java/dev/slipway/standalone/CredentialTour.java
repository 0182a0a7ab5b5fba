package dev.slipway.standalone;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Service accounts, operators, adapters, API keys, tokens and signing keys. */
final class CredentialTour {
    private static final String ADMIN = "platform_superadmin";
    private static final String OWNER = "tour owner";

    private final TourRecorder tour;

    CredentialTour(TourRecorder tour) {
        this.tour = tour;
    }

    void run() {
        tour.set("expiry", Instant.now().plus(20, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS));
        tour.chapter("04-service-accounts");
        serviceAccounts();
        tour.chapter("05-operators-and-adapters");
        operators();
        adapters();
        tour.chapter("06-keys-and-tokens");
        apiKeys();
        signingKeys();
    }

    private void serviceAccounts() {
        tour.step(OWNER, "createServiceAccount")
                .body("{'slug': 'robot', 'display_name': 'Robot', 'allowed_actions': ['apps.instance.read']}")
                .sendAndSet("service_account_id");
        tour.call(
                OWNER,
                "createServiceAccount",
                "{'slug': 'robot', 'display_name': 'Robot', 'allowed_actions': ['apps.instance.read']}");
        tour.call(
                OWNER,
                "createServiceAccount",
                "{'slug': 'robot-two', 'display_name': 'Robot', 'allowed_actions': ['iam.binding.write']}");
        tour.call(OWNER, "listServiceAccounts");
        tour.call(OWNER, "getServiceAccount");
        credential("ServiceAccount", OWNER);
        tour.call(OWNER, "getCredentialReport");
        tour.call(
                "anonymous",
                "exchangeServiceAccountToken",
                "{'client_id': '$credential_id$', 'client_secret': 'sws_wrong'}");
        var token = exchange("exchangeServiceAccountToken");
        tour.stepWithToken("robot", token, "getMe").send();
        tour.stepWithToken("robot", token, "listAppInstances").send();
        tour.stepWithToken("robot", token, "getProjectUsage").send();
        tour.set("jti", DecodedToken.of(token).jti());
        tour.call(OWNER, "revokeProjectToken");
        tour.stepWithToken("robot", token, "getMe").send();
        tour.call(OWNER, "disableServiceAccount");
        tour.call(OWNER, "enableServiceAccount");
        tour.call(OWNER, "revokeServiceAccountCredential");
        tour.call(
                "anonymous",
                "exchangeServiceAccountToken",
                "{'client_id': '$credential_id$', 'client_secret': '$secret$'}");
        tour.call(OWNER, "deleteServiceAccount");
        tour.call(OWNER, "enableServiceAccount");
    }

    private void operators() {
        tour.step(OWNER, "createSharedRuntimeOperator")
                .body(
                        "{'shared_runtime_id': '01900000-0000-7000-8000-00000000c001', 'runtime_backend': 'k8s', 'display_name': 'Cluster operator',"
                                + " 'allowed_actions': ['apps.shared_runtime.report']}")
                .sendAndSet("operator_id");
        tour.call(OWNER, "listSharedRuntimeOperators");
        tour.call(OWNER, "getSharedRuntimeOperator");
        credential("SharedRuntimeOperator", OWNER);
        var token = exchange("exchangeSharedRuntimeOperatorToken");
        tour.stepWithToken("operator", token, "getMe").send();
        tour.set("jti", DecodedToken.of(token).jti());
        tour.call(OWNER, "revokeOrganizationToken");
        tour.call(OWNER, "disableSharedRuntimeOperator");
        tour.call(OWNER, "enableSharedRuntimeOperator");
        tour.call(OWNER, "revokeSharedRuntimeOperatorCredential");
        tour.call(OWNER, "deleteSharedRuntimeOperator");
    }

    private void adapters() {
        tour.step(ADMIN, "createAdapter")
                .body("{'runtime_backend': 'k8s', 'display_name': 'Cluster adapter'}")
                .sendAndSet("adapter_id");
        tour.call(OWNER, "createAdapter", "{'runtime_backend': 'k8s', 'display_name': 'Cluster adapter'}");
        tour.call(ADMIN, "listAdapters");
        tour.call(ADMIN, "getAdapter");
        credential("Adapter", ADMIN);
        tour.call("anonymous", "exchangeAdapterToken", "{'adapter_id': '$adapter_id$', 'adapter_secret': '$secret$'}");
        tour.call("anonymous", "exchangeAdapterToken", "{'adapter_id': '$adapter_id$', 'adapter_secret': 'wrong'}");
        tour.call(ADMIN, "disableAdapter");
        tour.call("anonymous", "exchangeAdapterToken", "{'adapter_id': '$adapter_id$', 'adapter_secret': '$secret$'}");
        tour.call(ADMIN, "enableAdapter");
        tour.call(ADMIN, "revokeAdapterCredential");
        tour.call(ADMIN, "disableAdapter");
    }

    private void apiKeys() {
        var key = tour.step("project_owner", "createApiKey")
                .body("{'name': 'laptop', 'actions': ['apps.instance.read'], 'expires_at': '$expiry$'}")
                .sendAndSet("api_key_id", "api_key_id");
        tour.set("credential_id", key.text("api_key_id"));
        tour.set("secret", key.text("secret"));
        tour.call(
                "project_owner",
                "createApiKey",
                "{'name': 'old', 'actions': ['apps.instance.read'], 'expires_at': '2001-01-01T00:00:00Z'}");
        tour.call("project_owner", "listApiKeys");
        var token = exchange("exchangeApiKeyToken");
        tour.stepWithToken("api key", token, "getMe").send();
        tour.stepWithToken("api key", token, "revokeOwnToken").body("{}").send();
        tour.stepWithToken("api key", token, "getMe").send();
        tour.call("project_owner", "revokeApiKey");
        tour.call("tour member", "revokeOwnToken", "{}");
        tour.call("tour member", "getMe");
    }

    private void signingKeys() {
        tour.call("anonymous", "getJwks");
        tour.set(
                "kid",
                tour.call(ADMIN, "listSigningKeys").body().at("/items/0/kid").asText());
        tour.call(OWNER, "listSigningKeys");
        tour.call(ADMIN, "rotateSigningKey");
        tour.call(ADMIN, "revokeSigningKey");
        tour.call("project_owner", "openSession", "{'token': 'nothing'}");
    }

    /** Creates a credential for the principal of the kind, and lists it. */
    private void credential(String kind, String caller) {
        var created = tour.step(caller, "create" + kind + "Credential")
                .body("{}")
                .sendAndSet("credential_id", "credential_id");
        tour.set("secret", created.text("secret"));
        tour.call(caller, "list" + kind + "Credentials");
    }

    private String exchange(String operationId) {
        return tour.call("anonymous", operationId, "{'client_id': '$credential_id$', 'client_secret': '$secret$'}")
                .text("access_token");
    }
}
