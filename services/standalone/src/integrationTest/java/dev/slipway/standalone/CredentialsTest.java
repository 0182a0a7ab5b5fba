package dev.slipway.standalone;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Service accounts, their credentials and token exchange. */
class CredentialsTest extends CredentialTestBase {
    @Test
    @Proves("0.04")
    void serviceAccount_isNotFound_inAnotherProject() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);

        var told = account("getServiceAccount", "project_owner", account).send().expect(200);

        assertThat(told.text("project_id")).isEqualTo(DemoData.PROJECT.toString());
        assertThat(told.text("org_id")).isEqualTo(DemoData.ORG.toString());
        for (var operation : List.of(
                "getServiceAccount",
                "disableServiceAccount",
                "deleteServiceAccount",
                "listServiceAccountCredentials")) {
            var elsewhere = platform.as("tenant_owner")
                    .call(operation)
                    .path("project_id", DemoData.SIBLING_PROJECT)
                    .path("service_account_id", account);
            assertThat(elsewhere.send().expect(404).text("code")).isEqualTo("not_found");
            var foreign = platform.as("other_tenant_owner")
                    .call(operation)
                    .path("project_id", DemoData.OTHER_PROJECT)
                    .path("service_account_id", account);
            assertThat(foreign.send().expect(404).text("code")).isEqualTo("not_found");
        }
        // No operation takes a project for an existing account, and changes keep the project.
        var moved = CredentialCalls.account().put("project_id", DemoData.SIBLING_PROJECT.toString());
        moved.remove(List.of("slug", "display_name"));
        assertThat(account("updateServiceAccount", "project_owner", account)
                        .body(moved)
                        .send()
                        .expect(400)
                        .body()
                        .at("/details/fields/0/field")
                        .asText())
                .isEqualTo("/project_id");
        for (var change : List.of("disableServiceAccount", "enableServiceAccount")) {
            assertThat(account(change, "project_owner", account)
                            .send()
                            .expect(200)
                            .text("project_id"))
                    .isEqualTo(DemoData.PROJECT.toString());
        }
        var token = tokenOf(DemoData.PROJECT, account);
        platform.anonymous()
                .as(token)
                .call("listAppInstances")
                .path("project_id", DemoData.PROJECT)
                .send()
                .expect(200);
        platform.anonymous()
                .as(token)
                .call("listSharedRuntimeOperators")
                .path("org_id", DemoData.ORG)
                .send()
                .expect(404);
        for (var other : List.of(DemoData.SIBLING_PROJECT, DemoData.OTHER_PROJECT)) {
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
    void serviceAccount_canBeDisabledEnabledAndDeleted_andItsSlugIsUnique() {
        var body = CredentialCalls.account();
        var create = platform.as("project_owner")
                .call("createServiceAccount")
                .path("project_id", DemoData.PROJECT)
                .body(body);
        var created = create.send().expect(201);
        var id = created.text("id");
        assertThat(created.text("state")).isEqualTo("active");
        assertThat(created.header("Location")).endsWith("/service-accounts/" + id);

        assertThat(create.send().expect(409).text("code")).isEqualTo("slug_taken");
        platform.as("tenant_owner")
                .call("createServiceAccount")
                .path("project_id", DemoData.SIBLING_PROJECT)
                .body(body)
                .send()
                .expect(201);

        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, id);
        var token = CredentialCalls.exchangeToken(platform, credential);
        assertState("disableServiceAccount", id, "disabled");
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("401 token_invalid"));
        assertThat(refusedExchange(credential)).isEqualTo("401 credential_invalid");
        assertState("enableServiceAccount", id, "active");
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("200 "));
        assertState("deleteServiceAccount", id, "deleted");
        assertState("deleteServiceAccount", id, "deleted");
        eventually(
                () -> assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("401 token_invalid"));
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
    void createServiceAccount_isRefused_beyondMachineActionsAndTheCallersOwn() {
        for (var action :
                List.of("apps.instance.delete", "scheduler.instance.delete", "iam.binding.write", "no.such")) {
            assertThat(refusedAccount("project_owner", action)).isEqualTo("grant_exceeds_own");
        }
        CredentialCalls.assertExcessAudited(platform, "iam.service_account.create", DemoData.PROJECT.toString());
        var allowed = List.of(
                "apps.instance.report",
                "scheduler.instance.create",
                "scheduler.instance.read",
                "scheduler.instance.update");
        var id = UUID.fromString(
                CredentialCalls.createAccount(platform, DemoData.PROJECT, allowed.toArray(String[]::new)));
        var model = platform.platform().serviceContext().authz();
        var scheduler = eventuallyGet(() -> java.util.Objects.requireNonNull(model.principal(id)));
        var authorizer = new Authorizer(model);
        for (var action : allowed) {
            assertThat(authorizer
                            .decide(scheduler, action, ResourceScope.project(DemoData.PROJECT), Instant.now())
                            .allowed())
                    .isTrue();
            assertThat(authorizer
                            .decide(scheduler, action, ResourceScope.project(DemoData.SIBLING_PROJECT), Instant.now())
                            .allowed())
                    .isFalse();
        }
        assertThat(authorizer
                        .decide(
                                scheduler,
                                "scheduler.instance.delete",
                                ResourceScope.project(DemoData.PROJECT),
                                Instant.now())
                        .allowed())
                .isFalse();
        // A token that is narrower than its owner hands out no more than itself.
        var narrow = apiKeyToken("project_owner", "iam.service_account.write", "apps.instance.read");
        var asKey = platform.anonymous().as(narrow).call("createServiceAccount").path("project_id", DemoData.PROJECT);
        asKey.body(CredentialCalls.account("apps.instance.read")).send().expect(201);
        assertThat(asKey.body(CredentialCalls.account("apps.instance.create"))
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("grant_exceeds_own");
    }

    @Test
    @Proves({"3.57", "3.68"})
    void credential_returnsItsSecretOnce_andCanBeReplacedWithOverlap() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var create = account("createServiceAccountCredential", "project_owner", account)
                .body(Json.object())
                .header("Idempotency-Key", UUID.randomUUID().toString());
        var first = create.send().expect(201);
        var secret = first.text("secret");
        assertThat(secret).startsWith("sws_").hasSize(47);

        var again = create.send().expect(201);
        assertThat(again.text("credential_id")).isEqualTo(first.text("credential_id"));
        assertThat(again.body().has("secret")).isFalse();
        var second = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        assertThat(account("createServiceAccountCredential", "project_owner", account)
                        .body(Json.object())
                        .send()
                        .expect(409)
                        .text("code"))
                .isEqualTo("credential_limit");
        CredentialCalls.exchangeToken(platform, first);
        CredentialCalls.exchangeToken(platform, second);

        account("revokeServiceAccountCredential", "project_owner", account)
                .path("credential_id", first.text("credential_id"))
                .send()
                .expect(200);
        assertThat(refusedExchange(first)).isEqualTo("401 credential_invalid");
        CredentialCalls.exchangeToken(platform, second);
        CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
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
        var scoped = CredentialCalls.exchange(platform, "exchangeServiceAccountToken", second, "apps.instance.read")
                .send()
                .expect(200)
                .text("access_token");
        eventually(() ->
                assertThat(CredentialCalls.listInstances(platform, scoped)).isEqualTo("200 "));
        platform.anonymous()
                .as(scoped)
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
                .body(Json.object()
                        .put("app_slug", "echo")
                        .put("version", "1.0.0")
                        .put("display_name", "Refused"))
                .send()
                .expect(403);
        assertNotStored(secret);
        assertAudited("iam.service_account.create", account, "success");
        assertAudited("iam.credential.create", first.text("credential_id"), "success");
        assertAudited("iam.credential.revoke", first.text("credential_id"), "success");
    }

    @Test
    @Proves("C.05")
    void exchange_issuesAShortLivedToken_andIsAudited() {
        var account =
                CredentialCalls.createAccount(platform, DemoData.PROJECT, "apps.instance.read", "apps.instance.create");
        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        var apiResponse = CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send()
                .expect(200);
        var token = DecodedToken.of(apiResponse.text("access_token"));

        assertThat(apiResponse.body().path("expires_in").asInt()).isEqualTo(600);
        assertThat(token.claims().fieldNames())
                .toIterable()
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
        assertThat(token.subject()).isEqualTo(account);
        assertThat(token.text("actor_type")).isEqualTo("service_account");
        assertThat(token.text("project_id")).isEqualTo(DemoData.PROJECT.toString());
        assertThat(token.text("scope")).isEqualTo("apps.instance.read apps.instance.create");
        assertThat(token.text("credential_id")).isEqualTo(credential.text("credential_id"));

        var narrower = CredentialCalls.exchange(
                        platform, "exchangeServiceAccountToken", credential, "apps.instance.read")
                .send()
                .expect(200);
        assertThat(DecodedToken.of(narrower.text("access_token")).text("scope")).isEqualTo("apps.instance.read");
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
            assertThat(CredentialCalls.findAudits(
                            platform, "iam.token.exchange", credential.text("credential_id"), "success"))
                    .hasSize(2);
            assertThat(CredentialCalls.findAudits(
                            platform, "iam.token.exchange", credential.text("credential_id"), "denied"))
                    .hasSize(4);
            assertThat(CredentialCalls.findAudits(platform, "iam.token.exchange", unknownId, "denied"))
                    .hasSize(1);
        });
    }

    @Test
    void exchange_isRefused_whenTheCredentialHasExpired() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var create = account("createServiceAccountCredential", "project_owner", account);
        assertThat(create.body(Json.object().put("expires_at", "2001-01-01T00:00:00Z"))
                        .send()
                        .expect(400)
                        .text("code"))
                .isEqualTo("validation_error");
        var expiresAt = Instant.now().plusSeconds(4);
        var expiring = create.body(Json.object().put("expires_at", expiresAt.toString()))
                .send()
                .expect(201);
        CredentialCalls.exchangeToken(platform, expiring);

        eventually(() -> assertThat(Instant.now()).isAfter(expiresAt));

        assertThat(CredentialCalls.exchange(platform, "exchangeServiceAccountToken", expiring)
                        .send()
                        .text("message"))
                .startsWith("The credential expired");
        // Expired credentials do not count towards the limit of credentials per account.
        CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
    }

    @Test
    void report_listsUnusedAndExpiringCredentials() {
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT);
        var ending = account("createServiceAccountCredential", "project_owner", account)
                .body(Json.object()
                        .put(
                                "expires_at",
                                Instant.now().plus(Duration.ofDays(3)).toString()))
                .send()
                .expect(201)
                .text("credential_id");
        var forgotten = CredentialCalls.createCredential(platform, DemoData.PROJECT, account)
                .text("credential_id");
        assertThat(platform.database()
                        .query(
                                "WITH aged AS (UPDATE iam.credentials SET created_at = now() - interval '100 days' WHERE id = '"
                                        + forgotten + "' RETURNING id) SELECT count(*) FROM aged"))
                .isEqualTo("1");

        var report = platform.as("project_owner")
                .call("getCredentialReport")
                .path("project_id", DemoData.PROJECT)
                .query("unused_days=30&expiring_days=7")
                .send()
                .expect(200);

        assertThat(ids(report.body().path("unused"))).contains(forgotten).doesNotContain(ending);
        assertThat(ids(report.body().path("expiring"))).contains(ending).doesNotContain(forgotten);
    }
}
