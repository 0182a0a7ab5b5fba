package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;

/** The rows of {@link TenantBenchmark}. */
final class TenantRows {
    private TenantRows() {}

    static void add(JsonNode result, ResultTable resultTable) {
        var direct = result.path("direct").asDouble();
        var routed = result.path("routed").asDouble();
        var many = result.path("routed_many").asDouble();
        resultTable.add(new ResultTable.Row(
                "tenants: resolve and SELECT through the router",
                ResultTable.number(routed) + "/s",
                "bare pooled SELECT " + ResultTable.number(direct) + "/s",
                ResultTable.number(routed / direct),
                "≥ 0.8",
                ResultTable.isMet(routed >= 0.8 * direct),
                "one connection each, 32 statements at a time"));
        resultTable.add(new ResultTable.Row(
                "tenants: the same over " + result.path("connected_tenants").asInt() + " tenants in turn",
                ResultTable.number(many) + "/s",
                "one tenant " + ResultTable.number(routed) + "/s",
                ResultTable.number(many / routed),
                "",
                "",
                "one connection per tenant: statements are not pipelined any more"));
        var few = result.path("uncached_few").asDouble();
        var stored = result.path("uncached_many").asDouble();
        resultTable.add(new ResultTable.Row(
                "tenants: load one that is not cached, of "
                        + result.path("stored_tenants").asInt(),
                ResultTable.number(stored) + "/s",
                "of " + result.path("connected_tenants").asInt() + " tenants " + ResultTable.number(few) + "/s",
                ResultTable.number(stored / few),
                "≥ 0.5",
                ResultTable.isMet(stored >= 0.5 * few),
                ""));
        var plan = result.path("plan_ms").asDouble();
        var small = result.path("small_plan_ms").asDouble();
        resultTable.add(new ResultTable.Row(
                "tenants: validate, diff and plan 1,000 objects",
                ResultTable.number(plan) + " ms",
                "100 objects " + ResultTable.number(small) + " ms",
                ResultTable.number(plan / small) + " ×",
                "≤ 20 ×",
                ResultTable.isMet(plan <= 20 * small),
                "every object gets a field and an index"));
    }
}
