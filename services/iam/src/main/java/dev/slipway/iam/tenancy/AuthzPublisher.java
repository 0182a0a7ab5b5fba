package dev.slipway.iam.tenancy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.GroupMember;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.User;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Publishes tenancy changes of one revision to {@code authz.state} and {@code iam.state}. */
public final class AuthzPublisher {
    private final Revision revision;

    private record ActionRecord(
            String action,
            RegistryLifecycle lifecycle,
            String product,
            int version,
            String riskClass,
            String description) {}

    private record RoleRecord(
            String role,
            String level,
            List<String> actions,
            @Nullable UUID orgId,
            boolean removed) {}

    private record OrganizationRecord(UUID orgId, ResourceState state) {}

    private record OrganizationSnapshot(
            UUID orgId, String slug, String displayName, String plan, ResourceState state) {}

    private record DepartmentSnapshot(
            UUID departmentId, UUID orgId, String slug, String displayName, boolean isDefault, ResourceState state) {}

    private record UserSnapshot(UUID userId, String displayName, ResourceState state) {}

    private record ProjectRecord(UUID projectId, UUID orgId, ResourceState state) {}

    private record ProjectSnapshot(
            UUID projectId,
            UUID orgId,
            ResourceState state,
            String slug,
            String displayName,
            UUID departmentId,
            UUID operatorServiceAccountId) {}

    private record GroupSnapshot(UUID groupId, UUID orgId, String slug, String displayName, ResourceState state) {}

    private record GroupMemberRecord(UUID groupId, UUID orgId, UUID userId, boolean removed) {}

    private record BindingRecord(
            UUID bindingId,
            UUID principalId,
            String role,
            BindingScope.Level level,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            boolean removed,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Instant expiresAt) {}

    public AuthzPublisher(Revision revision) {
        this.revision = revision;
    }

    /** Returns the revision, for records that are not about tenants. */
    public Revision revision() {
        return revision;
    }

    public void publishAction(Action action) {
        revision.publishAuthz(
                "action:" + action.key(),
                "authz.action",
                new ActionRecord(
                        action.key(),
                        action.lifecycle(),
                        action.product(),
                        action.version(),
                        action.riskClass(),
                        action.description()));
    }

    /** A removed role is published without actions, so that it grants nothing even to a reader that ignores the flag. */
    public void publishRole(Role role) {
        var actions = role.removed() ? List.<String>of() : role.actions();
        revision.publishAuthz(
                "role:" + role.key(),
                "authz.role",
                new RoleRecord(role.key(), role.level(), actions, role.orgId(), role.removed()));
    }

    public void publishOrganization(Organization organization) {
        var key = "organization:" + organization.id();
        revision.publishAuthz(
                key, "authz.organization", new OrganizationRecord(organization.id(), organization.state()));
        revision.publishState(
                key,
                "iam.organization.snapshot",
                new OrganizationSnapshot(
                        organization.id(),
                        organization.slug(),
                        organization.displayName(),
                        organization.plan(),
                        organization.state()));
    }

    public void publishDepartment(Department department) {
        revision.publishState(
                "department:" + department.id(),
                "iam.department.snapshot",
                new DepartmentSnapshot(
                        department.id(),
                        department.orgId(),
                        department.slug(),
                        department.displayName(),
                        department.isDefault(),
                        department.state()));
    }

    public void publishUser(User user) {
        revision.publishState(
                "user:" + user.id(),
                "iam.user.snapshot",
                new UserSnapshot(user.id(), user.displayName(), user.state()));
        revision.publishAuthz(
                PrincipalRecord.key(user.id()),
                PrincipalRecord.EVENT_TYPE,
                new PrincipalRecord(
                        user.id(),
                        PrincipalRecord.Type.USER,
                        user.displayName(),
                        user.issuer(),
                        user.subject(),
                        null,
                        null,
                        user.id(),
                        List.of(),
                        user.active()));
    }

    public void publishProject(Project project) {
        var key = "project:" + project.id();
        revision.publishAuthz(key, "authz.project", new ProjectRecord(project.id(), project.orgId(), project.state()));
        revision.publishState(
                key,
                "iam.project.snapshot",
                new ProjectSnapshot(
                        project.id(),
                        project.orgId(),
                        project.state(),
                        project.slug(),
                        project.displayName(),
                        project.departmentId(),
                        project.operatorServiceAccountId()));
    }

    public void publishGroup(Group group) {
        revision.publishState(
                "group:" + group.id(),
                "iam.group.snapshot",
                new GroupSnapshot(group.id(), group.orgId(), group.slug(), group.displayName(), group.state()));
    }

    public void publishMember(GroupMember member) {
        revision.publishAuthz(
                "group_member:" + member.groupId() + ":" + member.userId(),
                "authz.group_member",
                new GroupMemberRecord(member.groupId(), member.orgId(), member.userId(), member.removed()));
    }

    public void publishBinding(RoleBinding binding) {
        var scope = binding.scope();
        revision.publishAuthz(
                "binding:" + binding.id(),
                "authz.binding",
                new BindingRecord(
                        binding.id(),
                        binding.principalId(),
                        binding.role(),
                        scope.level(),
                        scope.orgId(),
                        scope.projectId(),
                        binding.isRemoved(),
                        binding.expiresAt()));
    }
}
