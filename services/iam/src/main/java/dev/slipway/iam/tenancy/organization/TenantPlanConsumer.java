package dev.slipway.iam.tenancy.organization;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;

/** Maintains the read model of the plans from the policies of the catalog. */
public final class TenantPlanConsumer {
    private TenantPlanConsumer() {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record PolicySnapshot(String level, String subjectId) {}

    public static Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            if (event.envelope().eventType().equals("catalog.policy.snapshot")) {
                var policy = Json.toRecord(event.envelope().payload(), PolicySnapshot.class);
                if (policy.level.equals("plan")) {
                    TenantPlanStore.insert(unit, policy.subjectId);
                }
            }
        }
        return Future.succeededFuture();
    }
}
