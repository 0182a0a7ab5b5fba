package dev.slipway.authz.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.Random;
import java.util.UUID;

/** The data of a large platform: a million bindings of 200,000 users in 10,000 tenants with five projects each. It is always the same. */
public final class LargeAuthzDataset {
    public static final int TENANTS = 10_000;
    public static final int USERS = TENANTS * 20;
    public static final int BINDINGS_PER_USER = 5;
    public static final String ACTION = "apps.instance.create";
    private static final int PROJECTS_PER_TENANT = 5;
    private static final int USERS_PER_TENANT = USERS / TENANTS;

    private final Sink sink;

    /** Receives the records that IAM would publish, with their keys. */
    public interface Sink {
        void accept(String key, Envelope event);
    }

    /** A principal and a scope. */
    public record AuthzQuery(Principal principal, ResourceScope target) {}

    private LargeAuthzDataset(Sink sink) {
        this.sink = sink;
    }

    public static void publish(Sink sink) {
        new LargeAuthzDataset(sink).publish();
    }

    /** Half of the queries are allowed, a quarter find roles without the action, and a quarter find no role. */
    public static AuthzQuery[] questions(int count) {
        var random = new Random(1);
        var questions = new AuthzQuery[count];
        for (var i = 0; i < count; i++) {
            var user = random.nextInt(USERS);
            var tenant = user / USERS_PER_TENANT;
            var asked = (i & 3) == 3 ? (tenant + 1) % TENANTS : tenant;
            questions[i] = new AuthzQuery(
                    Principal.user(user(user), "User"),
                    ResourceScope.project(id(2, asked * PROJECTS_PER_TENANT + (i & 3))));
        }
        return questions;
    }

    public static UUID user(int number) {
        return id(3, number);
    }

    private void publish() {
        send(
                "action:" + ACTION,
                "authz.action",
                Json.object().put("action", ACTION).put("lifecycle", "active"));
        role("project_member", "project", ACTION);
        role("project_viewer", "project", "apps.instance.read");
        role("tenant_auditor", "organization", "audit.read");
        for (var i = 0; i < TENANTS * PROJECTS_PER_TENANT; i++) {
            var id = id(2, i).toString();
            send(
                    "project:" + id,
                    "authz.project",
                    Json.object().put("project_id", id).put("org_id", org(i / PROJECTS_PER_TENANT)));
        }
        for (var user = 0; user < USERS; user++) {
            principal(user);
            for (var n = 0; n < BINDINGS_PER_USER; n++) {
                bind(user, n);
            }
        }
        send("revision", "authz.revision", Json.object());
    }

    private void role(String name, String level, String action) {
        var payload = Json.object().put("role", name).put("level", level);
        payload.putArray("actions").add(action);
        send("role:" + name, "authz.role", payload);
    }

    private void principal(int user) {
        var id = user(user).toString();
        var payload = Json.object()
                .put("principal_id", id)
                .put("actor_type", "user")
                .put("display_name", "User " + user)
                .put("issuer", "https://issuer.example")
                .put("subject", "subject-" + user)
                .put("responsible_user_id", id)
                .put("active", true);
        payload.putArray("allowed_actions");
        send("principal:" + id, "authz.principal", payload);
    }

    /** A user can create in two projects of the tenant, read two, and audit the tenant. */
    private void bind(int user, int n) {
        var tenant = user / USERS_PER_TENANT;
        var whole = n == BINDINGS_PER_USER - 1;
        var id = id(4, user * BINDINGS_PER_USER + n).toString();
        var project = id(2, tenant * PROJECTS_PER_TENANT + n).toString();
        send(
                "binding:" + id,
                "authz.binding",
                Json.object()
                        .put("binding_id", id)
                        .put("principal_id", user(user).toString())
                        .put("role", whole ? "tenant_auditor" : n < 2 ? "project_member" : "project_viewer")
                        .put("level", whole ? "organization" : "project")
                        .put("org_id", org(tenant))
                        .put("project_id", whole ? null : project)
                        .put("removed", false));
    }

    private void send(String key, String type, ObjectNode payload) {
        payload.put("revision", 1);
        sink.accept(key, new Envelope(Ids.next(), type, Instant.EPOCH, 1, "many", payload));
    }

    private static String org(int tenant) {
        return id(1, tenant).toString();
    }

    /** Returns an id that is distributed like a random one. */
    private static UUID id(int kind, int number) {
        return new UUID(((long) kind << 60) | 0x7000L, number * 0x9E37_79B9_7F4A_7C15L);
    }
}
