package dev.slipway.iam.operator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.credential.Machine;
import dev.slipway.iam.credential.Owner;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * The operator of a shared runtime, in one organization and in no project, as it is told to callers and announced to readers. Adapters of
 * its runtime backend, if it names one, speak for it in their tasks.
 */
public record Operator(
        UUID id,
        UUID orgId,
        UUID sharedRuntimeId,
        @Nullable String runtimeBackend,
        String displayName,
        List<String> allowedActions,
        String state,
        UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt,
        @Nullable Instant deletedAt)
        implements Machine<Operator> {

    @Override
    public Operator in(String nextState, @Nullable Instant disabled, @Nullable Instant deleted) {
        return new Operator(
                id,
                orgId,
                sharedRuntimeId,
                runtimeBackend,
                displayName,
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
                .put("shared_runtime_id", sharedRuntimeId.toString())
                .put("runtime_backend", runtimeBackend)
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
        return new Owner(Owner.Kind.SHARED_RUNTIME_OPERATOR, id, orgId, null);
    }

    @Override
    public ObjectNode audited() {
        return Json.object()
                .put("shared_runtime_id", sharedRuntimeId.toString())
                .put("runtime_backend", runtimeBackend)
                .put("state", state);
    }

    /** For authz.principal. */
    ObjectNode principal() {
        var node = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "shared_runtime_operator")
                .put("display_name", displayName)
                .put("issuer", (String) null)
                .put("subject", (String) null)
                .put("org_id", orgId.toString())
                .put("project_id", (String) null)
                .put("responsible_user_id", createdByUserId.toString());
        node.set("allowed_actions", actions());
        return node.put("active", state.equals("active")).put("shared_runtime_id", sharedRuntimeId.toString());
    }

    private ArrayNode actions() {
        var array = Json.array();
        allowedActions.forEach(array::add);
        return array;
    }
}
