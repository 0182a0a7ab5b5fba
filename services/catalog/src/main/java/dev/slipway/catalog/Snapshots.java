package dev.slipway.catalog;

import dev.slipway.catalog.app.AppStore;
import dev.slipway.catalog.artifact.ArtifactStore;
import dev.slipway.catalog.entitlement.EntitlementStore;
import dev.slipway.catalog.policy.PolicyLevelStore;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.catalog.version.VersionStore;
import dev.slipway.contract.Ids;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.KafkaSettings;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Retelling;
import dev.slipway.messaging.Retelling.Kind;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.util.List;
import java.util.Map;

/**
 * What others keep read models of, told again where its topic has lost it. Rows are shared while they are told: of a key, the topic keeps
 * what came last, and a change that another process makes meanwhile must come after.
 */
final class Snapshots {
    /** Raise it when the records of existing things say more than before. */
    private static final int LAYOUT = 1;

    private static final List<Kind<UnitOfWork>> KINDS = List.of(
            Kind.byName(RegistryStore.AFTER, List.of("kind", "id"), RegistryStore::tell),
            Kind.byId(AppStore.AFTER_ID, AppStore::tell),
            Kind.byId(VersionStore.AFTER_ID, VersionStore::tell),
            Kind.byName(ArtifactStore.REVOKED_AFTER, List.of("digest"), ArtifactStore::tellRevoked),
            Kind.byName(PolicyLevelStore.AFTER, List.of("level", "subject_id"), PolicyLevelStore::tell),
            Kind.byId(EntitlementStore.AFTER_ID, EntitlementStore::tell));

    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final Outbox outbox;

    Snapshots(Vertx vertx, KafkaSettings kafka, Outbox outbox) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.outbox = outbox;
    }

    Future<Void> tellAgainIfNeeded() {
        var retelling = new Retelling<>(outbox, LAYOUT, KINDS);
        var cause = new Cause(Ids.next().toString(), Context.root());
        return Topics.id(vertx, kafka, Topics.CATALOG_STATE)
                .compose(id -> outbox.transaction(
                        cause,
                        unit -> retelling.ifNeeded(
                                unit, Map.of(Topics.CATALOG_STATE, id), () -> retelling.everything(page -> page))));
    }
}
