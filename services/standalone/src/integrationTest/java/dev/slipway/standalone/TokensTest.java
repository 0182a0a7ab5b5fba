package dev.slipway.standalone;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** API keys, revocation of tokens and rotation of signing keys. */
class TokensTest extends CredentialTestBase {
    @Test
    void token_isRefused_onceItOrItsCredentialIsRevoked() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        var token = CredentialCalls.exchangeToken(platform, credential);
        var other = CredentialCalls.exchangeToken(platform, credential);
        eventually(() -> assertThat(CredentialCalls.listInstances(platform, token))
                .isEqualTo("200 ")); // once the account is replicated
        var jti = DecodedToken.of(token).jti();
        for (var call : List.of(
                platform.as("tenant_owner").call("revokeProjectToken").path("project_id", DemoData.SIBLING_PROJECT),
                platform.as("other_tenant_owner")
                        .call("revokeOrganizationToken")
                        .path("org_id", DemoData.OTHER_ORG))) {
            call.path("jti", jti).send().expect(404);
        }

        platform.as("project_owner")
                .call("revokeProjectToken")
                .path("project_id", DemoData.PROJECT)
                .path("jti", jti)
                .send()
                .expect(200);

        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("401 token_revoked"));
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        assertThat(CredentialCalls.listInstances(platform, other)).isEqualTo("200 ");
        account("revokeServiceAccountCredential", "project_owner", account)
                .path("credential_id", credential.text("credential_id"))
                .send()
                .expect(200);
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, other)).isEqualTo("401 token_revoked"));
        eventually(() -> assertThat(CredentialCalls.me(platform, other)).isEqualTo("401 token_revoked"));
        assertAudited("iam.token.revoke", jti, "success");
    }

    @Test
    void apiKey_actsAsItsOwnerForItsActions_untilRevoked() {
        var year = Instant.now().plus(Duration.ofDays(400)).toString();
        assertThat(apiKey("project_viewer", "apps.instance.create")
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("grant_exceeds_own");
        CredentialCalls.assertExcessAudited(platform, "iam.api_key.create", "-");
        assertThat(apiKey("service_account", "apps.instance.read")
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
        var tooLong = Json.object().put("name", "x").put("expires_at", year);
        tooLong.putArray("actions").add("apps.instance.read");
        platform.as("project_viewer").call("createApiKey").body(tooLong).send().expect(400);
        var created = apiKey("project_viewer", "apps.instance.read").send().expect(201);
        var id = created.text("api_key_id");

        var token = CredentialCalls.exchange(platform, "exchangeApiKeyToken", id, created.text("secret"))
                .send()
                .expect(200)
                .text("access_token");
        var me = platform.anonymous().as(token).call("getMe").send().expect(200);
        assertThat(me.text("display_name")).isEqualTo("Demo project viewer");
        assertThat(DecodedToken.of(token).text("scope")).isEqualTo("apps.instance.read");
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("200 "));
        assertThat(platform.as("project_admin")
                        .call("revokeApiKey")
                        .path("api_key_id", id)
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("not_found");
        // A key makes no key that is worth more than itself.
        platform.anonymous()
                .as(token)
                .call("createApiKey")
                .body(apiKeyBody("audit.timeline.read"))
                .send()
                .expect(403);

        platform.as("project_viewer")
                .call("revokeApiKey")
                .path("api_key_id", id)
                .send()
                .expect(200);

        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("401 token_revoked"));
        CredentialCalls.exchange(platform, "exchangeApiKeyToken", id, created.text("secret"))
                .send()
                .expect(401);
        assertThat(platform.as("project_viewer")
                        .call("listApiKeys")
                        .send()
                        .expect(200)
                        .body()
                        .toString())
                .contains(id)
                .doesNotContain("sws_");
        assertThat(platform.as("project_admin")
                        .call("listApiKeys")
                        .send()
                        .expect(200)
                        .body()
                        .toString())
                .doesNotContain(id);
        assertNotStored(created.text("secret"));
    }

    @Test
    void revokeOwnToken_acceptsTheTokenOrItsJti() {
        var token = tokenOf(DemoData.PROJECT, CredentialCalls.createAccount(platform, DemoData.PROJECT));
        var second = apiKeyToken("project_viewer", "apps.instance.read");
        var byJti = Json.object().put("jti", DecodedToken.of(second).jti());
        platform.as("project_owner").call("revokeOwnToken").body(byJti).send().expect(404);

        platform.anonymous()
                .as(token)
                .call("revokeOwnToken")
                .body(Json.object())
                .send()
                .expect(200);
        platform.as("project_viewer").call("revokeOwnToken").body(byJti).send().expect(200);

        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        eventually(() -> assertThat(CredentialCalls.me(platform, second)).isEqualTo("401 token_revoked"));
    }

    @Test
    void rotateSigningKey_keepsOldTokensValid_untilTheKeyIsRevoked() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        var old = CredentialCalls.exchangeToken(platform, credential);
        var oldKid = DecodedToken.of(old).kid();
        platform.as("tenant_owner").call("rotateSigningKey").send().expect(403);

        var next = platform.as("platform_superadmin")
                .call("rotateSigningKey")
                .send()
                .expect(201)
                .text("kid");

        assertThat(published()).contains(oldKid, next);
        eventually(() -> assertThat(signingKid()).isEqualTo(next));
        var fresh = CredentialCalls.exchangeToken(platform, credential);
        assertThat(DecodedToken.of(fresh).kid()).isEqualTo(next);
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, fresh)).isEqualTo("200 "));
        assertThat(CredentialCalls.listInstances(platform, old)).isEqualTo("200 ");
        platform.as("platform_superadmin")
                .call("revokeSigningKey")
                .path("kid", next)
                .send()
                .expect(200);
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, fresh)).isEqualTo("401 token_revoked"));
        assertThat(published()).doesNotContain(next);
        eventually(() -> assertThat(signingKid()).isNotEqualTo(next));
        var last = CredentialCalls.exchangeToken(platform, credential);
        assertThat(DecodedToken.of(last).kid()).isNotEqualTo(next);
        assertThat(CredentialCalls.listInstances(platform, last)).isEqualTo("200 ");
        var keys = platform.as("platform_superadmin")
                .call("listSigningKeys")
                .send()
                .expect(200);
        assertThat(keys.body().toString()).doesNotContain("\"d\"").doesNotContain("private");
        assertThat(platform.database().query("SELECT count(*) FROM iam.signing_keys WHERE jwk ? 'd'"))
                .isEqualTo("0");
    }

    /** Returns the key that IAM signs with; fails while there is none. */
    private static String signingKid() {
        var signing = CredentialCalls.signingKids(platform);
        assertThat(signing).hasSize(1);
        return signing.get(0);
    }
}
