package dev.slipway.iam.tenancy.organization;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.Set;
import java.util.TreeSet;

/** The SQL of the read model of the plans: those for which the catalog has a policy. */
final class TenantPlanStore {
    private static final String LIST = "SELECT plan FROM plans ORDER BY plan";
    private static final String INSERT = "INSERT INTO plans (plan) VALUES ($1) ON CONFLICT DO NOTHING";

    private TenantPlanStore() {}

    static void insert(UnitOfWork unit, String plan) {
        unit.write(INSERT, Tuple.of(plan));
    }

    static Future<Set<String>> list(UnitOfWork unit) {
        return unit.query(LIST, Tuple.tuple()).map(rows -> {
            var plans = new TreeSet<String>();
            rows.forEach(row -> plans.add(row.getString("plan")));
            return plans;
        });
    }
}
