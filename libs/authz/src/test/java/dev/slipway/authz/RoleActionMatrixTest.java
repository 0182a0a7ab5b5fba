package dev.slipway.authz;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The actions that each built-in role grants, and the errors of refusals. */
class RoleActionMatrixTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final AuthzModelFixture fixture = AuthzModelFixture.withBuiltInRoles();
    private final Authorizer authorizer = new Authorizer(fixture.model);

    RoleActionMatrixTest() {
        fixture.project(PROJECT, ORG);
    }

    /** The matrix of requirement 1.75: the role is granted at its level, and the action is requested in the project. */
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
    void decide_followsTheRoleMatrix(
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
        // The account is allowed the action: what is denied then is denied to every account.
        var account = fixture.serviceAccount(PROJECT, List.of(action));
        assertThat(word(inProject(account, action, PROJECT))).isEqualTo(machine);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "ALLOWED")
    void toProblem_isNotFoundForbiddenDeletedOrSuspended_forEveryRefusal(Verdict refused) {
        var problem = new Decision(refused, null).toProblem("apps.instance.read");

        assertThat(problem.code())
                .isIn(
                        ErrorCode.NOT_FOUND,
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        ErrorCode.BREAK_GLASS_REQUIRED,
                        ErrorCode.RESOURCE_DELETED,
                        ErrorCode.PROJECT_SUSPENDED);
    }

    @Test
    void toProblem_fails_whenAllowed() {
        assertThatThrownBy(() -> Decision.ALLOWED_WITHOUT_BINDING.toProblem("apps.instance.read"))
                .isInstanceOf(IllegalStateException.class);
    }

    private String platformRole(String role, String action) {
        var somebody = fixture.user("issuer", Ids.next().toString());
        fixture.bindPlatform(somebody, role);
        return word(inProject(somebody, action, PROJECT));
    }

    private String tenantRole(String role, String action) {
        var somebody = fixture.user("issuer", Ids.next().toString());
        fixture.bindOrg(somebody, role, ORG);
        return word(inProject(somebody, action, PROJECT));
    }

    private String projectRole(String role, String action) {
        var somebody = fixture.user("issuer", Ids.next().toString());
        fixture.bindProject(somebody, role, PROJECT);
        return word(inProject(somebody, action, PROJECT));
    }

    private static String word(Verdict verdict) {
        return switch (verdict) {
            case ALLOWED -> "allow";
            case BREAK_GLASS_REQUIRED -> "glass";
            case NOT_GRANTED -> "deny";
            case NOT_BOUND,
                    UNKNOWN_ACTION,
                    NOT_ALLOWLISTED,
                    OTHER_TASK,
                    OUT_OF_TOKEN_SCOPE,
                    RESOURCE_DELETED,
                    PROJECT_SUSPENDED -> verdict.name();
        };
    }

    private Verdict inProject(UUID principal, String action, UUID projectId) {
        return authorizer
                .decide(principal(principal), action, ResourceScope.project(projectId), NOW)
                .verdict();
    }

    private Principal principal(UUID id) {
        var found = fixture.model.principal(id);
        assertThat(found).isNotNull();
        return found;
    }
}
