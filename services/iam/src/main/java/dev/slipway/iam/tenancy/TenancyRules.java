package dev.slipway.iam.tenancy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/** Checks that several tenancy operations share. Each throws a {@link ProblemException}. */
public final class TenancyRules {
    private TenancyRules() {}

    /**
     * Fails with {@code not_found} if the organization or project of the scope does not exist, which is possible for platform roles only, and
     * with {@code resource_deleted} if it is deleted.
     */
    public static Future<Void> requireNotDeleted(UnitOfWork unit, BindingScope scope) {
        return BindingScopeStore.find(unit, scope).map(state -> {
            if (!state.found()) {
                throw Problem.of(ErrorCode.NOT_FOUND, "Not found.").asException();
            }
            if (state.deleted()) {
                throw deleted(scope.level().text());
            }
            return null;
        });
    }

    public static Organization requireActive(Organization organization) {
        requireActive(organization.state(), "organization");
        return organization;
    }

    public static Department requireActive(Department department) {
        requireActive(department.state(), "department");
        return department;
    }

    public static Project requireActive(Project project) {
        requireActive(project.state(), "project");
        return project;
    }

    public static Group requireActive(Group group) {
        requireActive(group.state(), "group");
        return group;
    }

    public static Role requireActive(Role role) {
        requireActive(role.state(), "role");
        return role;
    }

    /** Creates the refusal of a slug that another resource of the same kind has or had. */
    public static ProblemException slugTaken(String slug, String kind) {
        return Problem.validationOf(
                        ErrorCode.SLUG_TAKEN,
                        "/slug",
                        "is already used by another " + kind + ", possibly a deleted one: " + slug)
                .asException();
    }

    private static void requireActive(ResourceState state, String kind) {
        if (state == ResourceState.DELETED) {
            throw deleted(kind);
        }
    }

    private static ProblemException deleted(String kind) {
        return Problem.of(ErrorCode.RESOURCE_DELETED, "This " + kind + " is deleted and cannot be changed.")
                .asException();
    }
}
