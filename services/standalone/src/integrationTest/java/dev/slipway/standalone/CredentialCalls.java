package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls on service accounts, credentials and tokens. */
final class CredentialCalls {
    private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");

    private CredentialCalls() {}

    /** Fills the call with a valid body and ids; if it is allowed, with a new account. */
    static Call complete(
            PlatformUnderTest platform, ApiOperation apiOperation, Call call, UUID projectId, boolean allowed) {
        var completed = call;
        if (apiOperation.id().equals("createServiceAccount")) {
            return completed.body(account());
        }
        if (apiOperation.id().equals("createServiceAccountCredential")) {
            completed = completed.body(Json.object());
        }
        if (allowed && apiOperation.path().contains("{service_account_id}")) {
            var account = createAccount(platform, projectId);
            completed = completed.path("service_account_id", account);
            if (apiOperation.path().contains("{credential_id}")) {
                completed = completed.path(
                        "credential_id",
                        createCredential(platform, projectId, account).text("credential_id"));
            }
        }
        if (allowed && apiOperation.path().contains("{jti}")) {
            var credential = createCredential(platform, projectId, createAccount(platform, projectId));
            completed = completed.path(
                    "jti", DecodedToken.of(exchangeToken(platform, credential)).jti());
        }
        return withAnyIds(apiOperation, completed);
    }

    /** Fills every remaining path parameter with a random id. */
    static Call withAnyIds(ApiOperation apiOperation, Call call) {
        var filled = call;
        for (var parameter : PARAMETER.matcher(apiOperation.path()).results().toList()) {
            filled = filled.path(parameter.group(1), UUID.randomUUID());
        }
        return filled;
    }

    static ObjectNode account(String... actions) {
        var body = Json.object().put("slug", "a-" + UUID.randomUUID()).put("display_name", "An account");
        var list = body.putArray("allowed_actions");
        for (var action : actions.length == 0 ? new String[] {"apps.instance.read"} : actions) {
            list.add(action);
        }
        return body;
    }

    @CanIgnoreReturnValue
    static String createAccount(PlatformUnderTest platform, UUID projectId, String... actions) {
        return platform.as(ownerOf(projectId))
                .call("createServiceAccount")
                .path("project_id", projectId)
                .body(account(actions))
                .send()
                .expect(201)
                .text("id");
    }

    @CanIgnoreReturnValue
    static ApiResponse createCredential(PlatformUnderTest platform, UUID projectId, String account) {
        return platform.as(ownerOf(projectId))
                .call("createServiceAccountCredential")
                .path("project_id", projectId)
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
    }

    @CanIgnoreReturnValue
    static String exchangeToken(PlatformUnderTest platform, ApiResponse credential) {
        return platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(client(credential.text("credential_id"), credential.text("secret")))
                .send()
                .expect(200)
                .text("access_token");
    }

    static ObjectNode client(String id, String secret) {
        return Json.object().put("client_id", id).put("client_secret", secret);
    }

    static Call exchange(PlatformUnderTest platform, String operation, ApiResponse credential) {
        return exchange(platform, operation, credential.text("credential_id"), credential.text("secret"));
    }

    static Call exchange(PlatformUnderTest platform, String operation, ApiResponse credential, String scope) {
        return platform.anonymous()
                .call(operation)
                .body(client(credential.text("credential_id"), credential.text("secret"))
                        .put("scope", scope));
    }

    static Call exchange(PlatformUnderTest platform, String operation, String id, String secret) {
        return platform.anonymous().call(operation).body(client(id, secret));
    }

    /** Returns the response of the instances service to the token. */
    static String listInstances(PlatformUnderTest platform, String token) {
        return statusAndCode(platform.anonymous()
                .as(token)
                .call("listAppInstances")
                .path("project_id", DemoData.PROJECT)
                .send());
    }

    /** Returns the response of IAM to the token. */
    static String me(PlatformUnderTest platform, String token) {
        return statusAndCode(platform.anonymous().as(token).call("getMe").send());
    }

    static List<JsonNode> findAudits(PlatformUnderTest platform, String action, String target, String result) {
        return platform
                .events()
                .find(observedRecord -> observedRecord.type().equals("audit.recorded")
                        && observedRecord.payload().path("action").asText().equals(action)
                        && observedRecord.payload().path("target_id").asText().equals(target)
                        && observedRecord.payload().path("result").asText().equals(result))
                .stream()
                .map(observedRecord -> observedRecord.payload())
                .toList();
    }

    /** Asserts that the attempt to grant more than one holds was audited. */
    static void assertExcessAudited(PlatformUnderTest platform, String action, String target) {
        eventually(
                () -> assertThat(findAudits(platform, action, target, "denied")).anySatisfy(audit -> {
                    assertThat(audit.path("reason").asText()).isEqualTo("grant_exceeds_own");
                    assertThat(audit.at("/metadata/message").asText()).contains("apps.instance");
                }));
    }

    private static String ownerOf(UUID projectId) {
        return projectId.equals(DemoData.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
    }

    /** Returns the keys that IAM signs with: one, unless something is wrong. */
    static List<String> signingKids(PlatformUnderTest platform) {
        var signing = new ArrayList<String>();
        for (var key : platform.as("platform_superadmin")
                .call("listSigningKeys")
                .send()
                .expect(200)
                .body()
                .path("items")) {
            if (key.path("state").asText().equals("signing")) {
                signing.add(key.path("kid").asText());
            }
        }
        return signing;
    }
}
