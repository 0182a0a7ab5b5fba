package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.catalog.artifact.DigestUserStore.Users;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** What is told of a change to an artifact: to whoever listens, and to the audit trail. */
final class ArtifactRecords {
    private ArtifactRecords() {}

    static void announce(UnitOfWork unit, Principal actor, Artifact artifact, ArtifactEvent event) {
        announce(unit, artifact, event, ArtifactJson.event(artifact, event, actor.id()));
    }

    /** With those who run what was revoked; and for those who have to know before they use a digest. */
    static void announce(UnitOfWork unit, Principal actor, Artifact artifact, ArtifactEvent event, Users users) {
        var payload = ArtifactJson.event(artifact, event, actor.id()).put("instances_total", users.total());
        var instances = payload.putArray("instances");
        users.first().forEach(user -> instances
                .addObject()
                .put("org_id", user.orgId().toString())
                .put("project_id", user.projectId().toString())
                .put("app_instance_id", user.appInstanceId().toString()));
        announce(unit, artifact, event, payload);
        revoked(unit, artifact.digest().text(), unit.now());
    }

    static void revoked(UnitOfWork unit, String digest, Instant at) {
        var snapshot = Json.object()
                .put("digest", digest)
                .put("revoked_at", at.toString())
                .put("revision", 1);
        unit.announce(Topics.CATALOG_STATE, "revoked_digest:" + digest, "catalog.revoked_digest.snapshot", snapshot);
    }

    private static void announce(UnitOfWork unit, Artifact artifact, ArtifactEvent event, ObjectNode payload) {
        unit.announce(Topics.CATALOG_EVENTS, artifact.id().toString(), "apps.artifact." + event.name(), payload);
    }

    /** An audit record; the event is null where what was asked for was so already. */
    static void audit(
            UnitOfWork unit, Principal actor, String action, Artifact artifact, @Nullable ArtifactEvent event) {
        var metadata = Json.object()
                .put("digest", artifact.digest().text())
                .put("repository", artifact.repository())
                .put("lifecycle_state", artifact.lifecycle().text())
                .put("trust_from", event == null ? artifact.trust().text() : trustFrom(artifact, event))
                .put("trust_to", artifact.trust().text())
                .put(
                        "channel",
                        artifact.channel() == null ? null : artifact.channel().text())
                .put("changed", event != null)
                .put("reason", event == null ? null : event.reason());
        AuditTrail.success(
                unit,
                actor,
                new Entry(
                        action,
                        "artifact",
                        artifact.id().toString(),
                        artifact.orgId(),
                        artifact.projectId(),
                        metadata));
    }

    private static @Nullable String trustFrom(Artifact artifact, ArtifactEvent event) {
        if (event instanceof ArtifactEvent.Registered) {
            return null;
        } else if (event instanceof ArtifactEvent.Verified verified) {
            return verified.from().text();
        } else if (event instanceof ArtifactEvent.VerificationFailed failed) {
            return failed.from().text();
        } else if (event instanceof ArtifactEvent.Revoked revoked) {
            return revoked.from().text();
        }
        return artifact.trust().text();
    }
}
