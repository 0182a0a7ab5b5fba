package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The decision API, and requests that name a revision. */
class DecisionsTest extends DecisionTestBase {
    @Test
    @Proves("C.29")
    void decide_returnsTheDecisionOfTheCall_forTheCaller() {
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
    void decide_isNotFound_inForeignAndUnknownScopes() {
        for (var project : List.of(DemoData.OTHER_PROJECT, Ids.next())) {
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
                .put("organization_id", DemoData.OTHER_ORG.toString())
                .put("project_id", DemoData.PROJECT.toString());
        ask("decide", "tenant_owner", mismatched).expect(404);
    }

    @Test
    void decide_aboutOthers_requiresTheExplainAction() {
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
    void explain_listsTheSteps_withTheSameVerdict() {
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
    void explainInOrganization_isForItsAdministrators_andForPlatformRolesThroughTheAdminVariant() {
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
        foreign.putObject("hierarchy").put("project_id", DemoData.OTHER_PROJECT.toString());
        explain("explainOrganizationDecision", "tenant_owner", foreign).send().expect(404);
        var elsewhere = question(CREATE, id("project_viewer"));
        elsewhere.putObject("hierarchy").put("organization_id", DemoData.OTHER_ORG.toString());
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
                        .find(observedRecord -> observedRecord.type().equals("audit.break_glass.used")
                                && observedRecord
                                        .payload()
                                        .path("operation_id")
                                        .asText()
                                        .equals("explainOrganizationDecision")))
                .isNotEmpty()
                .allSatisfy(used ->
                        assertThat(used.payload().path("org_id").asText()).isEqualTo(DemoData.ORG.toString())));
    }

    @Test
    void revision_isAwaited_andRefusedWhenItDoesNotArrive() {
        var revision = platform.platform().serviceContext().authz().revision();

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
        // A well-formed token of an unknown subject may wait for the revision; a text that is not a token may not.
        var newcomer = ISSUER.sign("stranger", Instant.now(), Instant.now().plusSeconds(600), Map.of());
        assertThat(withRevision(newcomer, revision + 1_000_000).expect(503).text("code"))
                .isEqualTo("authz_behind");
        withRevision("not.a.token", revision + 1_000_000).expect(401);
    }

    private static ApiClient.ApiResponse withRevision(String token, long revision) {
        return platform.anonymous()
                .as(token)
                .call("getMe")
                .header("X-Revision", String.valueOf(revision))
                .send();
    }

    @Test
    void call_isAccepted_whenTheCallerBecomesKnownWithTheRevision() throws Exception {
        var token = ISSUER.sign("newcomer", Instant.now(), Instant.now().plusSeconds(600), Map.of());
        var authz = platform.platform().serviceContext().authz();
        var next = authz.revision() + 1;
        var call = new ApiClient(platform.platform().baseUrl(), token)
                .call("decide")
                .header("X-Revision", String.valueOf(next))
                .body(question(CREATE, null));

        platform.awaitReplication();
        platform.launch("project_owner", "the project is known").send().expect(202);
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
                .put("issuer", DemoData.ISSUER)
                .put("subject", "newcomer")
                .put("responsible_user_id", user)
                .put("active", true);
        var binding = Json.object()
                .put("binding_id", Ids.next().toString())
                .put("principal_id", user)
                .put("role", "project_member")
                .put("level", "project")
                .put("project_id", DemoData.PROJECT.toString());
        apply(next, "authz.principal", principal);
        apply(next, "authz.binding", binding);
        apply(next, "authz.revision", Json.object());

        assertThat(answer.get(30, TimeUnit.SECONDS).expect(200).text("decision"))
                .isEqualTo("allow");
    }
}
