package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.slipway.catalog.artifact.DigestUsageStore.DigestUsage;
import dev.slipway.catalog.artifact.DigestUsageStore.RunningInstance;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.artifact.domain.Verification.Result;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** JSON records of artifacts: requests, responses, events, audit metadata and stored verifications. */
final class ArtifactJson {
    private ArtifactJson() {}

    record RegisterRequest(
            String artifactType,
            String artifactKind,
            SourceFields source,
            String digest,
            @Nullable String appSlug,
            @Nullable String tag,
            @Nullable String visibility) {}

    record PromoteRequest(String channel, @Nullable String reason) {}

    record ReasonRequest(String reason) {}

    @JsonInclude(Include.NON_NULL)
    record SourceFields(
            String sourceType,
            String uri,
            @Nullable String sourceRef,
            @Nullable Long sizeBytes,
            @Nullable String contentEncoding) {
        static SourceFields of(Artifact.Source source) {
            return new SourceFields(
                    source.sourceType(),
                    source.uri(),
                    source.sourceRef(),
                    source.sizeBytes(),
                    source.contentEncoding());
        }

        Artifact.Source toSource() {
            return new Artifact.Source(sourceType, uri, sourceRef, sizeBytes, contentEncoding);
        }
    }

    record CheckFields(
            String check, String result, @Nullable String reason) {}

    record VerificationFields(Instant checkedAt, List<CheckFields> checks) {
        static @Nullable VerificationFields of(@Nullable Verification verification) {
            return verification == null
                    ? null
                    : new VerificationFields(
                            verification.checkedAt(),
                            verification.checks().stream()
                                    .map(check -> new CheckFields(
                                            check.name(), check.result().text(), check.reason()))
                                    .toList());
        }

        static Verification parse(String json) {
            var fields = Json.toRecord(Json.parseStoredObject(json), VerificationFields.class);
            return new Verification(
                    fields.checkedAt,
                    fields.checks.stream()
                            .map(check ->
                                    new Check(check.check, TextEnum.parse(Result.class, check.result), check.reason))
                            .toList());
        }
    }

    record ArtifactResponse(
            UUID id,
            String resourceName,
            UUID orgId,
            UUID projectId,
            @Nullable String appSlug,
            String artifactType,
            int artifactTypeVersion,
            Kind artifactKind,
            SourceFields source,
            String repository,
            @Nullable String tag,
            String digest,
            String digestAlgorithm,
            @Nullable String mediaType,
            long sizeBytes,
            Visibility visibility,
            Lifecycle lifecycleState,
            Trust trustState,
            @Nullable String trustReason,
            @Nullable Channel channel,
            @Nullable VerificationFields verification,
            UUID createdByPrincipalId,
            UUID createdByUserId,
            Instant createdAt,
            Instant updatedAt,
            @Nullable UUID releaseVerdictId) {
        static ArtifactResponse of(Artifact artifact) {
            return new ArtifactResponse(
                    artifact.id(),
                    artifact.resourceName(),
                    artifact.orgId(),
                    artifact.projectId(),
                    artifact.appSlug(),
                    artifact.artifactType(),
                    artifact.artifactTypeVersion(),
                    artifact.kind(),
                    SourceFields.of(artifact.source()),
                    artifact.repository(),
                    artifact.tag(),
                    artifact.digest().text(),
                    "sha256",
                    artifact.mediaType(),
                    artifact.sizeBytes(),
                    artifact.visibility(),
                    artifact.lifecycle(),
                    artifact.trust(),
                    artifact.trustReason(),
                    artifact.channel(),
                    VerificationFields.of(artifact.verification()),
                    artifact.createdByPrincipalId(),
                    artifact.createdByUserId(),
                    artifact.createdAt(),
                    artifact.updatedAt(),
                    artifact.releaseVerdictId());
        }
    }

    record HistoryEntry(
            UUID id,
            long sequence,
            String event,
            String lifecycleState,
            @Nullable String trustFrom,
            String trustTo,
            @Nullable String channel,
            @Nullable String reason,
            UUID actorPrincipalId,
            String actorType,
            String correlationId,
            Instant occurredAt) {}

