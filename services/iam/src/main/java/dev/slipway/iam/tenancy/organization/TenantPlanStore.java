package dev.slipway.iam.tenancy.organization;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Maintains the read model of the plans: those for which the catalog has a policy. */
public final class TenantPlanStore {
    private static final String LIST = "SELECT plan FROM plans ORDER BY plan";
    private static final String INSERT = "INSERT INTO plans (plan) VALUES ($1) ON CONFLICT DO NOTHING";

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record PolicySnapshot(String level, String subjectId) {}

    private TenantPlanStore() {}

    public static Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            if (event.envelope().eventType().equals("catalog.policy.snapshot")) {
                var policy = Json.toRecord(event.envelope().payload(), PolicySnapshot.class);
                if (policy.level.equals("plan")) {
                    unit.write(INSERT, Tuple.of(policy.subjectId));
                }
            }
        }
        return Future.succeededFuture();
    }

    static Future<Set<String>> list(UnitOfWork unit) {
        return unit.query(LIST, Tuple.tuple()).map(rows -> {
            var plans = new TreeSet<String>();
            rows.forEach(row -> plans.add(row.getString("plan")));
            return plans;
        });
    }
}
