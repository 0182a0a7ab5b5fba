package dev.slipway.benchmarks;

import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Measures the effective policy of five levels on one thread, with every registry key set at each level, compared with one list
 * intersected by hand.
 */
public final class PolicyBenchmark {
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 200_000_000;
    private static final int BATCH = 100;

    /** Prevents the compiler from removing the measured loops. */
    static volatile int sink;

    private PolicyBenchmark() {}

    public static void main(String[] arguments) {
        var keys = PolicyKeys.seeded();
        var levels = levels(keys);
        var lists = lists();
        var policies = new double[ROUNDS];
        var intersections = new double[ROUNDS];
        for (var warm = 0; warm < 2; warm++) {
            for (var round = 0; round < ROUNDS; round++) {
                policies[round] = perSecond(
                        () -> EffectivePolicy.compute(keys, levels).version().length());
                intersections[round] = perSecond(() -> intersectAll(lists));
            }
        }
        BenchOutput.print(Json.text(Json.object()
                .put("policies", ResultTable.median(policies))
                .put("intersections", ResultTable.median(intersections))
                .put("keys", keys.byId().size())));
    }

    private static List<PolicyDocument> levels(PolicyKeys keys) {
        var levels = new ArrayList<PolicyDocument>();
        for (var policyLevel : List.of(
                PolicyLevel.GLOBAL,
                PolicyLevel.PLAN,
                PolicyLevel.ORGANIZATION,
                PolicyLevel.DEPARTMENT,
                PolicyLevel.PROJECT)) {
            var values = Json.object();
            for (var key : keys.byId().values()) {
                switch (key.type()) {
                    case INTEGER -> values.put(key.id(), 100);
                    case BOOLEAN -> values.put(key.id(), true);
                    case STRING_LIST, HOST_PATTERN_LIST -> {
                        var list = values.putArray(key.id());
                        (key.options().isEmpty() ? hosts() : key.options()).forEach(list::add);
                    }
                }
            }
            var denies = Json.object();
            denies.putArray("allowed_apps").add("denied-" + policyLevel.text());
            levels.add(PolicyDocument.fromStored(keys, policyLevel, policyLevel.text(), 1, values, denies));
        }
        return levels;
    }

    private static List<Set<String>> lists() {
        var lists = new ArrayList<Set<String>>();
        for (var i = 0; i < 5; i++) {
            lists.add(new LinkedHashSet<>(hosts()));
        }
        return lists;
    }

    private static Set<String> hosts() {
        var hosts = new LinkedHashSet<String>();
        for (var i = 0; i < 8; i++) {
            hosts.add("registry-" + i + ".example.com");
        }
        return hosts;
    }

    private static int intersectAll(List<Set<String>> lists) {
        var left = new LinkedHashSet<>(lists.get(0));
        lists.forEach(left::retainAll);
        return left.size();
    }

    private static double perSecond(java.util.function.IntSupplier work) {
        var started = System.nanoTime();
        var count = 0L;
        var sum = 0;
        long now;
        do {
            for (var i = 0; i < BATCH; i++) {
                sum += work.getAsInt();
            }
            count += BATCH;
            now = System.nanoTime();
        } while (now - started < ROUND_NS);
        sink = sum;
        return count * 1e9 / (now - started);
    }
}
