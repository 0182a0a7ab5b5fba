package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.contract.Operation;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;

import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Calls on service accounts, credentials and tokens, each with something of its own to act on. */
final class CredentialCalls {
    private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");

    private CredentialCalls() {}

    /** The call with what its operation asks for; where it is allowed, with a new account of the project to act on. */
    static Call completed(PlatformUnderTest platform, Operation operation, Call call, UUID projectId, boolean allowed) {
        var completed = call;
        if (operation.id().equals("createServiceAccount")) {
            return completed.body(account());
        }
        if (operation.id().equals("createServiceAccountCredential")) {
            completed = completed.body(Json.object());
        }
        if (allowed && operation.path().contains("{service_account_id}")) {
            var account = created(platform, projectId);
            completed = completed.path("service_account_id", account);
            if (operation.path().contains("{credential_id}")) {
                completed = completed.path(
                        "credential_id",
                        credential(platform, projectId, account).text("credential_id"));
            }
        }
        if (allowed && operation.path().contains("{jti}")) {
            var credential = credential(platform, projectId, created(platform, projectId));
            completed = completed.path(
                    "jti", TokenText.of(exchanged(platform, credential)).jti());
        }
        return withAnyIds(operation, completed);
    }

    /** With an id of nothing for every parameter that has none yet. */
    static Call withAnyIds(Operation operation, Call call) {
        var filled = call;
        for (var parameter : PARAMETER.matcher(operation.path()).results().toList()) {
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
    static String created(PlatformUnderTest platform, UUID projectId, String... actions) {
        return platform.as(ownerOf(projectId))
                .call("createServiceAccount")
                .path("project_id", projectId)
                .body(account(actions))
                .send()
                .expect(201)
                .text("id");
    }

    @CanIgnoreReturnValue
    static Answer credential(PlatformUnderTest platform, UUID projectId, String account) {
        return platform.as(ownerOf(projectId))
                .call("createServiceAccountCredential")
                .path("project_id", projectId)
                .path("service_account_id", account)
                .body(Json.object())
                .send()
                .expect(201);
    }

    @CanIgnoreReturnValue
    static String exchanged(PlatformUnderTest platform, Answer credential) {
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

    static Call exchange(PlatformUnderTest platform, String operation, Answer credential) {
        return exchange(platform, operation, credential.text("credential_id"), credential.text("secret"));
    }

    static Call exchange(PlatformUnderTest platform, String operation, Answer credential, String scope) {
        return platform.anonymous()
                .call(operation)
                .body(client(credential.text("credential_id"), credential.text("secret"))
                        .put("scope", scope));
    }

    static Call exchange(PlatformUnderTest platform, String operation, String id, String secret) {
        return platform.anonymous().call(operation).body(client(id, secret));
    }

    /** What the instances service answers to the token. */
    static String listed(PlatformUnderTest platform, String token) {
        return told(platform.anonymous()
                .as(token)
                .call("listAppInstances")
                .path("project_id", Demo.PROJECT)
                .send());
    }

    /** What IAM answers to the token. */
    static String me(PlatformUnderTest platform, String token) {
        return told(platform.anonymous().as(token).call("getMe").send());
    }

    static List<JsonNode> audited(PlatformUnderTest platform, String action, String target, String result) {
        return platform
                .events()
                .where(seen -> seen.type().equals("audit.recorded")
                        && seen.payload().path("action").asText().equals(action)
                        && seen.payload().path("target_id").asText().equals(target)
                        && seen.payload().path("result").asText().equals(result))
                .stream()
                .map(seen -> seen.payload())
                .toList();
    }

    /** Who wanted to give more than they hold is on record, with what it was. */
    static void assertExcessAudited(PlatformUnderTest platform, String action, String target) {
        eventually(() -> assertThat(audited(platform, action, target, "denied")).anySatisfy(audit -> {
            assertThat(audit.path("reason").asText()).isEqualTo("grant_exceeds_own");
            assertThat(audit.at("/metadata/message").asText()).contains("apps.instance");
        }));
    }

    private static String ownerOf(UUID projectId) {
        return projectId.equals(Demo.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
    }
}
