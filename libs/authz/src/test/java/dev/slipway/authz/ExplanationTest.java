package dev.slipway.authz;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.contract.Ids;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** The steps of decisions. */
class ExplanationTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final UUID SIBLING = Ids.next();
    private static final UUID FOREIGN_ORG = Ids.next();
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String CREATE = "apps.instance.create";
    private static final String READ = "apps.instance.read";

    private final AuthzModelFixture fixture = AuthzModelFixture.withBuiltInRoles();
    private final Authorizer authorizer = new Authorizer(fixture.model);
    private final UUID user = fixture.user("issuer", "somebody");

    ExplanationTest() {
        fixture.project(PROJECT, ORG);
        fixture.project(SIBLING, ORG);
    }

    @Test
    void explain_listsBindingsFromProjectToPlatform_andNoneOfOtherTenants() {
        fixture.bindOrg(user, "tenant_owner", FOREIGN_ORG);
        fixture.bindProject(user, "project_owner", SIBLING);
        fixture.bindProject(user, "project_viewer", PROJECT);
        fixture.bind(user, "project_owner", "project", null, PROJECT, NOW);
        var group = Ids.next();
        fixture.member(group, ORG, user, false);
        fixture.bindOrg(group, "tenant_admin", ORG);
        fixture.heartbeat(fixture.model.revision(), NOW.minusSeconds(7));

        var explanation = authorizer.explain(principal(user), CREATE, ResourceScope.project(PROJECT), NOW);

        assertThat(explanation.decision().verdict()).isEqualTo(Verdict.ALLOWED);
        assertThat(explanation.steps())
                .map(Object::toString)
                .containsExactly(
                        "project project_viewer: does_not_grant",
                        "project project_owner: expired",
                        "organization tenant_admin by group: grants",
                        "platform: missing",
                        "action: passes");
        assertThat(explanation.revision()).isEqualTo(fixture.model.revision());
        assertThat(explanation.age()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void explain_namesTheFailedCheck_forAMachine() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ));

        assertThat(steps(account, CREATE, PROJECT))
                .containsExactly("place: passes", "action: passes", "machine_role: passes", "allowlist: denies");
        assertThat(steps(account, READ, SIBLING)).containsExactly("place: denies");
    }

    private List<String> steps(UUID who, String action, UUID projectId) {
        return authorizer.explain(principal(who), action, ResourceScope.project(projectId), NOW).steps().stream()
                .map(Object::toString)
                .toList();
    }

    private Principal principal(UUID id) {
        var found = fixture.model.principal(id);
        assertThat(found).isNotNull();
        return found;
    }
}
