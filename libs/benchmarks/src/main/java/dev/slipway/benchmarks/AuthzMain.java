package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Incoming;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * Decisions on one thread, in a model of a million bindings over ten thousand tenants: who asks is another one each time, half of them are
 * allowed. Their explanations, and a map lookup among as many keys as there are users.
 */
public final class AuthzMain {
    private static final int TENANTS = 10_000;
    private static final int PROJECTS_PER_TENANT = 5;
    private static final int USERS_PER_TENANT = 20;
    private static final int BINDINGS_PER_USER = 5;
    private static final int QUESTIONS = 1 << 16;
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 400_000_000;
    private static final int BATCH = 1_000;
    private static final String ACTION = "apps.instance.create";
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** Read by nobody, so that the loops cannot be thought away. */
    static volatile int sink;

    private AuthzMain() {}

    public static void main(String[] arguments) {
        var model = new AuthzModel();
        fill(model);
        System.gc();
        var runtime = Runtime.getRuntime();
        var heapMib = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
        var principals = new Principal[QUESTIONS];
        var targets = new Target[QUESTIONS];
        var lookup = new HashMap<UUID, UUID>();
        ask(principals, targets);
        for (var i = 0; i < TENANTS * USERS_PER_TENANT; i++) {
            lookup.put(id(3, i), id(3, i));
        }
        var authorizer = new Authorizer(model);
        var decisions = new double[ROUNDS];
        var explanations = new double[ROUNDS];
        var lookups = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                lookups[round] = perSecond(i -> lookup.containsKey(principals[i].id()) ? 1 : 0);
                decisions[round] = perSecond(i -> authorizer
                                .decide(principals[i], ACTION, targets[i], NOW)
                                .allowed()
                        ? 1
                        : 0);
                explanations[round] = perSecond(i -> authorizer
                        .explain(principals[i], ACTION, targets[i], NOW)
                        .steps()
                        .size());
            }
        }
        Console.print(Json.text(Json.object()
                .put("decisions", Table.median(decisions))
                .put("explanations", Table.median(explanations))
                .put("lookups", Table.median(lookups))
                .put("heap_mib", heapMib)));
    }

    private static void fill(AuthzModel model) {
        apply(model, "authz.action", Json.object().put("action", ACTION).put("lifecycle", "active"));
        role(model, "project_member", "project", ACTION);
        role(model, "project_viewer", "project", "apps.instance.read");
        role(model, "tenant_auditor", "organization", "audit.read");
        for (var project = 0; project < TENANTS * PROJECTS_PER_TENANT; project++) {
            apply(
                    model,
                    "authz.project",
                    Json.object()
                            .put("project_id", id(2, project).toString())
                            .put("org_id", org(project / PROJECTS_PER_TENANT)));
        }
        for (var user = 0; user < TENANTS * USERS_PER_TENANT; user++) {
            principal(model, user);
            for (var n = 0; n < BINDINGS_PER_USER; n++) {
                bind(model, user, n);
            }
        }
    }

    private static void role(AuthzModel model, String name, String level, String action) {
        var payload = Json.object().put("role", name).put("level", level);
        payload.putArray("actions").add(action);
        apply(model, "authz.role", payload);
    }

    private static void principal(AuthzModel model, int user) {
        var id = id(3, user).toString();
        var payload = Json.object()
                .put("principal_id", id)
                .put("actor_type", "user")
                .put("display_name", "User " + user)
                .put("issuer", "https://issuer.example")
                .put("subject", "subject-" + user)
                .put("responsible_user_id", id)
                .put("active", true);
        payload.putArray("allowed_actions");
        apply(model, "authz.principal", payload);
    }

    /** In its tenant a user may create in two projects, look at two, and audit the whole. */
    private static void bind(AuthzModel model, int user, int n) {
        var tenant = user / USERS_PER_TENANT;
        var atOrganization = n == 4;
        var project = tenant * PROJECTS_PER_TENANT + n;
        apply(
                model,
                "authz.binding",
                Json.object()
                        .put("binding_id", id(4, user * BINDINGS_PER_USER + n).toString())
                        .put("principal_id", id(3, user).toString())
                        .put("role", atOrganization ? "tenant_auditor" : n < 2 ? "project_member" : "project_viewer")
                        .put("level", atOrganization ? "organization" : "project")
                        .put("org_id", org(tenant))
                        .put(
                                "project_id",
                                atOrganization ? null : id(2, project).toString())
                        .put("removed", false));
    }

    /** Half allowed, a quarter met by roles without the action, a quarter by no role at all. */
    private static void ask(Principal[] principals, Target[] targets) {
        var random = new Random(1);
        for (var i = 0; i < QUESTIONS; i++) {
            var user = random.nextInt(TENANTS * USERS_PER_TENANT);
            var tenant = user / USERS_PER_TENANT;
            var asked = (i & 3) == 3 ? (tenant + 1) % TENANTS : tenant;
            principals[i] = Principal.user(id(3, user), "User");
            targets[i] = Target.project(id(2, asked * PROJECTS_PER_TENANT + (i & 3)));
        }
    }

    /** Something to count. */
    private interface Work {
        int at(int i);
    }

    private static double perSecond(Work work) {
        var started = System.nanoTime();
        var count = 0L;
        var sum = 0;
        long now;
        do {
            for (var i = 0; i < BATCH; i++) {
                sum += work.at((int) (count + i) & (QUESTIONS - 1));
            }
            count += BATCH;
            now = System.nanoTime();
        } while (now - started < ROUND_NS);
        sink = sum;
        return count * 1e9 / (now - started);
    }

    private static String org(int tenant) {
        return id(1, tenant).toString();
    }

    /** Spread like real ids are; the same each time. */
    private static UUID id(int kind, int number) {
        return new UUID(((long) kind << 60) | 0x7000L, number * 0x9E37_79B9_7F4A_7C15L);
    }

    private static void apply(AuthzModel model, String type, ObjectNode payload) {
        payload.put("revision", 1);
        var bytes = new Envelope(Ids.next(), type, NOW, 1, "bench", payload).toBytes();
        model.apply(new Incoming("authz.state", 0, 0, NOW, "key", bytes, Map.of()));
    }
}