    record AlreadyRegistered(UUID artifactId) {}

    record EventFields(
            UUID orgId,
            UUID projectId,
            UUID artifactId,
            long sequence,
            String digest,
            String artifactType,
            Kind artifactKind,
            String sourceType,
            String repository,
            @Nullable String appSlug,
            Lifecycle lifecycleState,
            Trust trustState,
            @Nullable Channel channel,
            UUID actorPrincipalId) {
        static EventFields of(Artifact artifact, UUID actorId) {
            return new EventFields(
                    artifact.orgId(),
                    artifact.projectId(),
                    artifact.id(),
                    artifact.sequence(),
                    artifact.digest().text(),
                    artifact.artifactType(),
                    artifact.kind(),
                    artifact.source().sourceType(),
                    artifact.repository(),
                    artifact.appSlug(),
                    artifact.lifecycle(),
                    artifact.trust(),
                    artifact.channel(),
                    actorId);
        }
    }

    record RegisteredEvent(@JsonUnwrapped EventFields artifact) {}

    record VerifiedEvent(@JsonUnwrapped EventFields artifact, Trust trustFrom) {}

    record VerificationFailedEvent(@JsonUnwrapped EventFields artifact, Trust trustFrom, String reason) {}

    record PromotedEvent(
            @JsonUnwrapped EventFields artifact, @Nullable Channel channelFrom) {}

    record EndedEvent(@JsonUnwrapped EventFields artifact, String reason) {}

    /** Names the running instances that use the revoked digest, up to a limit. */
    record RevokedEvent(
            @JsonUnwrapped EventFields artifact,
            Trust trustFrom,
            String reason,
            long instancesTotal,
            List<RunningInstance> instances) {}

    record RevokedDigestSnapshot(String digest, Instant revokedAt, int revision) {}

    /** Returns the payload of an event. {@code usage} is needed for revocations only. */
    static Object payload(Artifact artifact, ArtifactEvent event, UUID actorId, DigestUsage usage) {
        var fields = EventFields.of(artifact, actorId);
        if (event instanceof ArtifactEvent.Verified verified) {
            return new VerifiedEvent(fields, verified.from());
        }
        if (event instanceof ArtifactEvent.VerificationFailed failed) {
            return new VerificationFailedEvent(fields, failed.from(), failed.reason());
        }
        if (event instanceof ArtifactEvent.Promoted promoted) {
            return new PromotedEvent(fields, promoted.from());
        }
        if (event instanceof ArtifactEvent.MarkedDeprecated deprecated) {
            return new EndedEvent(fields, deprecated.reason());
        }
        if (event instanceof ArtifactEvent.Retired retired) {
            return new EndedEvent(fields, retired.reason());
        }
        if (event instanceof ArtifactEvent.Revoked revoked) {
            return new RevokedEvent(fields, revoked.from(), revoked.reason(), usage.total(), usage.instances());
        }
        return new RegisteredEvent(fields);
    }

    record AuditMetadata(
            String digest,
            String repository,
            Lifecycle lifecycleState,
            @Nullable Trust trustFrom,
            Trust trustTo,
            @Nullable Channel channel,
            boolean changed,
            @Nullable String reason) {
        /** {@code event} is null if the artifact already was in the requested state. */
        static AuditMetadata of(Artifact artifact, @Nullable ArtifactEvent event) {
            return new AuditMetadata(
                    artifact.digest().text(),
                    artifact.repository(),
                    artifact.lifecycle(),
                    trustFrom(artifact, event),
                    artifact.trust(),
                    artifact.channel(),
                    event != null,
                    event == null ? null : event.reason());
        }

        private static @Nullable Trust trustFrom(Artifact artifact, @Nullable ArtifactEvent event) {
            if (event instanceof ArtifactEvent.Registered) {
                return null;
            } else if (event instanceof ArtifactEvent.Verified verified) {
                return verified.from();
            } else if (event instanceof ArtifactEvent.VerificationFailed failed) {
                return failed.from();
            } else if (event instanceof ArtifactEvent.Revoked revoked) {
                return revoked.from();
            }
            return artifact.trust();
        }
    }
}
