package dev.slipway.tenants.deployment;

import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/** Maintains the read model of apps and entitlements from the state of the catalog. */
public final class EntitlementConsumer {
    private final TenantAppStore store;

    public EntitlementConsumer(TenantAppStore store) {
        this.store = store;
    }

    private record AppSnapshot(UUID appId, String appSlug) {}

    private record EntitlementSnapshot(UUID entitlementId, UUID orgId, UUID appId, boolean enabled, long revision) {}

    /** Applies snapshots; an older one than the stored one changes nothing. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var payload = event.envelope().payload();
            switch (event.envelope().eventType()) {
                case "catalog.app.snapshot" -> {
                    var app = Json.toRecord(payload, AppSnapshot.class);
                    store.upsertCatalogApp(unit, app.appId, app.appSlug);
                }
                case "catalog.entitlement.snapshot" -> {
                    var entitlement = Json.toRecord(payload, EntitlementSnapshot.class);
                    store.upsertEntitlement(
                            unit,
                            entitlement.entitlementId,
                            entitlement.orgId,
                            entitlement.appId,
                            entitlement.enabled,
                            entitlement.revision);
                }
                default -> {
                    // The topic also carries versions, policies and registries.
                }
            }
        }
        return Future.succeededFuture();
    }
}
