package dev.slipway.catalog.policy.entitlement;

import dev.slipway.catalog.policy.entitlement.EntitlementJson.EntitlementResponse;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.Snapshot;
import dev.slipway.catalog.policy.entitlement.EntitlementJson.UpdatedEvent;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.UUID;

import static dev.slipway.catalog.ContractAssertions.assertEvent;
import static dev.slipway.catalog.ContractAssertions.assertSchema;

class EntitlementJsonTest {
    private static final UUID ID = new UUID(0, 1);
    private static final Entitlement ENTITLEMENT =
            new Entitlement(ID, ID, ID, ID, "echo", true, Json.object(), null, 1, Instant.EPOCH, Instant.EPOCH);

    @Test
    void records_matchTheContract() {
        assertSchema("AppEntitlement", EntitlementResponse.of(ENTITLEMENT));
        assertEvent("apps.entitlement.updated", UpdatedEvent.of(ENTITLEMENT));
        assertEvent("catalog.entitlement.snapshot", Snapshot.of(ENTITLEMENT));
    }
}
