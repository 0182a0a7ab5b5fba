package dev.slipway.benchmarks;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.testing.ManyBindings;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Incoming;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Decisions on one thread, in a model of a million bindings over ten thousand tenants: who asks is another one each time, half of them are
 * allowed. Their explanations, and a map lookup among as many keys as there are users.
 */
public final class AuthzMain {
    private static final int QUESTIONS = 1 << 16;
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 400_000_000;
    private static final int BATCH = 1_000;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** Read by nobody, so that the loops cannot be thought away. */
    static volatile int sink;

    private AuthzMain() {}

    public static void main(String[] arguments) {
        var model = new AuthzModel();
        ManyBindings.publish(
                (key, event) -> model.apply(new Incoming("authz.state", 0, 0, NOW, key, event.toBytes(), Map.of())));
        System.gc();
        var runtime = Runtime.getRuntime();
        var heapMib = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
        var questions = ManyBindings.questions(QUESTIONS);
        var lookup = new HashMap<UUID, UUID>();
        for (var i = 0; i < ManyBindings.USERS; i++) {
            lookup.put(ManyBindings.user(i), ManyBindings.user(i));
        }
        var authorizer = new Authorizer(model);
        var decisions = new double[ROUNDS];
        var explanations = new double[ROUNDS];
        var lookups = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                lookups[round] = perSecond(
                        i -> lookup.containsKey(questions[i].principal().id()) ? 1 : 0);
                decisions[round] = perSecond(i -> decide(authorizer, questions[i]));
                explanations[round] = perSecond(i -> explain(authorizer, questions[i]));
            }
        }
        Console.print(Json.text(Json.object()
                .put("decisions", Table.median(decisions))
                .put("explanations", Table.median(explanations))
                .put("lookups", Table.median(lookups))
                .put("heap_mib", heapMib)));
    }

    private static int decide(Authorizer authorizer, ManyBindings.Question question) {
        var decision = authorizer.decide(question.principal(), ManyBindings.ACTION, question.target(), NOW);
        return decision.allowed() ? 1 : 0;
    }

    private static int explain(Authorizer authorizer, ManyBindings.Question question) {
        var explanation = authorizer.explain(question.principal(), ManyBindings.ACTION, question.target(), NOW);
        return explanation.steps().size();
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
}
