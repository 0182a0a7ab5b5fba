package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.TokenIssuer;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.IamSeed;
import dev.slipway.messaging.Incoming;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Admin twins, questions about decisions, and revisions, over HTTP. */
class DecisionsTest {
    private static final String REASON = "The tenant asked for help, ticket 4711";
    private static final String CREATE = "apps.instance.create";

    private static final TokenIssuer ISSUER = TokenIssuer.withNewKey(Demo.ISSUER);

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        var key = new IamSeed.IssuerKey(
                ISSUER.kid(), Demo.ISSUER, ISSUER.publicJwk(), Instant.now().plusSeconds(3_600));
        platform = new PlatformUnderTest(Map.of(), List.of(key));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"1.76", "2.28"})
    void twin_isRefused_withoutAReason_andToWhoHasNoPlatformRole() {
        var missing = twin("adminListAppInstances", "platform_ops").send().expect(400);
        assertThat(missing.body().at("/details/fields/0/field").asText()).isEqualTo("X-Break-Glass-Reason");
        for (var user : List.of("tenant_owner", "project_owner", "other_tenant_owner", "service_account")) {
            var refused = twin("adminListAppInstances", user)
                    .header("X-Break-Glass-Reason", REASON)
                    .send()
                    .expect(403);
            assertThat(refused.text("code")).as(user).isEqualTo("insufficient_permissions");
        }
        // The header opens nothing but a twin.
        var original = twin("listAppInstances", "platform_ops")
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(403);
        assertThat(original.text("code")).isEqualTo("break_glass_required");
    }

    @Test
    void twin_isNotFound_whenTheProjectDoesNotExist() {
        var nowhere = platform.as("platform_ops")
                .call("adminListAppInstances")
                .path("project_id", Ids.next())
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(404);

        assertThat(nowhere.text("code")).isEqualTo("not_found");
    }

    @Test
    @Proves({"1.76", "2.28"})
    void twin_serves_once_andIsOnTheTenantsTimelineWithItsReason_readsToo() {
        var key = Ids.next().toString();
        var created = launch(key).expect(202);
        var again = launch(key).expect(202);
        assertThat(again.text("id")).isEqualTo(created.text("id"));
        assertThat(created.header("Location")).startsWith("/api/v1/admin/projects/" + Demo.PROJECT);
        var read = twin("adminGetAppInstance", "platform_superadmin")
                .path("app_instance_id", created.text("id"))
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(200);
        assertThat(read.text("org_id")).isEqualTo(Demo.ORG.toString());

        eventually(() -> {
            assertUse(read, "getAppInstance", "apps.instance.read");
            assertUse(created, "createAppInstance", CREATE);
        });
    }

    /** Seen by the tenant's owner: the call, the audit record and the event, the last two with the reason. */
    private static void assertUse(Answer answer, String operation, String action) {
        var timeline = platform.as("tenant_owner")
                .call("getCorrelation")
                .path("correlation_id", answer.header("X-Correlation-ID"))
                .send()
                .expect(200);
        var items = StreamSupport.stream(timeline.body().path("items").spliterator(), false)
                .toList();
        assertThat(items)
                .anySatisfy(item -> {
                    assertThat(item.path("title").asText()).isEqualTo("audit.break_glass.used");
                    assertThat(item.at("/detail/payload/reason").asText()).isEqualTo(REASON);
                    assertThat(item.at("/detail/payload/operation_id").asText()).isEqualTo(operation);
                    assertThat(item.path("project_id").asText()).isEqualTo(Demo.PROJECT.toString());
                })
                .anySatisfy(item -> {
                    assertThat(item.path("kind").asText()).isEqualTo("audit");
                    assertThat(item.path("title").asText()).isEqualTo(action);
                    assertThat(item.at("/detail/reason").asText()).isEqualTo(REASON);
                })
                .anySatisfy(item -> assertThat(item.path("title").asText()).startsWith("admin"));
    }

    @Test
    @Proves({"1.28", "1.73"})
    void taskToken_isTheProjectsAccount_andRefusedForAnotherInstanceOfTheProject_andForAll() {
        var mine = platform.launch("project_owner", "the task's")
                .send()
                .expect(202)
                .text("id");
        var other =
                platform.launch("project_owner", "another").send().expect(202).text("id");
        var exchange = Json.object()
                .put("adapter_id", Demo.ADAPTER.toString())
                .put("adapter_secret", PlatformUnderTest.ADAPTER_SECRET)
                .put("app_instance_id", mine)
                .put("command_id", Ids.next().toString());
        var token = new AtomicReference<>("");
        eventually(() -> token.set(platform.anonymous()
                .call("exchangeOperatorToken")
                .body(exchange)
                .send()
                .expect(200)
                .text("access_token")));
        var adapter = platform.anonymous().as(token.get());

        adapter.call("getAppInstance")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", mine)
                .send()
                .expect(200);
        var refused = adapter.call("getAppInstance")
                .path("project_id", Demo.PROJECT)
                .path("app_instance_id", other)
                .send()
                .expect(403);

        assertThat(refused.text("message")).contains("another task");
        var claims = TokenText.of(token.get());
        var account = platform.instance("getAppInstance", "project_owner", mine)
                .send()
                .expect(200)
                .text("operator_service_account_id");
        assertThat(claims.claims().getSubject()).isEqualTo(account);
        assertThat(claims.text("actor_type")).isEqualTo("service_account");
        assertThat(claims.text("project_id")).isEqualTo(Demo.PROJECT.toString());
        var accounts = platform.as("tenant_owner").call("getServiceAccount").path("service_account_id", account);
        assertThat(accounts.path("project_id", Demo.PROJECT).send().expect(200).text("project_id"))
                .isEqualTo(Demo.PROJECT.toString());
        for (var elsewhere : List.of(Demo.SIBLING_PROJECT, Demo.OTHER_PROJECT)) {
            adapter.call("getAppInstance")
                    .path("project_id", elsewhere)
                    .path("app_instance_id", mine)
                    .send()
                    .expect(404);
            var asOperator = PlatformUnderTest.launchBody("x").put("operator_service_account_id", account);
            var owner = elsewhere.equals(Demo.OTHER_PROJECT) ? "other_tenant_owner" : "tenant_owner";
            assertThat(platform.launchIn(elsewhere, owner, "")
                            .body(asOperator)
                            .send()
                            .text("code"))
                    .isEqualTo("operator_account_invalid");
        }
        adapter.call("listAppInstances").path("project_id", Demo.PROJECT).send().expect(403);
    }

    @Test
    @Proves("C.29")
    void decide_answersAboutTheCaller_asTheCallWouldBeDecided() {
        var allowed = ask("decide", "project_member", question(CREATE, null)).expect(200);
        assertThat(allowed.text("decision")).isEqualTo("allow");
        assertThat(allowed.text("reason")).isEqualTo("allowed");
        assertThat(allowed.body().at("/matched_rules/0/role").asText()).isEqualTo("project_member");
        assertThat(allowed.body().path("evidence_version").asLong()).isPositive();
        assertThat(allowed.text("correlation_id")).isEqualTo("mine");

        var denied = ask("decide", "project_viewer", question(CREATE, null)).expect(200);
        assertThat(denied.text("decision")).isEqualTo("deny");
        assertThat(denied.text("reason")).isEqualTo("not_granted");
        assertThat(ask("decide", "platform_ops", question(CREATE, null)).text("reason"))
                .isEqualTo("break_glass_required");
        assertThat(ask("decide", "service_account", question("apps.instance.delete", null))
                        .text("reason"))
                .isEqualTo("not_granted");
        assertThat(ask("decide", "project_owner", question("apps.rocket.launch", null))
                        .text("reason"))
                .isEqualTo("unknown_action");
    }

    @Test
    void decide_isNotFound_whereTheCallerIsAStranger_whetherItExistsOrNot() {
        for (var project : List.of(Demo.OTHER_PROJECT, Ids.next())) {
            var foreign = question(CREATE, null);
            foreign.putObject("hierarchy").put("project_id", project.toString());
            assertThat(ask("decide", "tenant_owner", foreign).expect(404).text("code"))
                    .isEqualTo("not_found");
            assertThat(ask("explainDecision", "tenant_owner", foreign)
                            .expect(404)
                            .text("code"))
                    .isEqualTo("not_found");
        }
        var mismatched = question(CREATE, null);
        mismatched
                .putObject("hierarchy")
                .put("organization_id", Demo.OTHER_ORG.toString())
                .put("project_id", Demo.PROJECT.toString());
        ask("decide", "tenant_owner", mismatched).expect(404);
    }

    @Test
    void decideAboutOthers_isForThoseWhoMayExplain_andOnlyAboutTheirOwn() {
        var member = id("project_member");

        assertThat(ask("decide", "project_viewer", question(CREATE, member))
                        .expect(403)
                        .text("code"))
                .isEqualTo("insufficient_permissions");
        assertThat(ask("decide", "tenant_owner", question(CREATE, member)).text("decision"))
                .isEqualTo("allow");
        assertThat(ask("decide", "platform_ops", question(CREATE, member))
                        .expect(403)
                        .text("code"))
                .isEqualTo("break_glass_required");
        for (var stranger : List.of(id("other_tenant_owner"), Ids.next())) {
            ask("decide", "tenant_owner", question(CREATE, stranger)).expect(404);
            ask("explainDecision", "tenant_owner", question(CREATE, stranger)).expect(404);
        }
    }

    @Test
    @Proves("C.29")
    void explain_tellsTheChain_andTheSameVerdict() {
        var explained = ask("explainDecision", "tenant_owner", question(CREATE, id("project_viewer")))
                .expect(200);

        assertThat(explained.text("reason")).isEqualTo("not_granted");
        assertThat(explained.body().path("evidence_age_ms").asLong()).isNotNegative();
        assertThat(explained.body().path("steps"))
                .map(step -> (step.path("level").asText() + " "
                                + step.path("role").asText() + " "
                                + step.path("outcome").asText())
                        .strip())
                .containsExactly(
                        "project project_viewer does_not_grant",
                        "organization  missing",
                        "platform  missing",
                        "passes");
        ask("explainDecision", "project_viewer", question(CREATE, null)).expect(403);
    }

    @Test
    void explainInAnOrganization_isForItsAdministrators_andThroughTheTwinForPlatformRoles() {
        var question = question(CREATE, id("project_viewer"));
        assertThat(explain("explainOrganizationDecision", "platform_superadmin", question)
                        .send()
                        .expect(403)
                        .text("code"))
                .isEqualTo("break_glass_required");
        explain("explainOrganizationDecision", "other_tenant_owner", question)
                .send()
                .expect(404);
        explain("explainOrganizationDecision", "project_member", question)
                .send()
                .expect(404);
        var twin = explain("adminExplainOrganizationDecision", "platform_superadmin", question);
        twin.send().expect(400);
        explain("adminExplainOrganizationDecision", "tenant_owner", question)
                .header("X-Break-Glass-Reason", REASON)
                .send()
                .expect(403);
        var foreign = question(CREATE, id("project_viewer"));
        foreign.putObject("hierarchy").put("project_id", Demo.OTHER_PROJECT.toString());
        explain("explainOrganizationDecision", "tenant_owner", foreign).send().expect(404);
        var elsewhere = question(CREATE, id("project_viewer"));
        elsewhere.putObject("hierarchy").put("organization_id", Demo.OTHER_ORG.toString());
        explain("explainOrganizationDecision", "tenant_owner", elsewhere).send().expect(404);
        var stranger = question(CREATE, id("other_tenant_owner"));
        explain("explainOrganizationDecision", "tenant_owner", stranger).send().expect(404);

        var byOwner = explain("explainOrganizationDecision", "tenant_owner", question)
                .send()
                .expect(200);
        var bySupport = twin.header("X-Break-Glass-Reason", REASON).send().expect(200);

        assertThat(byOwner.text("reason")).isEqualTo("not_granted");
        assertThat(bySupport.body().path("steps")).isEqualTo(byOwner.body().path("steps"));
        assertThat(explain("adminExplainOrganizationDecision", "platform_superadmin", stranger)
                        .header("X-Break-Glass-Reason", REASON)
                        .send()
                        .expect(200)
                        .text("reason"))
                .isEqualTo("not_bound");
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.type().equals("audit.break_glass.used")
                                && seen.payload().path("operation_id").asText().equals("explainOrganizationDecision")))
                .isNotEmpty()
                .allSatisfy(used ->
                        assertThat(used.payload().path("org_id").asText()).isEqualTo(Demo.ORG.toString())));
    }

    private static Call explain(String operation, String user, ObjectNode question) {
        return platform.as(user).call(operation).path("org_id", Demo.ORG).body(question);
    }

    @Test
    void revision_isWaitedFor_andRefusedWhenItDoesNotCome() {
        var revision = platform.platform().frame().authz().revision();

        platform.as("tenant_owner")
                .call("getMe")
                .header("X-Revision", String.valueOf(revision))
                .send()
                .expect(200);
        var behind = platform.as("tenant_owner")
                .call("getMe")
                .header("X-Revision", String.valueOf(revision + 1_000_000))
                .send()
                .expect(503);
        assertThat(behind.text("code")).isEqualTo("authz_behind");
        platform.as("tenant_owner")
                .call("getMe")
                .header("X-Revision", "soon")
                .send()
                .expect(400);
        // Who is not known yet is asked to wait as well; without a revision they are nobody.
        var newcomer = platform.anonymous().as("not.a.token").call("getMe");
        newcomer.send().expect(401);
        assertThat(newcomer.header("X-Revision", String.valueOf(revision + 1_000_000))
                        .send()
                        .expect(503)
                        .text("code"))
                .isEqualTo("authz_behind");
    }

    @Test
    void caller_isTaken_whoBecomesKnownWithTheRevisionTheySend_bodyAndAll() throws Exception {
        var token = ISSUER.sign("newcomer", Instant.now(), Instant.now().plusSeconds(600), Map.of());
        var authz = platform.platform().frame().authz();
        var next = authz.revision() + 1;
        var call = new ApiClient(platform.platform().baseUrl(), token)
                .call("decide")
                .header("X-Revision", String.valueOf(next))
                .body(question(CREATE, null));

        eventually(() ->
                platform.launch("project_owner", "the project is known").send().expect(202));
        var answer = CompletableFuture.supplyAsync(call::send);
        // By the time that others, who came later, have been answered, this one waits.
        for (var i = 0; i < 20; i++) {
            platform.as("project_owner").call("getMe").send().expect(200);
        }
        assertThat(answer).isNotDone();
        var user = Ids.next().toString();
        var principal = Json.object()
                .put("principal_id", user)
                .put("actor_type", "user")
                .put("display_name", "Newcomer")
                .put("issuer", Demo.ISSUER)
                .put("subject", "newcomer")
                .put("responsible_user_id", user)
                .put("active", true);
        var binding = Json.object()
                .put("binding_id", Ids.next().toString())
                .put("principal_id", user)
                .put("role", "project_member")
                .put("level", "project")
                .put("project_id", Demo.PROJECT.toString());
        apply(next, "authz.principal", principal);
        apply(next, "authz.binding", binding);
        apply(next, "authz.revision", Json.object());

        assertThat(answer.get(30, TimeUnit.SECONDS).expect(200).text("decision"))
                .isEqualTo("allow");
    }

    /** As if IAM had published it. */
    private static void apply(long revision, String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, Instant.now(), 1, "c-1", payload.put("revision", revision));
        platform.platform()
                .frame()
                .authz()
                .apply(new Incoming("authz.state", 0, 0, Instant.now(), "k", event.toBytes(), Map.of()));
    }

    private static Answer launch(String key) {
        return twin("adminCreateAppInstance", "platform_superadmin")
                .header("X-Break-Glass-Reason", REASON)
                .header("Idempotency-Key", key)
                .body(PlatformUnderTest.launchBody("for the tenant"))
                .send();
    }

    private static Call twin(String operation, String user) {
        return platform.as(user).call(operation).path("project_id", Demo.PROJECT);
    }

    private static Answer ask(String operation, String user, ObjectNode question) {
        return platform.as(user).call(operation).body(question).send();
    }

    private static ObjectNode question(String action, UUID actor) {
        var question = Json.object();
        if (actor != null) {
            question.putObject("actor").put("id", actor.toString());
        }
        question.putObject("hierarchy").put("project_id", Demo.PROJECT.toString());
        question.putObject("product").put("resource_type", "app_instance").put("action", action);
        return question.put("correlation_id", "mine");
    }

    private static UUID id(String user) {
        return platform.platform()
                .frame()
                .tokens()
                .verify(requireNonNull(platform.token(user)), Instant.now())
                .id();
    }
}
