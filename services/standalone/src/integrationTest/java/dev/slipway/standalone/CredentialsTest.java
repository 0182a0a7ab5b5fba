package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Credentials of machines and of people's programs: made, exchanged, replaced, and ended, over HTTP. */
class CredentialsTest {
    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_SIGNING_KEY_LEAD", "PT1S"));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    @Proves("0.04")
    void serviceAccount_isOfOneProject_andNotFoundFromAnyOther() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);

        var told = account("getServiceAccount", "project_owner", account).send().expect(200);

        assertThat(told.text("project_id")).isEqualTo(Demo.PROJECT.toString());
        assertThat(told.text("org_id")).isEqualTo(Demo.ORG.toString());
        for (var operation : List.of(
                "getServiceAccount",
                "disableServiceAccount",
                "deleteServiceAccount",
                "listServiceAccountCredentials")) {
            var elsewhere = platform.as("tenant_owner")
                    .call(operation)
                    .path("project_id", Demo.SIBLING_PROJECT)
                    .path("service_account_id", account);
            assertThat(elsewhere.send().expect(404).text("code")).isEqualTo("not_found");
            var foreign = platform.as("other_tenant_owner")
                    .call(operation)
                    .path("project_id", Demo.OTHER_PROJECT)
                    .path("service_account_id", account);
            assertThat(foreign.send().expect(404).text("code")).isEqualTo("not_found");
        }
        var token = tokenOf(Demo.PROJECT, account);
        platform.anonymous()
                .as(token)
                .call("listAppInstances")
                .path("project_id", Demo.PROJECT)
                .send()
                .expect(200);
        platform.anonymous()
                .as(token)
                .call("listSharedRuntimeOperators")
                .path("org_id", Demo.ORG)
                .send()
                .expect(404);
        for (var other : List.of(Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
            platform.anonymous()
                    .as(token)
                    .call("listAppInstances")
                    .path("project_id", other)
                    .send()
                    .expect(404);
        }
    }

    @Test
    @Proves("C.04")
    void serviceAccount_isActiveDisabledOrDeleted_withASlugOfItsOwn() {
        var body = CredentialCalls.account();
        var create = platform.as("project_owner")
                .call("createServiceAccount")
                .path("project_id", Demo.PROJECT)
                .body(body);
        var created = create.send().expect(201);
        var id = created.text("id");
        assertThat(created.text("state")).isEqualTo("active");
        assertThat(created.header("Location")).endsWith("/service-accounts/" + id);

        assertThat(create.send().expect(409).text("code")).isEqualTo("slug_taken");
        platform.as("tenant_owner")
                .call("createServiceAccount")
                .path("project_id", Demo.SIBLING_PROJECT)
                .body(body)
                .send()
                .expect(201);

        var credential = CredentialCalls.credential(platform, Demo.PROJECT, id);
        var token = CredentialCalls.exchanged(platform, credential);
        assertState("disableServiceAccount", id, "disabled");
        eventually(() -> assertThat(CredentialCalls.listed(platform, token)).isEqualTo("401 token_invalid"));
        assertThat(refusedExchange(credential)).isEqualTo("401 credential_invalid");
        assertState("enableServiceAccount", id, "active");
        eventually(() -> assertThat(CredentialCalls.listed(platform, token)).isEqualTo("200 "));
        assertState("deleteServiceAccount", id, "deleted");
        assertState("deleteServiceAccount", id, "deleted");
        eventually(() -> assertThat(CredentialCalls.listed(platform, token)).isEqualTo("401 token_invalid"));
        assertThat(refusedExchange(credential)).isEqualTo("401 credential_invalid");
        for (var operation : List.of("enableServiceAccount", "disableServiceAccount")) {
            assertThat(account(operation, "project_owner", id)
                            .send()
                            .expect(409)
                            .text("code"))
                    .isEqualTo("resource_deleted");
        }
        assertThat(account("createServiceAccountCredential", "project_owner", id)
                        .body(Json.object())
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("resource_deleted");
        assertThat(account("getServiceAccount", "project_owner", id)
                        .send()
                        .expect(200)
                        .text("state"))
                .isEqualTo("deleted");
        assertThat(create.send().expect(409).text("code")).isEqualTo("slug_taken");
    }

    @Test
    void serviceAccount_isAllowedNoMore_thanMachinesMayHave_andItsMakerHas() {
        for (var action :
                List.of("apps.instance.delete", "scheduler.instance.delete", "iam.binding.write", "no.such")) {
            assertThat(refusedAccount("project_owner", action)).isEqualTo("grant_exceeds_own");
        }
        CredentialCalls.assertExcessAudited(platform, "iam.service_account.create", Demo.PROJECT.toString());
        var allowed = List.of(
                "apps.instance.report",
                "scheduler.instance.create",
                "scheduler.instance.read",
                "scheduler.instance.update");
        var id = UUID.fromString(CredentialCalls.created(platform, Demo.PROJECT, allowed.toArray(String[]::new)));
        var model = platform.platform().frame().authz();
        var scheduler = eventuallyGet(() -> java.util.Objects.requireNonNull(model.principal(id)));
        var authorizer = new Authorizer(model);
        for (var action : allowed) {
            assertThat(authorizer
                            .decide(scheduler, action, Target.project(Demo.PROJECT), Instant.now())
                            .allowed())
                    .isTrue();
            assertThat(authorizer
                            .decide(scheduler, action, Target.project(Demo.SIBLING_PROJECT), Instant.now())
                            .allowed())
                    .isFalse();
        }
        assertThat(authorizer
                        .decide(scheduler, "scheduler.instance.delete", Target.project(Demo.PROJECT), Instant.now())
                        .allowed())
                .isFalse();
        // A token that is narrower than its owner hands out no more than itself.
        var narrow = apiKeyToken("project_owner", "iam.service_account.write", "apps.instance.read");
        var asKey = platform.anonymous().as(narrow).call("createServiceAccount").path("project_id", Demo.PROJECT);
        asKey.body(CredentialCalls.account("apps.instance.read")).send().expect(201);
        assertThat(asKey.body(CredentialCalls.account("apps.instance.create"))
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("grant_exceeds_own");
    }

    @Test
    @Proves({"3.57", "3.68"})
    void credential_isShownOnce_keptAsAHash_andReplacedWithOverlap() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);
        var create = account("createServiceAccountCredential", "project_owner", account)
                .body(Json.object())
                .header("Idempotency-Key", UUID.randomUUID().toString());
        var first = create.send().expect(201);
        var secret = first.text("secret");
        assertThat(secret).startsWith("sws_").hasSize(47);

        var again = create.send().expect(201);
        assertThat(again.text("credential_id")).isEqualTo(first.text("credential_id"));
        assertThat(again.body().has("secret")).isFalse();
        var second = CredentialCalls.credential(platform, Demo.PROJECT, account);
        assertThat(account("createServiceAccountCredential", "project_owner", account)
                        .body(Json.object())
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("credential_limit");
        CredentialCalls.exchanged(platform, first);
        CredentialCalls.exchanged(platform, second);

        account("revokeServiceAccountCredential", "project_owner", account)
                .path("credential_id", first.text("credential_id"))
                .send()
                .expect(200);
        assertThat(refusedExchange(first)).isEqualTo("401 credential_invalid");
        CredentialCalls.exchanged(platform, second);
        CredentialCalls.credential(platform, Demo.PROJECT, account);
        var listed = account("listServiceAccountCredentials", "project_owner", account)
                .send()
                .expect(200);
        assertThat(listed.body().path("items")).hasSize(3);
        assertThat(listed.body().toString()).doesNotContain("sws_").doesNotContain("hash");
        var used = StreamSupport.stream(listed.body().path("items").spliterator(), false)
                .filter(item -> item.path("last_used_at").isTextual())
                .map(item -> item.path("credential_id").asText())
                .toList();
        assertThat(used).containsExactlyInAnyOrder(first.text("credential_id"), second.text("credential_id"));
        assertNowhereKept(secret);
        assertAudited("iam.credential.create", first.text("credential_id"), "success");
        assertAudited("iam.credential.revoke", first.text("credential_id"), "success");
    }

    @Test
    @Proves("C.05")
    void exchange_givesAShortToken_withItsClaims_andEachIsAudited() {
        var account = CredentialCalls.created(platform, Demo.PROJECT, "apps.instance.read", "apps.instance.create");
        var credential = CredentialCalls.credential(platform, Demo.PROJECT, account);
        var answer = CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send()
                .expect(200);
        var token = TokenText.of(answer.text("access_token"));

        assertThat(answer.body().path("expires_in").asInt()).isEqualTo(600);
        assertThat(token.claims().getClaims().keySet())
                .containsExactlyInAnyOrder(
                        "sub",
                        "actor_type",
                        "org_id",
                        "project_id",
                        "scope",
                        "aud",
                        "iss",
                        "iat",
                        "exp",
                        "jti",
                        "credential_id");
        assertThat(token.claims().getSubject()).isEqualTo(account);
        assertThat(token.text("actor_type")).isEqualTo("service_account");
        assertThat(token.text("project_id")).isEqualTo(Demo.PROJECT.toString());
        assertThat(token.text("scope")).isEqualTo("apps.instance.read apps.instance.create");
        assertThat(token.text("credential_id")).isEqualTo(credential.text("credential_id"));

        var narrower = CredentialCalls.exchange(
                        platform, "exchangeServiceAccountToken", credential, "apps.instance.read")
                .send()
                .expect(200);
        assertThat(TokenText.of(narrower.text("access_token")).text("scope")).isEqualTo("apps.instance.read");
        assertThat(CredentialCalls.exchange(
                                platform, "exchangeServiceAccountToken", credential, "apps.instance.read usage.read")
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("grant_exceeds_own");
        var wrong = platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(CredentialCalls.client(credential.text("credential_id"), "sws_wrong"))
                .send()
                .expect(401);
        var unknownId = UUID.randomUUID().toString();
        var unknown = platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(CredentialCalls.client(unknownId, "sws_wrong"))
                .send()
                .expect(401);
        assertThat(wrong.text("code")).isEqualTo("credential_invalid");
        assertThat(unknown.text("message")).isEqualTo(wrong.text("message"));
        // The right credential at the wrong door.
        for (var operation : List.of("exchangeSharedRuntimeOperatorToken", "exchangeApiKeyToken")) {
            CredentialCalls.exchange(platform, operation, credential).send().expect(401);
        }
        eventually(() -> {
            assertThat(CredentialCalls.audited(
                            platform, "iam.token.exchange", credential.text("credential_id"), "success"))
                    .hasSize(2);
            assertThat(CredentialCalls.audited(
                            platform, "iam.token.exchange", credential.text("credential_id"), "denied"))
                    .hasSize(4);
            assertThat(CredentialCalls.audited(platform, "iam.token.exchange", unknownId, "denied"))
                    .hasSize(1);
        });
    }

    @Test
    void exchange_isRefused_whenTheCredentialHasExpired() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);
        var create = account("createServiceAccountCredential", "project_owner", account);
        assertThat(create.body(Json.object().put("expires_at", "2001-01-01T00:00:00Z"))
                        .send()
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
        // Again where the machine stood still meanwhile, and it would have ended before it began.
        var soon = eventuallyGet(() -> create.body(Json.object()
                        .put("expires_at", Instant.now().plusMillis(1_500).toString()))
                .send()
                .expect(201));

        eventually(() -> assertThat(CredentialCalls.exchange(platform, "exchangeServiceAccountToken", soon)
                        .send()
                        .text("message"))
                .startsWith("The credential expired"));
        // One that has ended makes room.
        CredentialCalls.credential(platform, Demo.PROJECT, account);
        CredentialCalls.credential(platform, Demo.PROJECT, account);
    }

    @Test
    void report_namesTheCredentials_thatNobodyUsesAndThatEndSoon() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);
        var ending = account("createServiceAccountCredential", "project_owner", account)
                .body(Json.object()
                        .put(
                                "expires_at",
                                Instant.now().plus(Duration.ofDays(3)).toString()))
                .send()
                .expect(201)
                .text("credential_id");
        var forgotten =
                CredentialCalls.credential(platform, Demo.PROJECT, account).text("credential_id");
        assertThat(platform.database()
                        .query(
                                "WITH aged AS (UPDATE iam.credentials SET created_at = now() - interval '100 days' WHERE id = '"
                                        + forgotten + "' RETURNING id) SELECT count(*) FROM aged"))
                .isEqualTo("1");

        var report = platform.as("project_owner")
                .call("getCredentialReport")
                .path("project_id", Demo.PROJECT)
                .query("unused_days=30&expiring_days=7")
                .send()
                .expect(200);

        assertThat(ids(report.body().path("unused"))).contains(forgotten).doesNotContain(ending);
        assertThat(ids(report.body().path("expiring"))).contains(ending).doesNotContain(forgotten);
    }

    @Test
    void token_isRefusedEverywhere_onceItOrItsCredentialIsRevoked() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);
        var credential = CredentialCalls.credential(platform, Demo.PROJECT, account);
        var token = CredentialCalls.exchanged(platform, credential);
        var other = CredentialCalls.exchanged(platform, credential);
        assertThat(CredentialCalls.listed(platform, token)).isEqualTo("200 ");
        var jti = TokenText.of(token).jti();
        for (var call : List.of(
                platform.as("tenant_owner").call("revokeProjectToken").path("project_id", Demo.SIBLING_PROJECT),
                platform.as("other_tenant_owner")
                        .call("revokeOrganizationToken")
                        .path("org_id", Demo.OTHER_ORG))) {
            call.path("jti", jti).send().expect(404);
        }

        platform.as("project_owner")
                .call("revokeProjectToken")
                .path("project_id", Demo.PROJECT)
                .path("jti", jti)
                .send()
                .expect(200);

        eventually(() -> assertThat(CredentialCalls.listed(platform, token)).isEqualTo("401 token_revoked"));
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
        assertThat(CredentialCalls.listed(platform, other)).isEqualTo("200 ");
        account("revokeServiceAccountCredential", "project_owner", account)
                .path("credential_id", credential.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.listed(platform, other)).isEqualTo("401 token_revoked"));
        eventually(() -> assertThat(CredentialCalls.me(platform, other)).isEqualTo("401 token_revoked"));
        assertAudited("iam.token.revoke", jti, "success");
    }

    @Test
    void apiKey_speaksAsItsOwner_forItsActionsOnly_untilItIsRevoked() {
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
        assertThat(TokenText.of(token).text("scope")).isEqualTo("apps.instance.read");
        assertThat(CredentialCalls.listed(platform, token)).isEqualTo("200 ");
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

        eventually(() -> assertThat(CredentialCalls.listed(platform, token)).isEqualTo("401 token_revoked"));
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
        assertNowhereKept(created.text("secret"));
    }

    @Test
    void ownToken_isRevoked_byWhoHasItOrKnowsItsJti() {
        var token = tokenOf(Demo.PROJECT, CredentialCalls.created(platform, Demo.PROJECT));
        var second = apiKeyToken("project_viewer", "apps.instance.read");
        var byJti = Json.object().put("jti", TokenText.of(second).jti());
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
    void signingKey_isReplacedWithoutBreakingATokenOfTheOldOne_untilItIsRevoked() {
        var account = CredentialCalls.created(platform, Demo.PROJECT);
        var credential = CredentialCalls.credential(platform, Demo.PROJECT, account);
        var old = CredentialCalls.exchanged(platform, credential);
        var oldKid = TokenText.of(old).kid();
        platform.as("tenant_owner").call("rotateSigningKey").send().expect(403);

        var next = platform.as("platform_superadmin")
                .call("rotateSigningKey")
                .send()
                .expect(201)
                .text("kid");

        assertThat(published()).contains(oldKid, next);
        var fresh = eventuallyGet(() -> {
            var token = CredentialCalls.exchanged(platform, credential);
            assertThat(TokenText.of(token).kid()).isEqualTo(next);
            return token;
        });
        assertThat(CredentialCalls.listed(platform, fresh)).isEqualTo("200 ");
        assertThat(CredentialCalls.listed(platform, old)).isEqualTo("200 ");
        platform.as("platform_superadmin")
                .call("revokeSigningKey")
                .path("kid", next)
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.listed(platform, fresh)).isEqualTo("401 token_revoked"));
        assertThat(published()).doesNotContain(next);
        eventually(() -> {
            var token = CredentialCalls.exchanged(platform, credential);
            assertThat(TokenText.of(token).kid()).isNotEqualTo(next);
            assertThat(CredentialCalls.listed(platform, token)).isEqualTo("200 ");
        });
        var keys = platform.as("platform_superadmin")
                .call("listSigningKeys")
                .send()
                .expect(200);
        assertThat(keys.body().toString()).doesNotContain("\"d\"").doesNotContain("private");
        assertThat(platform.database().query("SELECT count(*) FROM iam.signing_keys WHERE jwk ? 'd'"))
                .isEqualTo("0");
    }

    private static void assertState(String operation, String id, String state) {
        assertThat(account(operation, "project_owner", id).send().expect(200).text("state"))
                .isEqualTo(state);
    }

    private static Call account(String operation, String user, String id) {
        return platform.as(user)
                .call(operation)
                .path("project_id", Demo.PROJECT)
                .path("service_account_id", id);
    }

    private static String refusedAccount(String user, String action) {
        return platform.as(user)
                .call("createServiceAccount")
                .path("project_id", Demo.PROJECT)
                .body(CredentialCalls.account(action))
                .send()
                .expect(403)
                .text("code");
    }

    private static String tokenOf(UUID projectId, String account) {
        return eventuallyGet(() -> {
            var token = CredentialCalls.exchanged(platform, CredentialCalls.credential(platform, projectId, account));
            assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 ");
            return token;
        });
    }

    private static Call apiKey(String user, String... actions) {
        return platform.as(user).call("createApiKey").body(apiKeyBody(actions));
    }

    private static com.fasterxml.jackson.databind.node.ObjectNode apiKeyBody(String... actions) {
        var body = Json.object()
                .put("name", "A program")
                .put("expires_at", Instant.now().plus(Duration.ofDays(30)).toString());
        var list = body.putArray("actions");
        for (var action : actions) {
            list.add(action);
        }
        return body;
    }

    private static String apiKeyToken(String user, String... actions) {
        var key = apiKey(user, actions).send().expect(201);
        return CredentialCalls.exchange(platform, "exchangeApiKeyToken", key.text("api_key_id"), key.text("secret"))
                .send()
                .expect(200)
                .text("access_token");
    }

    private static String refusedExchange(Answer credential) {
        return told(CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send());
    }

    private static List<String> published() {
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

    private static List<String> ids(JsonNode credentials) {
        return StreamSupport.stream(credentials.spliterator(), false)
                .map(item -> item.path("credential_id").asText())
                .toList();
    }

    private static void assertAudited(String action, String target, String result) {
        eventually(() -> assertThat(CredentialCalls.audited(platform, action, target, result))
                .isNotEmpty());
    }

    /** Neither in a table nor in an event. */
    private static void assertNowhereKept(String secret) {
        assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.idempotency WHERE position(convert_to('" + secret
                                + "', 'UTF8') IN body) > 0"))
                .isEqualTo("0");
        assertThat(platform.database()
                        .query("SELECT count(*) FROM iam.credentials c WHERE position('" + secret
                                + "' IN c::text) > 0"))
                .isEqualTo("0");
        assertThat(platform.events().where(seen -> seen.event().toString().contains(secret)))
                .isEmpty();
    }
}
