package dev.slipway.benchmarks;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.testing.LargeAuthzDataset;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ReceivedRecord;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Measures authorization decisions and explanations on one thread, with a model of a million bindings in ten thousand tenants. Every
 * request has another principal; half of them are allowed. Compares them with a map lookup among as many keys.
 */
public final class AuthzBenchmark {
    private static final int QUESTIONS = 1 << 16;
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 400_000_000;
    private static final int BATCH = 1_000;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** Prevents the compiler from removing the measured loops. */
    static volatile int sink;

    private AuthzBenchmark() {}

    public static void main(String[] arguments) {
        var model = new AuthzModel();
        LargeAuthzDataset.publish((key, event) ->
                model.apply(new ReceivedRecord("authz.state", 0, 0, NOW, key, event.toBytes(), Map.of())));
        System.gc();
        var runtime = Runtime.getRuntime();
        var heapMib = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
        var questions = LargeAuthzDataset.questions(QUESTIONS);
        var lookup = new HashMap<UUID, UUID>();
        for (var i = 0; i < LargeAuthzDataset.USERS; i++) {
            lookup.put(LargeAuthzDataset.user(i), LargeAuthzDataset.user(i));
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
        BenchOutput.print(Json.text(Json.object()
                .put("decisions", ResultTable.median(decisions))
                .put("explanations", ResultTable.median(explanations))
                .put("lookups", ResultTable.median(lookups))
                .put("heap_mib", heapMib)));
    }

    private static int decide(Authorizer authorizer, LargeAuthzDataset.AuthzQuery authzQuery) {
        var decision = authorizer.decide(authzQuery.principal(), LargeAuthzDataset.ACTION, authzQuery.target(), NOW);
        return decision.allowed() ? 1 : 0;
    }

    private static int explain(Authorizer authorizer, LargeAuthzDataset.AuthzQuery authzQuery) {
        var explanation =
                authorizer.explain(authzQuery.principal(), LargeAuthzDataset.ACTION, authzQuery.target(), NOW);
        return explanation.steps().size();
    }

    private interface MeasuredCall {
        int at(int i);
    }

    private static double perSecond(MeasuredCall measuredCall) {
        var started = System.nanoTime();
        var count = 0L;
        var sum = 0;
        long now;
        do {
            for (var i = 0; i < BATCH; i++) {
                sum += measuredCall.at((int) (count + i) & (QUESTIONS - 1));
            }
            count += BATCH;
            now = System.nanoTime();
        } while (now - started < ROUND_NS);
        sink = sum;
        return count * 1e9 / (now - started);
    }
}
