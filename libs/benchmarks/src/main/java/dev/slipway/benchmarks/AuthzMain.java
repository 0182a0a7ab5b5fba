package dev.slipway.benchmarks;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Incoming;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Decisions on one thread, in a model of a thousand projects, half of them allowed; their explanations; and a map lookup. */
public final class AuthzMain {
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 400_000_000;
    private static final int BATCH = 1_000;
    private static final String ACTION = "apps.instance.create";

    /** Read by nobody, so that the loops cannot be thought away. */
    static volatile int sink;

    private AuthzMain() {}

    public static void main(String[] arguments) {
        var model = new AuthzModel();
        var user = UUID.randomUUID();
        apply(model, "authz.role", Json.object().put("role", "project_member").put("level", "project"), ACTION);
        apply(
                model,
                "authz.role",
                Json.object().put("role", "project_viewer").put("level", "project"),
                "apps.instance.read");
        apply(
                model,
                "authz.role",
                Json.object().put("role", "tenant_auditor").put("level", "organization"),
                "audit.read");
        for (var i = 0; i < Seeds.PROJECTS; i++) {
            apply(
                    model,
                    "authz.project",
                    Json.object()
                            .put("project_id", Seeds.project(i).toString())
                            .put("org_id", Seeds.organization(i).toString()));
        }
        // Of the questions asked below, half are allowed, a quarter meet a role without the action, a quarter no role
        // at all.
        bind(model, user, "tenant_auditor", "organization", Seeds.organization(0), null);
        bind(model, user, "project_viewer", "project", Seeds.organization(1), Seeds.project(1));
        bind(model, user, "project_member", "project", Seeds.organization(2), Seeds.project(2));
        var principal = new Principal(user, Principal.ActorType.USER, "User", user, null, null, Set.of(), null, null);
        var authorizer = new Authorizer(model);
        var projects = new UUID[] {Seeds.project(2), Seeds.project(1), Seeds.project(2), Seeds.project(3)};
        var lookup = new HashMap<UUID, UUID>();
        for (var i = 0; i < Seeds.PROJECTS; i++) {
            lookup.put(Seeds.project(i), Seeds.organization(i));
        }

        var decisions = new double[ROUNDS];
        var explanations = new double[ROUNDS];
        var lookups = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                lookups[round] = perSecond(i -> lookup.get(projects[i & 3]) == null ? 0 : 1);
                decisions[round] = perSecond(i ->
                        authorizer.inProject(principal, ACTION, projects[i & 3]).allowed() ? 1 : 0);
                explanations[round] = perSecond(i -> authorizer
                        .explainInProject(principal, ACTION, projects[i & 3])
                        .steps()
                        .size());
            }
        }
        Console.print(Json.text(Json.object()
                .put("decisions", Table.median(decisions))
                .put("explanations", Table.median(explanations))
                .put("lookups", Table.median(lookups))));
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
                sum += work.at(i);
            }
            count += BATCH;
            now = System.nanoTime();
        } while (now - started < ROUND_NS);
        sink = sum;
        return count * 1e9 / (now - started);
    }

    private static void bind(
            AuthzModel model,
            UUID user,
            String role,
            String level,
            UUID org,
            @org.jspecify.annotations.Nullable UUID project) {
        apply(
                model,
                "authz.binding",
                Json.object()
                        .put("binding_id", Ids.next().toString())
                        .put("principal_id", user.toString())
                        .put("role", role)
                        .put("level", level)
                        .put("org_id", org.toString())
                        .put("project_id", project == null ? null : project.toString())
                        .put("removed", false));
    }

    private static void apply(
            AuthzModel model, String type, com.fasterxml.jackson.databind.node.ObjectNode payload, String... actions) {
        if (actions.length > 0) {
            var list = payload.putArray("actions");
            for (var action : actions) {
                list.add(action);
            }
        }
        payload.put("revision", 1);
        var bytes = new Envelope(Ids.next(), type, Instant.now(), 1, "bench", payload).toBytes();
        model.apply(new Incoming("authz.state", 0, 0, Instant.now(), "key", bytes, Map.of()));
    }
}
