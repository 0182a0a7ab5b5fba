package dev.slipway.catalog;

import dev.slipway.catalog.app.AppStore;
import dev.slipway.catalog.app.version.VersionStore;
import dev.slipway.catalog.artifact.ArtifactStore;
import dev.slipway.catalog.policy.PolicyLevelStore;
import dev.slipway.catalog.policy.entitlement.EntitlementStore;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.StateRepublisher;
import dev.slipway.messaging.StateRepublisher.TableScan;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;

/**
 * Republishes the state of the catalog if its topic has lost it. Rows are locked in share mode while they are published, so that a
 * concurrent change by another process is published after them.
 */
final class CatalogSnapshots {
    /** Increment it when snapshots get additional fields. */
    private static final int LAYOUT = 1;

    private static final List<TableScan<UnitOfWork>> KINDS = List.of(
            TableScan.byName(RegistryStore.AFTER, List.of("kind", "id"), RegistryStore::republish),
            TableScan.byId(AppStore.AFTER_ID, AppStore::republish),
            TableScan.byId(VersionStore.AFTER_ID, VersionStore::republish),
            TableScan.byName(ArtifactStore.REVOKED_AFTER, List.of("digest"), ArtifactStore::republishRevoked),
            TableScan.byName(PolicyLevelStore.AFTER, List.of("level", "subject_id"), PolicyLevelStore::republish),
            TableScan.byId(EntitlementStore.AFTER_ID, EntitlementStore::republish));

    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final Outbox outbox;

    CatalogSnapshots(Vertx vertx, KafkaSettings kafka, Outbox outbox) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.outbox = outbox;
    }

    Future<Void> republishIfNeeded() {
        return StateRepublisher.republishIfNeeded(vertx, kafka, outbox, Topics.CATALOG_STATE, LAYOUT, KINDS);
    }
}
