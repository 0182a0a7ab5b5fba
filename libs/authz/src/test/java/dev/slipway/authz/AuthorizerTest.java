package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class AuthorizerTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final UUID SIBLING = Ids.next();
    private static final UUID FOREIGN_ORG = Ids.next();
    private static final UUID FOREIGN_PROJECT = Ids.next();
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String CREATE = "apps.instance.create";
    private static final String READ = "apps.instance.read";
    private static final String DELETE = "apps.instance.delete";

    private final AuthzModelFixture fixture = AuthzModelFixture.withBuiltInRoles();
    private final Authorizer authorizer = new Authorizer(fixture.model);
    private final UUID user = fixture.user("issuer", "somebody");

    AuthorizerTest() {
        fixture.project(PROJECT, ORG);
        fixture.project(SIBLING, ORG);
        fixture.project(FOREIGN_PROJECT, FOREIGN_ORG);
    }

    @Test
    void decide_isNotBound_whenTheProjectIsUnknown() {
        fixture.bindOrg(user, "tenant_owner", ORG);
        fixture.bindPlatform(user, "platform_superadmin");

        assertThat(inProject(user, READ, Ids.next())).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void decide_isNotBound_withoutBinding() {
        assertThat(inProject(user, READ, PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("1.72")
    void decide_isNotBound_whenTheRoleIsGrantedInAnotherProject() {
        fixture.bindProject(user, "project_owner", SIBLING);
        fixture.bindOrg(user, "tenant_owner", FOREIGN_ORG);

        var decision = authorizer.decide(principal(user), READ, ResourceScope.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.NOT_BOUND);
        assertThat(decision.toProblem(READ).code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void decide_isNotGranted_whenTheRoleLacksTheAction() {
        fixture.bindProject(user, "project_viewer", PROJECT);

        var decision = authorizer.decide(principal(user), CREATE, ResourceScope.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.NOT_GRANTED);
        assertThat(decision.toProblem(CREATE).code()).isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
    }

    @Test
    void decide_isUnknownAction_whenTheActionIsNotRegistered() {
        fixture.bindProject(user, "project_owner", PROJECT);

        assertThat(inProject(user, "apps.rocket.launch", PROJECT)).isEqualTo(Verdict.UNKNOWN_ACTION);
    }

    @Test
    void decide_isNotGranted_whenTheRoleIsUnknown() {
        fixture.bindProject(user, "no_such_role", PROJECT);

        assertThat(inProject(user, READ, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void decide_requiresBreakGlass_withAPlatformRoleOnly() {
        fixture.bindPlatform(user, "platform_superadmin");
        fixture.bindProject(user, "project_owner", FOREIGN_PROJECT);

        var decision = authorizer.decide(principal(user), READ, ResourceScope.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.BREAK_GLASS_REQUIRED);
        assertThat(decision.toProblem(READ).code()).isEqualTo(ErrorCode.BREAK_GLASS_REQUIRED);
    }

    @Test
    void decide_isNotGranted_whenOnlyThePlatformRoleHasTheAction() {
        fixture.bindPlatform(user, "platform_superadmin");
        fixture.bindProject(user, "project_viewer", PROJECT);

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void decide_isNotBound_afterTheBindingIsRemoved() {
        var binding = fixture.bindProject(user, "project_owner", PROJECT);
        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.ALLOWED);

        fixture.unbind(binding, user);

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("2.07")
    void decide_isNotGranted_afterTheRoleLostTheAction() {
        fixture.bindProject(user, "project_member", PROJECT);
        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.ALLOWED);

        fixture.role("project_member", "project", List.of(READ));

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    @Proves("1.79")
    void decide_prefersProjectBindings_inAnyOrderOfArrival() {
        fixture.bindPlatform(user, "platform_superadmin");
        var ofOrg = fixture.bindOrg(user, "tenant_owner", ORG);
        var ofProject = fixture.bindProject(user, "project_member", PROJECT);

        assertThat(decidedBy(CREATE)).isEqualTo(ofProject);
        assertThat(decidedBy(DELETE)).isEqualTo(ofOrg);
        fixture.unbind(ofProject, user);
        assertThat(decidedBy(CREATE)).isEqualTo(ofOrg);
    }

    @Test
    void decide_isAllowed_inEveryProjectOfTheOrganization() {
        fixture.bindOrg(user, "tenant_admin", ORG);

        assertThat(inProject(user, DELETE, PROJECT)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(user, DELETE, SIBLING)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(user, DELETE, FOREIGN_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void decide_isNotBoundInTheOrganization_withAProjectRoleOnly() {
        fixture.bindProject(user, "project_owner", PROJECT);

        assertThat(authorizer
                        .decide(principal(user), READ, ResourceScope.organization(ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void decide_isAllowedInTheOrganization_onlyByItsOwnRoles() {
        fixture.bindOrg(user, "tenant_owner", ORG);

        assertThat(authorizer
                        .decide(principal(user), READ, ResourceScope.organization(ORG), NOW)
                        .allowed())
                .isTrue();
        assertThat(authorizer
                        .decide(principal(user), READ, ResourceScope.organization(FOREIGN_ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("2.27")
    void decide_isNotBound_forAServiceAccountOfAnotherProject() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ, CREATE));
        fixture.bindOrg(account, "tenant_owner", ORG); // must not count

        assertThat(inProject(account, READ, SIBLING)).isEqualTo(Verdict.NOT_BOUND);
        assertThat(inProject(account, READ, FOREIGN_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
        assertThat(authorizer
                        .decide(principal(account), READ, ResourceScope.organization(ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("1.77")
    void decide_isNotAllowlisted_whenTheAccountsListLacksTheAction() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ));

        assertThat(inProject(account, READ, PROJECT)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(account, CREATE, PROJECT)).isEqualTo(Verdict.NOT_ALLOWLISTED);
    }

    @Test
    void decide_isNotGranted_whenMachinesCannotHaveTheAction() {
        var account = fixture.serviceAccount(PROJECT, List.of(DELETE, "apps.rocket.launch"));
        fixture.bindProject(account, "project_owner", PROJECT);

        assertThat(inProject(account, DELETE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
        assertThat(inProject(account, "apps.rocket.launch", PROJECT)).isEqualTo(Verdict.UNKNOWN_ACTION);
    }

    @Test
    void decide_isLimitedToTheTask_whenTheTokenIsBoundToOne() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ, "apps.instance.report"));
        var task = new Task(Ids.next(), Task.APP_INSTANCE, Ids.next(), Ids.next(), Set.of("apps.instance.report"));
        var bound = principal(account).withTask(task);

        var decision = authorizer.decide(bound, READ, ResourceScope.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.OTHER_TASK);
        assertThat(decision.toProblem(READ).code()).isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
        assertThat(authorizer
                        .decide(bound, "apps.instance.report", ResourceScope.project(PROJECT), NOW)
                        .allowed())
                .isTrue();
        assertThat(authorizer
                        .decide(bound, "apps.instance.report", ResourceScope.project(SIBLING), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void decide_isNotGranted_whenATaskHasAnActionThatMachinesCannotHave() {
        var account = fixture.serviceAccount(PROJECT, List.of(READ));
        var task = new Task(Ids.next(), Task.APP_INSTANCE, Ids.next(), Ids.next(), Set.of(DELETE));

        assertThat(authorizer
                        .decide(principal(account).withTask(task), DELETE, ResourceScope.project(PROJECT), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void decideAnywhere_isNotGranted_whenNoRoleGrantsTheAction() {
        assertThat(authorizer
                        .decide(principal(user), READ, ResourceScope.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
        fixture.bindProject(user, "project_viewer", PROJECT);

        assertThat(authorizer
                        .decide(principal(user), CREATE, ResourceScope.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
        assertThat(authorizer
                        .decide(principal(user), READ, ResourceScope.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.ALLOWED);
    }

    @Test
    void findAccessibleScopes_isEmpty_forAPlatformRole() {
        fixture.bindPlatform(user, "platform_superadmin");

        var accessibleScopes = authorizer.findAccessibleScopes(principal(user), READ, NOW);

        assertThat(accessibleScopes.orgIds()).isEmpty();
        assertThat(accessibleScopes.projectIds()).isEmpty();
    }

    @Test
    void findAccessibleScopes_containsOnlyScopesThatGrantTheAction() {
        fixture.bindProject(user, "project_viewer", PROJECT);
        fixture.bindProject(user, "project_member", FOREIGN_PROJECT);
        fixture.bindOrg(user, "tenant_owner", FOREIGN_ORG);

        var accessibleScopes = authorizer.findAccessibleScopes(principal(user), CREATE, NOW);

        assertThat(accessibleScopes.orgIds()).containsExactly(FOREIGN_ORG);
        assertThat(accessibleScopes.projectIds()).containsExactly(FOREIGN_PROJECT);
    }

    private Verdict inProject(UUID principal, String action, UUID projectId) {
        return authorizer
                .decide(principal(principal), action, ResourceScope.project(projectId), NOW)
                .verdict();
    }

    private UUID decidedBy(String action) {
        var by = authorizer
                .decide(principal(user), action, ResourceScope.project(PROJECT), NOW)
                .grantedBy();
        assertThat(by).isNotNull();
        assertThat(by.level()).isNotEqualTo(Level.PLATFORM);
        return by.id();
    }

    private Principal principal(UUID id) {
        var found = fixture.model.principal(id);
        assertThat(found).isNotNull();
        return found;
    }
}
