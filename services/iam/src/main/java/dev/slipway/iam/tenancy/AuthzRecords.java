package dev.slipway.iam.tenancy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.Department;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.Member;
import dev.slipway.iam.tenancy.domain.Organization;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Announces what decisions are taken from (authz.state) and what other services keep of tenants (iam.state), at one revision. */
public final class AuthzRecords {
    private final Revision revision;

    public AuthzRecords(Revision revision) {
        this.revision = revision;
    }

    /** Does a change of tenants, behind the lock of the revision that it raises. */
    public static <T> Future<T> raised(UnitOfWork unit, Function<AuthzRecords, Future<T>> work) {
        return RevisionStore.raised(unit, revision -> work.apply(new AuthzRecords(revision)));
    }

    /** For what is announced beside tenants, in the same transaction. */
    public Revision revision() {
        return revision;
    }

    public void action(Action action) {
        authz(
                "action:" + action.key(),
                "authz.action",
                Json.object()
                        .put("action", action.key())
                        .put("lifecycle", action.lifecycle().text())
                        .put("product", action.product())
                        .put("version", action.version())
                        .put("risk_class", action.riskClass())
                        .put("description", action.description()));
    }

    public void role(Role role) {
        var payload = Json.object().put("role", role.key()).put("level", role.level());
        // Of a removed role nothing is left to grant, whatever a reader makes of the flag.
        payload.set("actions", texts(role.removed() ? List.of() : role.actions()));
        payload.put("org_id", text(role.orgId())).put("removed", role.removed());
        authz("role:" + role.key(), "authz.role", payload);
    }

    public void organization(Organization organization) {
        var id = organization.id().toString();
        authz(
                "organization:" + id,
                "authz.organization",
                Json.object().put("org_id", id).put("state", state(organization.deleted())));
        state(
                "organization:" + id,
                "iam.organization.snapshot",
                Json.object()
                        .put("org_id", id)
                        .put("slug", organization.slug())
                        .put("display_name", organization.displayName())
                        .put("plan", organization.plan())
                        .put("state", state(organization.deleted())));
    }

    public void department(Department department) {
        state(
                "department:" + department.id(),
                "iam.department.snapshot",
                Json.object()
                        .put("department_id", department.id().toString())
                        .put("org_id", department.orgId().toString())
                        .put("slug", department.slug())
                        .put("display_name", department.displayName())
                        .put("is_default", department.isDefault())
                        .put("state", state(department.deleted())));
    }

    public void user(User user) {
        state(
                "user:" + user.id(),
                "iam.user.snapshot",
                Json.object()
                        .put("user_id", user.id().toString())
                        .put("display_name", user.displayName())
                        .put("state", user.active() ? "active" : "disabled"));
        var payload = Json.object()
                .put("principal_id", user.id().toString())
                .put("actor_type", "user")
                .put("display_name", user.displayName())
                .put("issuer", user.issuer())
                .put("subject", user.subject())
                .put("org_id", (String) null)
                .put("project_id", (String) null)
                .put("responsible_user_id", user.id().toString());
        payload.putArray("allowed_actions");
        authz("principal:" + user.id(), "authz.principal", payload.put("active", user.active()));
    }

    public void project(Project project) {
        var payload = Json.object()
                .put("project_id", project.id().toString())
                .put("org_id", project.orgId().toString())
                .put("state", state(project.deleted()));
        authz("project:" + project.id(), "authz.project", payload.deepCopy());
        state(
                "project:" + project.id(),
                "iam.project.snapshot",
                payload.put("slug", project.slug())
                        .put("display_name", project.displayName())
                        .put("department_id", project.departmentId().toString())
                        .put(
                                "operator_service_account_id",
                                project.operatorServiceAccountId().toString()));
    }

    public void group(Group group) {
        state(
                "group:" + group.id(),
                "iam.group.snapshot",
                Json.object()
                        .put("group_id", group.id().toString())
                        .put("org_id", group.orgId().toString())
                        .put("slug", group.slug())
                        .put("display_name", group.displayName())
                        .put("state", state(group.deleted())));
    }

    public void member(Member member) {
        authz(
                "group_member:" + member.groupId() + ":" + member.userId(),
                "authz.group_member",
                Json.object()
                        .put("group_id", member.groupId().toString())
                        .put("org_id", member.orgId().toString())
                        .put("user_id", member.userId().toString())
                        .put("removed", member.removed()));
    }

    public void binding(RoleBinding binding) {
        var payload = Json.object()
                .put("binding_id", binding.id().toString())
                .put("principal_id", binding.principalId().toString())
                .put("role", binding.role())
                .put("level", binding.place().level().text())
                .put("org_id", text(binding.place().orgId()))
                .put("project_id", text(binding.place().projectId()))
                .put("removed", binding.removed());
        var expiresAt = binding.expiresAt();
        if (expiresAt != null) {
            payload.put("expires_at", expiresAt.toString());
        }
        authz("binding:" + binding.id(), "authz.binding", payload);
    }

    private void authz(String key, String type, ObjectNode payload) {
        revision.authz(key, type, payload);
    }

    private void state(String key, String type, ObjectNode payload) {
        revision.state(key, type, payload);
    }

    private static String state(boolean deleted) {
        return deleted ? "deleted" : "active";
    }

    private static ArrayNode texts(List<String> texts) {
        var array = Json.array();
        texts.forEach(array::add);
        return array;
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }
}
