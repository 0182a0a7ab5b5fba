package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    private final World world = World.withBuiltInRoles();
    private final Authorizer authorizer = new Authorizer(world.model);
    private final UUID user = world.user("issuer", "somebody");

    AuthorizerTest() {
        world.project(PROJECT, ORG);
        world.project(SIBLING, ORG);
        world.project(FOREIGN_PROJECT, FOREIGN_ORG);
    }

    @Test
    void inProject_isNotBound_whenTheProjectIsUnknown() {
        world.bindOrg(user, "tenant_owner", ORG);
        world.bindPlatform(user, "platform_superadmin");

        assertThat(inProject(user, READ, Ids.next())).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void inProject_isNotBound_whenNothingIsHeld() {
        assertThat(inProject(user, READ, PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("1.72")
    void inProject_isNotBound_whenTheRoleIsHeldElsewhere() {
        world.bindProject(user, "project_owner", SIBLING);
        world.bindOrg(user, "tenant_owner", FOREIGN_ORG);

        var decision = authorizer.decide(principal(user), READ, Target.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.NOT_BOUND);
        assertThat(decision.problem(READ).code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void inProject_isNotGranted_whenTheRoleThereLacksTheAction() {
        world.bindProject(user, "project_viewer", PROJECT);

        var decision = authorizer.decide(principal(user), CREATE, Target.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.NOT_GRANTED);
        assertThat(decision.problem(CREATE).code()).isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
    }

    @Test
    void inProject_isUnknown_whenTheActionIsNotRegistered() {
        world.bindProject(user, "project_owner", PROJECT);

        assertThat(inProject(user, "apps.rocket.launch", PROJECT)).isEqualTo(Verdict.UNKNOWN_ACTION);
    }

    @Test
    void inProject_isNotGranted_whenTheRoleIsUnknown() {
        world.bindProject(user, "no_such_role", PROJECT);

        assertThat(inProject(user, READ, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void inProject_needsBreakGlass_whenOnlyAPlatformRoleIsHeld() {
        world.bindPlatform(user, "platform_superadmin");
        world.bindProject(user, "project_owner", FOREIGN_PROJECT);

        var decision = authorizer.decide(principal(user), READ, Target.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.BREAK_GLASS_REQUIRED);
        assertThat(decision.problem(READ).code()).isEqualTo(ErrorCode.BREAK_GLASS_REQUIRED);
    }

    @Test
    void inProject_isNotGranted_whenAPlatformRoleWouldAndTheProjectsRoleDoesNot() {
        world.bindPlatform(user, "platform_superadmin");
        world.bindProject(user, "project_viewer", PROJECT);

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void inProject_isNotBound_afterTheBindingIsRemoved() {
        var binding = world.bindProject(user, "project_owner", PROJECT);
        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.ALLOWED);

        world.unbind(binding, user);

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("2.07")
    void inProject_isNotGranted_afterTheRoleLostTheAction() {
        world.bindProject(user, "project_member", PROJECT);
        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.ALLOWED);

        world.role("project_member", "project", List.of(READ));

        assertThat(inProject(user, CREATE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    @Proves("1.79")
    void inProject_isDecidedByTheProjectThenTheOrganization_howeverTheyCameIn() {
        world.bindPlatform(user, "platform_superadmin");
        var ofOrg = world.bindOrg(user, "tenant_owner", ORG);
        var ofProject = world.bindProject(user, "project_member", PROJECT);

        assertThat(decidedBy(CREATE)).isEqualTo(ofProject);
        assertThat(decidedBy(DELETE)).isEqualTo(ofOrg);
        world.unbind(ofProject, user);
        assertThat(decidedBy(CREATE)).isEqualTo(ofOrg);
    }

    @Test
    void inProject_isAllowed_inEveryProjectOfTheOrganization() {
        world.bindOrg(user, "tenant_admin", ORG);

        assertThat(inProject(user, DELETE, PROJECT)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(user, DELETE, SIBLING)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(user, DELETE, FOREIGN_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void inOrganization_isNotBound_whenOnlyAProjectsRoleIsHeld() {
        world.bindProject(user, "project_owner", PROJECT);

        assertThat(authorizer
                        .decide(principal(user), READ, Target.organization(ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void inOrganization_isAllowed_byItsOwnRoleOnly() {
        world.bindOrg(user, "tenant_owner", ORG);

        assertThat(authorizer
                        .decide(principal(user), READ, Target.organization(ORG), NOW)
                        .allowed())
                .isTrue();
        assertThat(authorizer
                        .decide(principal(user), READ, Target.organization(FOREIGN_ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("2.27")
    void inProject_isNotBound_whenAServiceAccountIsOfAnotherProject() {
        var account = world.serviceAccount(PROJECT, List.of(READ, CREATE));
        world.bindOrg(account, "tenant_owner", ORG); // must not help it

        assertThat(inProject(account, READ, SIBLING)).isEqualTo(Verdict.NOT_BOUND);
        assertThat(inProject(account, READ, FOREIGN_PROJECT)).isEqualTo(Verdict.NOT_BOUND);
        assertThat(authorizer
                        .decide(principal(account), READ, Target.organization(ORG), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    @Proves("1.77")
    void inProject_isRefused_whenTheActionIsNotOnTheAccountsList() {
        var account = world.serviceAccount(PROJECT, List.of(READ));

        assertThat(inProject(account, READ, PROJECT)).isEqualTo(Verdict.ALLOWED);
        assertThat(inProject(account, CREATE, PROJECT)).isEqualTo(Verdict.NOT_ALLOWLISTED);
    }

    @Test
    void inProject_isNotGranted_whenTheListHasWhatNoMachineMay() {
        var account = world.serviceAccount(PROJECT, List.of(DELETE, "apps.rocket.launch"));
        world.bindProject(account, "project_owner", PROJECT);

        assertThat(inProject(account, DELETE, PROJECT)).isEqualTo(Verdict.NOT_GRANTED);
        assertThat(inProject(account, "apps.rocket.launch", PROJECT)).isEqualTo(Verdict.UNKNOWN_ACTION);
    }

    @Test
    void inProject_isForTheTaskAlone_whenTheTokenIsBoundToOne() {
        var account = world.serviceAccount(PROJECT, List.of(READ, "apps.instance.report"));
        var task = new Task(Ids.next(), Ids.next(), Ids.next(), Set.of("apps.instance.report"));
        var bound = principal(account).bound(task);

        var decision = authorizer.decide(bound, READ, Target.project(PROJECT), NOW);

        assertThat(decision.verdict()).isEqualTo(Verdict.OTHER_TASK);
        assertThat(decision.problem(READ).code()).isEqualTo(ErrorCode.INSUFFICIENT_PERMISSIONS);
        assertThat(authorizer
                        .decide(bound, "apps.instance.report", Target.project(PROJECT), NOW)
                        .allowed())
                .isTrue();
        assertThat(authorizer
                        .decide(bound, "apps.instance.report", Target.project(SIBLING), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_BOUND);
    }

    @Test
    void inProject_isNotGranted_whenATaskNamesWhatNoMachineMay() {
        var account = world.serviceAccount(PROJECT, List.of(READ));
        var task = new Task(Ids.next(), Ids.next(), Ids.next(), Set.of(DELETE));

        assertThat(authorizer
                        .decide(principal(account).bound(task), DELETE, Target.project(PROJECT), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
    }

    @Test
    void anywhere_isNotGranted_whenNoRoleHeldGrantsIt() {
        assertThat(authorizer
                        .decide(principal(user), READ, Target.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
        world.bindProject(user, "project_viewer", PROJECT);

        assertThat(authorizer
                        .decide(principal(user), CREATE, Target.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.NOT_GRANTED);
        assertThat(authorizer
                        .decide(principal(user), READ, Target.anywhere(), NOW)
                        .verdict())
                .isEqualTo(Verdict.ALLOWED);
    }

    @Test
    void reach_hasNoTenant_forAPlatformRole() {
        world.bindPlatform(user, "platform_superadmin");

        var reach = authorizer.reach(principal(user), READ, NOW);

        assertThat(reach.orgIds()).isEmpty();
        assertThat(reach.projectIds()).isEmpty();
    }

    @Test
    void reach_hasOnlyWhereTheActionIsGranted() {
        world.bindProject(user, "project_viewer", PROJECT);
        world.bindProject(user, "project_member", FOREIGN_PROJECT);
        world.bindOrg(user, "tenant_owner", FOREIGN_ORG);

        var reach = authorizer.reach(principal(user), CREATE, NOW);

        assertThat(reach.orgIds()).containsExactly(FOREIGN_ORG);
        assertThat(reach.projectIds()).containsExactly(FOREIGN_PROJECT);
    }

    @Test
    void explain_tellsTheChainFromTheProjectToThePlatform_andNothingOfOtherTenants() {
        world.bindOrg(user, "tenant_owner", FOREIGN_ORG);
        world.bindProject(user, "project_owner", SIBLING);
        world.bindProject(user, "project_viewer", PROJECT);
        world.bind(user, "project_owner", "project", null, PROJECT, NOW);
        var group = Ids.next();
        world.member(group, ORG, user, false);
        world.bindOrg(group, "tenant_admin", ORG);
        world.heartbeat(world.model.revision(), NOW.minusSeconds(7));

        var explanation = authorizer.explain(principal(user), CREATE, Target.project(PROJECT), NOW);

        assertThat(explanation.decision().verdict()).isEqualTo(Verdict.ALLOWED);
        assertThat(explanation.steps())
                .map(Object::toString)
                .containsExactly(
                        "project project_viewer: does_not_grant",
                        "project project_owner: expired",
                        "organization tenant_admin by group: grants",
                        "platform: missing",
                        "action: passes");
        assertThat(explanation.revision()).isEqualTo(world.model.revision());
        assertThat(explanation.age()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void explain_tellsWhatDenied_forAMachine() {
        var account = world.serviceAccount(PROJECT, List.of(READ));

        assertThat(steps(account, CREATE, PROJECT))
                .containsExactly("place: passes", "action: passes", "machine_role: passes", "allowlist: denies");
        assertThat(steps(account, READ, SIBLING)).containsExactly("place: denies");
    }

    private List<String> steps(UUID who, String action, UUID projectId) {
        return authorizer.explain(principal(who), action, Target.project(projectId), NOW).steps().stream()
                .map(Object::toString)
                .toList();
    }

    /** The matrix of row 1.75, cell by cell: who holds the role at its level, in the project itself. */
    @ParameterizedTest
    @CsvSource({
        "apps.catalog.read,            glass, allow, allow, allow, allow, deny",
        "apps.versions.read,           glass, allow, allow, allow, allow, deny",
        "apps.entitlement.read,        glass, allow, allow, deny,  deny,  deny",
        "apps.entitlement.write,       glass, allow, allow, deny,  deny,  deny",
        "apps.instance.read,           glass, allow, allow, allow, allow, allow",
        "apps.instance.create,         glass, allow, allow, allow, deny,  allow",
        "apps.instance.delete,         glass, allow, allow, deny,  deny,  deny",
        "apps.instance.member.read,    glass, allow, allow, allow, allow, allow",
        "apps.instance.member.operate, glass, allow, allow, deny,  deny,  allow",
    })
    void matrix_isAsWritten(
            String action,
            String platform,
            String tenant,
            String projectAdmins,
            String member,
            String viewer,
            String machine) {
        assertThat(List.of(platformRole("platform_superadmin", action), platformRole("platform_ops", action)))
                .containsOnly(platform);
        assertThat(List.of(tenantRole("tenant_owner", action), tenantRole("tenant_admin", action)))
                .containsOnly(tenant);
        assertThat(List.of(projectRole("project_owner", action), projectRole("project_admin", action)))
                .containsOnly(projectAdmins);
        assertThat(projectRole("project_member", action)).isEqualTo(member);
        assertThat(projectRole("project_viewer", action)).isEqualTo(viewer);
        // An account whose list has everything: what is denied then, is denied to every account.
        var account = world.serviceAccount(PROJECT, List.of(action));
        assertThat(word(inProject(account, action, PROJECT))).isEqualTo(machine);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "ALLOWED")
    void problem_isToldOnlyAsNotFoundForbiddenOrDeleted(Verdict refused) {
        var problem = new Decision(refused, null).problem(READ);

        assertThat(problem.code())
                .isIn(
                        ErrorCode.NOT_FOUND,
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        ErrorCode.BREAK_GLASS_REQUIRED,
                        ErrorCode.RESOURCE_DELETED);
    }

    @Test
    void problem_isABug_whenAllowed() {
        assertThatThrownBy(() -> Decision.WITHOUT_BINDING.problem(READ)).isInstanceOf(IllegalStateException.class);
    }

    private String platformRole(String role, String action) {
        var somebody = world.user("issuer", Ids.next().toString());
        world.bindPlatform(somebody, role);
        return word(inProject(somebody, action, PROJECT));
    }

    private String tenantRole(String role, String action) {
        var somebody = world.user("issuer", Ids.next().toString());
        world.bindOrg(somebody, role, ORG);
        return word(inProject(somebody, action, PROJECT));
    }

    private String projectRole(String role, String action) {
        var somebody = world.user("issuer", Ids.next().toString());
        world.bindProject(somebody, role, PROJECT);
        return word(inProject(somebody, action, PROJECT));
    }

    private static String word(Verdict verdict) {
        return switch (verdict) {
            case ALLOWED -> "allow";
            case BREAK_GLASS_REQUIRED -> "glass";
            case NOT_GRANTED -> "deny";
            case NOT_BOUND, UNKNOWN_ACTION, NOT_ALLOWLISTED, OTHER_TASK, OUT_OF_TOKEN_SCOPE, RESOURCE_DELETED ->
                verdict.name();
        };
    }

    private Verdict inProject(UUID principal, String action, UUID projectId) {
        return authorizer
                .decide(principal(principal), action, Target.project(projectId), NOW)
                .verdict();
    }

    private UUID decidedBy(String action) {
        var by = authorizer
                .decide(principal(user), action, Target.project(PROJECT), NOW)
                .by();
        assertThat(by).isNotNull();
        assertThat(by.level()).isNotEqualTo(Level.PLATFORM);
        return by.id();
    }

    private Principal principal(UUID id) {
        var found = world.model.principal(id);
        assertThat(found).isNotNull();
        return found;
    }
}
