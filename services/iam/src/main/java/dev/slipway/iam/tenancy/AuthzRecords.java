package dev.slipway.iam.tenancy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry.Role;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/** Announces what decisions are taken from (authz.state) and what other services keep of tenants (iam.state), at one revision. */
final class AuthzRecords {
    private final UnitOfWork unit;
    private final long revision;

    AuthzRecords(UnitOfWork unit, long revision) {
        this.unit = unit;
        this.revision = revision;
    }

    void action(String action) {
        authz(
                "action:" + action,
                "authz.action",
                Json.object().put("action", action).put("lifecycle", "active"));
    }

    void role(Role role) {
        var payload = Json.object().put("role", role.name()).put("level", role.level());
        payload.set("actions", texts(role.actions()));
        authz("role:" + role.name(), "authz.role", payload);
    }

    void organization(IamSeed.Organization organization) {
        state(
                "organization:" + organization.id(),
                "iam.organization.snapshot",
                Json.object()
                        .put("org_id", organization.id().toString())
                        .put("slug", organization.slug())
                        .put("display_name", organization.displayName()));
    }

    void user(IamSeed.User user) {
        state(
                "user:" + user.id(),
                "iam.user.snapshot",
                Json.object().put("user_id", user.id().toString()).put("display_name", user.displayName()));
        principal(
                user.id(), "user", user.displayName(), user.issuer(), user.subject(), null, null, user.id(), List.of());
    }

    void project(IamSeed.Project project) {
        var payload = Json.object()
                .put("project_id", project.id().toString())
                .put("org_id", project.orgId().toString());
        authz("project:" + project.id(), "authz.project", payload.deepCopy());
        state(
                "project:" + project.id(),
                "iam.project.snapshot",
                payload.put("slug", project.slug())
                        .put("display_name", project.displayName())
                        .put(
                                "operator_service_account_id",
                                project.operatorServiceAccountId().toString()));
    }

    void serviceAccount(IamSeed.ServiceAccount account) {
        state(
                "service_account:" + account.id(),
                "iam.service_account.snapshot",
                Json.object()
                        .put("service_account_id", account.id().toString())
                        .put("org_id", account.orgId().toString())
                        .put("project_id", account.projectId().toString())
                        .put("slug", account.slug())
                        .put("created_by_user_id", account.createdByUserId().toString())
                        .put("state", "active"));
        principal(
                account.id(),
                "service_account",
                account.displayName(),
                account.issuer(),
                account.subject(),
                account.orgId(),
                account.projectId(),
                account.createdByUserId(),
                account.allowedActions());
    }

    void binding(IamSeed.RoleBinding binding) {
        authz(
                "binding:" + binding.id(),
                "authz.binding",
                Json.object()
                        .put("binding_id", binding.id().toString())
                        .put("principal_id", binding.principalId().toString())
                        .put("role", binding.role())
                        .put("level", binding.level())
                        .put("org_id", text(binding.orgId()))
                        .put("project_id", text(binding.projectId()))
                        .put("removed", false));
    }

    void key(IamSeed.IssuerKey key) {
        var payload = Json.object().put("kid", key.kid()).put("issuer", key.issuer());
        payload.set("jwk", Json.trusted(key.publicJwk()));
        payload.put("expires_at", key.expiresAt().toString());
        authz("key:" + key.kid(), "authz.signing_key", payload);
    }

    /** Says that this was all of the revision; a reader that has not seen it has not seen everything. */
    void complete() {
        authz("revision", "authz.revision", Json.object());
    }

    private void principal(
            UUID id,
            String type,
            String displayName,
            @Nullable String issuer,
            @Nullable String subject,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            UUID responsible,
            List<String> allowedActions) {
        var payload = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", type)
                .put("display_name", displayName)
                .put("issuer", issuer)
                .put("subject", subject)
                .put("org_id", text(orgId))
                .put("project_id", text(projectId))
                .put("responsible_user_id", responsible.toString());
        payload.set("allowed_actions", texts(allowedActions));
        payload.put("active", true);
        authz("principal:" + id, "authz.principal", payload);
    }

    private void authz(String key, String type, ObjectNode payload) {
        unit.announce(Topics.AUTHZ_STATE, key, type, payload.put("revision", revision));
    }

    private void state(String key, String type, ObjectNode payload) {
        unit.announce(Topics.IAM_STATE, key, type, payload.put("revision", revision));
    }

    private static com.fasterxml.jackson.databind.node.ArrayNode texts(List<String> texts) {
        var array = Json.array();
        texts.forEach(array::add);
        return array;
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }
}
