package dev.slipway.benchmarks;

import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The effective policy of five levels on one thread, with every key of the registry said at each; and, beside it, one of its lists
 * intersected by hand.
 */
public final class PolicyMain {
    private static final int ROUNDS = 9;
    private static final long ROUND_NS = 200_000_000;
    private static final int BATCH = 100;

    /** Read by nobody, so that the loops cannot be thought away. */
    static volatile int sink;

    private PolicyMain() {}

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
                intersections[round] = perSecond(() -> intersected(lists));
            }
        }
        Console.print(Json.text(Json.object()
                .put("policies", Table.median(policies))
                .put("intersections", Table.median(intersections))
                .put("keys", keys.byId().size())));
    }

    private static List<PolicyDocument> levels(PolicyKeys keys) {
        var levels = new ArrayList<PolicyDocument>();
        for (var level : List.of(Level.GLOBAL, Level.PLAN, Level.ORGANIZATION, Level.DEPARTMENT, Level.PROJECT)) {
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
            denies.putArray("allowed_apps").add("denied-" + level.text());
            levels.add(PolicyDocument.stored(keys, level, level.text(), 1, values, denies));
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

    private static int intersected(List<Set<String>> lists) {
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
