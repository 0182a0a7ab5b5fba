package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.Incoming;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;

/** Writes the records that IAM would publish into a model, each as its own revision. */
final class World {
    final AuthzModel model = new AuthzModel();
    private long revision;

    /** With the roles that Slipway comes with. */
    static World withBuiltInRoles() {
        var world = new World();
        RoleRegistry.load().roles().forEach(role -> world.role(role.name(), role.level(), role.actions()));
        return world;
    }

    void role(String name, String level, Collection<String> actions) {
        var payload = Json.object().put("role", name).put("level", level);
        var list = payload.putArray("actions");
        actions.forEach(list::add);
        change("authz.role", payload);
    }

    void project(UUID projectId, UUID orgId) {
        change("authz.project", Json.object().put("project_id", text(projectId)).put("org_id", text(orgId)));
    }

    UUID user(String issuer, String subject) {
        var id = Ids.next();
        principal(id, "user", issuer, subject, null, Map.of(), true);
        return id;
    }

    UUID serviceAccount(UUID projectId, Collection<String> allowed) {
        var id = Ids.next();
        var actions = new java.util.HashMap<String, Boolean>();
        allowed.forEach(action -> actions.put(action, true));
        principal(id, "service_account", null, null, projectId, actions, true);
        return id;
    }

    void deactivate(UUID id) {
        principal(id, "user", null, null, null, Map.of(), false);
    }

    private void principal(
            UUID id,
            String type,
            String issuer,
            String subject,
            UUID projectId,
            Map<String, Boolean> allowed,
            boolean active) {
        var payload = Json.object()
                .put("principal_id", text(id))
                .put("actor_type", type)
                .put("display_name", "Somebody")
                .put("issuer", issuer)
                .put("subject", subject)
                .put("org_id", (String) null)
                .put("project_id", projectId == null ? null : text(projectId))
                .put("responsible_user_id", text(id))
                .put("active", active);
        var list = payload.putArray("allowed_actions");
        allowed.keySet().forEach(list::add);
        change("authz.principal", payload);
    }

    @CanIgnoreReturnValue
    UUID bindPlatform(UUID principal, String role) {
        return bind(Ids.next(), principal, role, "platform", null, null, false);
    }

    @CanIgnoreReturnValue
    UUID bindOrg(UUID principal, String role, UUID orgId) {
        return bind(Ids.next(), principal, role, "organization", orgId, null, false);
    }

    @CanIgnoreReturnValue
    UUID bindProject(UUID principal, String role, UUID projectId) {
        return bind(Ids.next(), principal, role, "project", null, projectId, false);
    }

    void unbind(UUID binding, UUID principal) {
        var ignored = bind(binding, principal, "any", "project", null, Ids.next(), true);
    }

    private UUID bind(UUID id, UUID principal, String role, String level, UUID orgId, UUID projectId, boolean removed) {
        change(
                "authz.binding",
                Json.object()
                        .put("binding_id", text(id))
                        .put("principal_id", text(principal))
                        .put("role", role)
                        .put("level", level)
                        .put("org_id", orgId == null ? null : text(orgId))
                        .put("project_id", projectId == null ? null : text(projectId))
                        .put("removed", removed));
        return id;
    }

    void key(String kid, String issuer, String jwk, Instant expiresAt) {
        change("authz.signing_key", key(kid, issuer, jwk, Json.object(), expiresAt));
    }

    private static ObjectNode key(String kid, String issuer, String jwk, ObjectNode payload, Instant expiresAt) {
        payload.put("kid", kid).put("issuer", issuer).put("expires_at", expiresAt.toString());
        try {
            payload.set("jwk", Json.parse(jwk.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return payload;
    }

    void revokedKey(String kid, String issuer, String jwk, Instant expiresAt) {
        change(
                "authz.signing_key",
                key(kid, issuer, jwk, Json.object(), expiresAt).put("revoked", true));
    }

    void keyFor(String audience, String kid, String issuer, String jwk, Instant expiresAt) {
        change("authz.signing_key", key(kid, issuer, jwk, Json.object().put("audience", audience), expiresAt));
    }

    void revoke(String kind, UUID id, Instant expiresAt) {
        change(
                "authz.revocation",
                Json.object().put("kind", kind).put("id", text(id)).put("expires_at", expiresAt.toString()));
    }

    void heartbeat(long committedRevision, Instant appendedAt) {
        apply("state.heartbeat", Json.object().put("revision", committedRevision), appendedAt);
    }

    void apply(String type, ObjectNode payload, Instant appendedAt) {
        var event = new Envelope(Ids.next(), type, appendedAt, 1, "c-1", payload);
        model.apply(new Incoming("authz.state", 0, 0, appendedAt, "key", event.toBytes(), Map.of()));
    }

    private void change(String type, ObjectNode payload) {
        revision++;
        apply(type, payload.put("revision", revision), Instant.EPOCH);
        apply("authz.revision", Json.object().put("revision", revision), Instant.EPOCH);
    }

    private static String text(UUID id) {
        return id.toString();
    }
}
