package dev.slipway.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.ReceivedRecord;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The permissions of users, filled with the records that IAM would publish. */
public final class Permissions {
    public final AuthzModel model = new AuthzModel();
    private long revision;

    public Permissions() {
        var registry = RoleRegistry.load();
        registry.actions()
                .forEach(action -> apply(
                        "authz.action", Json.object().put("action", action).put("lifecycle", "active")));
        registry.roles().forEach(role -> {
            var payload = Json.object().put("role", role.name()).put("level", role.level());
            payload.putNull("org_id").put("removed", false);
            role.actions().forEach(payload.putArray("actions")::add);
            apply("authz.role", payload);
        });
    }

    /** Creates a user with a role in an organization. */
    public Principal user(String role, UUID orgId) {
        var id = Ids.next();
        apply(
                "authz.organization",
                Json.object().put("org_id", orgId.toString()).put("state", "active"));
        var principal = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "user")
                .put("display_name", "Ada")
                .put("issuer", "test")
                .put("subject", id.toString())
                .put("responsible_user_id", id.toString())
                .put("active", true);
        principal.putNull("org_id").putNull("project_id").putArray("allowed_actions");
        apply("authz.principal", principal);
        var binding = Json.object()
                .put("binding_id", Ids.next().toString())
                .put("principal_id", id.toString())
                .put("role", role)
                .put("level", "organization")
                .put("org_id", orgId.toString())
                .put("removed", false);
        binding.putNull("project_id").putNull("expires_at");
        apply("authz.binding", binding);
        return Objects.requireNonNull(model.principal(id));
    }

    private void apply(String type, ObjectNode payload) {
        revision++;
        record(type, payload.put("revision", revision));
        record("authz.revision", Json.object().put("revision", revision));
    }

    private void record(String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, Instant.now(), 1, "c-1", payload);
        model.apply(new ReceivedRecord("authz.state", 0, 0, Instant.now(), "key", event.toBytes(), Map.of()));
    }
}
