package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of one area, and calls that they share. */
@ResourceLock("CredentialTestBase") // its static fields: subclasses must not run in parallel
abstract class CredentialTestBase {
    static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_SIGNING_KEY_LEAD", "PT1S"));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    static void assertState(String operation, String id, String state) {
        assertThat(account(operation, "project_owner", id).send().expect(200).text("state"))
                .isEqualTo(state);
    }

    static Call account(String operation, String user, String id) {
        return platform.as(user)
                .call(operation)
                .path("project_id", DemoData.PROJECT)
                .path("service_account_id", id);
    }

    static String refusedAccount(String user, String action) {
        return platform.as(user)
                .call("createServiceAccount")
                .path("project_id", DemoData.PROJECT)
                .body(CredentialCalls.account(action))
                .send()
                .expect(403)
                .text("code");
    }

    static String tokenOf(UUID projectId, String account) {
        var token =
                CredentialCalls.exchangeToken(platform, CredentialCalls.createCredential(platform, projectId, account));
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 "));
        return token;
    }

    static Call apiKey(String user, String... actions) {
        return platform.as(user).call("createApiKey").body(apiKeyBody(actions));
    }

    static com.fasterxml.jackson.databind.node.ObjectNode apiKeyBody(String... actions) {
        var body = Json.object()
                .put("name", "A program")
                .put("expires_at", Instant.now().plus(Duration.ofDays(30)).toString());
        var list = body.putArray("actions");
        for (var action : actions) {
            list.add(action);
        }
        return body;
    }

    static String apiKeyToken(String user, String... actions) {
        var key = apiKey(user, actions).send().expect(201);
        return CredentialCalls.exchange(platform, "exchangeApiKeyToken", key.text("api_key_id"), key.text("secret"))
                .send()
                .expect(200)
                .text("access_token");
    }

    static String refusedExchange(ApiResponse credential) {
        return statusAndCode(CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send());
    }

    static List<String> published() {
        var kids = new ArrayList<String>();
        platform.anonymous()
                .call("getJwks")
                .send()
                .expect(200)
                .body()
                .path("keys")
                .forEach(key -> kids.add(key.path("kid").asText()));
        return kids;
    }

    static List<String> ids(JsonNode credentials) {
        return StreamSupport.stream(credentials.spliterator(), false)
                .map(item -> item.path("credential_id").asText())
                .toList();
    }

    static void assertAudited(String action, String target, String result) {
        eventually(() -> assertThat(CredentialCalls.findAudits(platform, action, target, result))
                .isNotEmpty());
    }

    /** Asserts that the secret is in no table and no event. */
    static void assertNotStored(String secret) {
        assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.idempotency WHERE position(convert_to('" + secret
                                + "', 'UTF8') IN body) > 0"))
                .isEqualTo("0");
        assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.credentials c WHERE position('" + secret
                                + "' IN c::text) > 0"))
                .isEqualTo("0");
        assertThat(platform.events()
                        .find(observedRecord ->
                                observedRecord.event().toString().contains(secret)))
                .isEmpty();
    }
}
