package dev.slipway.iam.serviceaccount;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.credential.Machine;
import dev.slipway.iam.credential.Owner;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A service account, of one project for ever, as it is told to callers and announced to readers. */
public record ServiceAccount(
        UUID id,
        UUID orgId,
        UUID projectId,
        String slug,
        String displayName,
        @Nullable String issuer,
        @Nullable String subject,
        List<String> allowedActions,
        String state,
        UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt,
        @Nullable Instant deletedAt)
        implements Machine<ServiceAccount> {

    /** A new one; {@code issuer} and {@code subject} are set where its tokens come from outside. */
    public static ServiceAccount active(
            UUID id,
            UUID orgId,
            UUID projectId,
            String slug,
            String displayName,
            @Nullable String issuer,
            @Nullable String subject,
            List<String> allowedActions,
            UUID createdByUserId,
            Instant createdAt) {
        return new ServiceAccount(
                id,
                orgId,
                projectId,
                slug,
                displayName,
                issuer,
                subject,
                allowedActions,
                "active",
                createdByUserId,
                createdAt,
                null,
                null);
    }

    @Override
    public ServiceAccount in(String nextState, @Nullable Instant disabled, @Nullable Instant deleted) {
        return new ServiceAccount(
                id,
                orgId,
                projectId,
                slug,
                displayName,
                issuer,
                subject,
                allowedActions,
                nextState,
                createdByUserId,
                createdAt,
                disabled,
                deleted);
    }

    @Override
    public ObjectNode json() {
        var node = Json.object()
                .put("id", id.toString())
                .put("org_id", orgId.toString())
                .put("project_id", projectId.toString())
                .put("slug", slug)
                .put("display_name", displayName);
        node.set("allowed_actions", actions());
        return node.put("state", state)
                .put("created_by_user_id", createdByUserId.toString())
                .put("created_at", createdAt.toString())
                .put("disabled_at", disabledAt == null ? null : disabledAt.toString())
                .put("deleted_at", deletedAt == null ? null : deletedAt.toString());
    }

    @Override
    public Owner owner() {
        return new Owner(Owner.Kind.SERVICE_ACCOUNT, id, orgId, projectId);
    }

    @Override
    public ObjectNode audited() {
        return Json.object().put("slug", slug).put("state", state);
    }

    /** For authz.principal. */
    ObjectNode principal() {
        var node = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "service_account")
                .put("display_name", displayName)
                .put("issuer", issuer)
                .put("subject", subject)
                .put("org_id", orgId.toString())
                .put("project_id", projectId.toString())
                .put("responsible_user_id", createdByUserId.toString());
        node.set("allowed_actions", actions());
        return node.put("active", state.equals("active"));
    }

    /** For iam.service_account.snapshot. */
    ObjectNode snapshot() {
        return Json.object()
                .put("service_account_id", id.toString())
                .put("org_id", orgId.toString())
                .put("project_id", projectId.toString())
                .put("slug", slug)
                .put("created_by_user_id", createdByUserId.toString())
                .put("state", state);
    }

    private ArrayNode actions() {
        var array = Json.array();
        allowedActions.forEach(array::add);
        return array;
    }
}
