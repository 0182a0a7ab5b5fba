package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.ReceivedRecord;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Fills a model with the records that IAM would publish, each in its own revision. */
final class AuthzModelFixture {
    final AuthzModel model = new AuthzModel();
    private long revision;

    /** Creates a model with the built-in actions and roles. */
    static AuthzModelFixture withBuiltInRoles() {
        var fixture = new AuthzModelFixture();
        var registry = RoleRegistry.load();
        registry.actions().forEach(action -> fixture.action(action, "active"));
        registry.roles().forEach(role -> fixture.role(role.name(), role.level(), role.actions()));
        return fixture;
    }

    void action(String action, String lifecycle) {
        change("authz.action", Json.object().put("action", action).put("lifecycle", lifecycle));
    }

    void role(String name, String level, Collection<String> actions) {
        role(name, level, actions, null, false);
    }

    /** Publishes a role of an organization, or its removal. */
    void role(String name, String level, Collection<String> actions, UUID orgId, boolean removed) {
        var payload = Json.object()
                .put("role", name)
                .put("level", level)
                .put("org_id", text(orgId))
                .put("removed", removed);
        var list = payload.putArray("actions");
        actions.forEach(list::add);
        change("authz.role", payload);
    }

    void organization(UUID orgId, String state) {
        change("authz.organization", Json.object().put("org_id", text(orgId)).put("state", state));
    }

    void project(UUID projectId, UUID orgId) {
        change("authz.project", Json.object().put("project_id", text(projectId)).put("org_id", text(orgId)));
    }

    void project(UUID projectId, UUID orgId, String state) {
        change(
                "authz.project",
                Json.object()
                        .put("project_id", text(projectId))
                        .put("org_id", text(orgId))
                        .put("state", state));
    }

    UUID user(String issuer, String subject) {
        var id = Ids.next();
        user(id, issuer, subject, true);
        return id;
    }

    void user(UUID id, String issuer, String subject, boolean active) {
        change(
                "authz.principal",
                principal(id, "user", List.of(), active).put("issuer", issuer).put("subject", subject));
    }

    UUID serviceAccount(UUID projectId, Collection<String> allowed) {
        return serviceAccount(projectId, allowed, null, null);
    }

    /** Publishes a service account whose tokens an external issuer issues. */
    @CanIgnoreReturnValue
    UUID serviceAccount(UUID projectId, Collection<String> allowed, String issuer, String subject) {
        var id = Ids.next();
        change(
                "authz.principal",
                principal(id, "service_account", allowed, true)
                        .put("project_id", text(projectId))
                        .put("issuer", issuer)
                        .put("subject", subject));
        return id;
    }

    UUID operator(UUID orgId, UUID sharedRuntimeId, Collection<String> allowed) {
        var id = Ids.next();
        change(
                "authz.principal",
                principal(id, "shared_runtime_operator", allowed, true)
                        .put("org_id", text(orgId))
                        .put("shared_runtime_id", text(sharedRuntimeId)));
        return id;
    }

    UUID adapter(Collection<String> allowed) {
        var id = Ids.next();
        change("authz.principal", principal(id, "adapter", allowed, true));
        return id;
    }

    void deactivate(UUID id) {
        user(id, null, null, false);
    }

    private static ObjectNode principal(UUID id, String type, Collection<String> allowed, boolean active) {
        var payload = Json.object()
                .put("principal_id", text(id))
                .put("actor_type", type)
                .put("display_name", "Somebody")
                .put("issuer", (String) null)
                .put("subject", (String) null)
                .put("org_id", (String) null)
                .put("project_id", (String) null)
                .put("responsible_user_id", text(id))
                .put("active", active);
        var list = payload.putArray("allowed_actions");
        allowed.forEach(list::add);
        return payload;
    }

    void member(UUID groupId, UUID orgId, UUID userId, boolean removed) {
        change(
                "authz.group_member",
                Json.object()
                        .put("group_id", text(groupId))
                        .put("org_id", text(orgId))
                        .put("user_id", text(userId))
                        .put("removed", removed));
    }

    @CanIgnoreReturnValue
    UUID bindPlatform(UUID principal, String role) {
        return bind(principal, role, "platform", null, null, null);
    }

    @CanIgnoreReturnValue
    UUID bindOrg(UUID principal, String role, UUID orgId) {
        return bind(principal, role, "organization", orgId, null, null);
    }

    @CanIgnoreReturnValue
    UUID bindProject(UUID principal, String role, UUID projectId) {
        return bind(principal, role, "project", null, projectId, null);
    }

    @CanIgnoreReturnValue
    UUID bind(UUID principal, String role, String level, UUID orgId, UUID projectId, Instant expiresAt) {
        var id = Ids.next();
        bind(id, principal, role, level, orgId, projectId, expiresAt, false);
        return id;
    }

    void unbind(UUID binding, UUID principal) {
        bind(binding, principal, "any", "project", null, Ids.next(), null, true);
    }

    void bind(
            UUID id,
            UUID principal,
            String role,
            String level,
            UUID orgId,
            UUID projectId,
            Instant expiresAt,
            boolean removed) {
        change(
                "authz.binding",
                Json.object()
                        .put("binding_id", text(id))
                        .put("principal_id", text(principal))
                        .put("role", role)
                        .put("level", level)
                        .put("org_id", text(orgId))
                        .put("project_id", text(projectId))
                        .put("expires_at", expiresAt == null ? null : expiresAt.toString())
                        .put("removed", removed));
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
        model.apply(new ReceivedRecord("authz.state", 0, 0, appendedAt, "key", event.toBytes(), Map.of()));
    }

    void change(String type, ObjectNode payload) {
        revision++;
        apply(type, payload.put("revision", revision), Instant.EPOCH);
        apply("authz.revision", Json.object().put("revision", revision), Instant.EPOCH);
    }

    private static String text(UUID id) {
        return id == null ? null : id.toString();
    }
}
