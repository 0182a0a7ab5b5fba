package dev.slipway.catalog.artifact;

import dev.slipway.authz.Principal;
import dev.slipway.catalog.artifact.ArtifactJson.AuditMetadata;
import dev.slipway.catalog.artifact.ArtifactJson.RevokedDigestSnapshot;
import dev.slipway.catalog.artifact.DigestUsageStore.DigestUsage;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Publishes the events and audit records of artifact changes. */
final class ArtifactPublisher {
    private ArtifactPublisher() {}

    /** Publishes an event and, for a revocation, the snapshot of the revoked digest. */
    static void appendEvents(
            UnitOfWork unit, Principal actor, Artifact artifact, ArtifactEvent event, DigestUsage usage) {
        var payload = Json.toObject(ArtifactJson.payload(artifact, event, actor.id(), usage));
        unit.publish(Topics.CATALOG_EVENTS, artifact.id().toString(), "apps.artifact." + event.name(), payload);
        if (event instanceof ArtifactEvent.Revoked) {
            publishRevokedDigest(unit, artifact.digest().text(), unit.now());
        }
    }

    static void publishRevokedDigest(UnitOfWork unit, String digest, Instant revokedAt) {
        unit.publish(
                Topics.CATALOG_STATE,
                "revoked_digest:" + digest,
                "catalog.revoked_digest.snapshot",
                Json.toObject(new RevokedDigestSnapshot(digest, revokedAt, 1)));
    }

    /** {@code event} is null if the artifact already was in the requested state. */
    static void audit(
            UnitOfWork unit, Principal actor, String action, Artifact artifact, @Nullable ArtifactEvent event) {
        AuditTrail.recordSuccess(
                unit,
                actor,
                new AuditEntry(
                        action,
                        "artifact",
                        artifact.id().toString(),
                        artifact.orgId(),
                        artifact.projectId(),
                        Json.toObject(AuditMetadata.of(artifact, event))));
    }
}
