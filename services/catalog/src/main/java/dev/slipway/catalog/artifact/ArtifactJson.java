package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.catalog.artifact.domain.Verification.Check;
import dev.slipway.catalog.artifact.domain.Verification.Result;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;
import java.util.UUID;

/** Artifacts as the contract writes them: to callers, in events, in the audit trail. */
final class ArtifactJson {
    private ArtifactJson() {}

    static ObjectNode full(Artifact artifact) {
        var node = Json.object();
        node.put("id", artifact.id().toString());
        node.put("resource_name", artifact.resourceName());
        node.put("org_id", artifact.orgId().toString());
        node.put("project_id", artifact.projectId().toString());
        node.put("app_slug", artifact.appSlug());
        node.put("artifact_type", artifact.artifactType());
        node.put("artifact_type_version", artifact.artifactTypeVersion());
        node.put("artifact_kind", artifact.kind().text());
        node.set("source", source(artifact.source()));
        node.put("repository", artifact.repository());
        node.put("tag", artifact.tag());
        node.put("digest", artifact.digest().text());
        node.put("digest_algorithm", "sha256");
        node.put("media_type", artifact.mediaType());
        node.put("size_bytes", artifact.sizeBytes());
        node.put("visibility", artifact.visibility().text());
        node.put("lifecycle_state", artifact.lifecycle().text());
        node.put("trust_state", artifact.trust().text());
        node.put("trust_reason", artifact.trustReason());
        node.put("channel", text(artifact.channel()));
        var found = artifact.verification();
        node.set("verification", found == null ? null : verification(found));
        node.put("created_by_principal_id", artifact.createdByPrincipalId().toString());
        node.put("created_by_user_id", artifact.createdByUserId().toString());
        node.put("created_at", artifact.createdAt().toString());
        node.put("updated_at", artifact.updatedAt().toString());
        return node;
    }

    static ObjectNode verification(Verification found) {
        var node = Json.object().put("checked_at", found.checkedAt().toString());
        var checks = node.putArray("checks");
        found.checks().forEach(check -> checks.addObject()
                .put("check", check.name())
                .put("result", check.result().name().toLowerCase(Locale.ROOT))
                .put("reason", check.reason()));
        return node;
    }

    /** What {@link #verification(Verification)} wrote. */
    static Verification verification(JsonNode node) {
        var checks = new ArrayList<Check>();
        for (var check : node.path("checks")) {
            checks.add(new Check(
                    check.path("check").asText(),
                    Result.valueOf(check.path("result").asText().toUpperCase(Locale.ROOT)),
                    check.path("reason").textValue()));
        }
        return new Verification(Instant.parse(node.path("checked_at").asText()), checks);
    }

    /** For the topic; what revokes a digest also names what runs with it. */
    static ObjectNode event(Artifact artifact, ArtifactEvent event, UUID actorId) {
        var node = Json.object();
        node.put("org_id", artifact.orgId().toString());
        node.put("project_id", artifact.projectId().toString());
        node.put("artifact_id", artifact.id().toString());
        node.put("sequence", artifact.sequence());
        node.put("digest", artifact.digest().text());
        node.put("artifact_type", artifact.artifactType());
        node.put("artifact_kind", artifact.kind().text());
        node.put("source_type", artifact.source().sourceType());
        node.put("repository", artifact.repository());
        node.put("app_slug", artifact.appSlug());
        node.put("lifecycle_state", artifact.lifecycle().text());
        node.put("trust_state", artifact.trust().text());
        node.put("channel", text(artifact.channel()));
        node.put("actor_principal_id", actorId.toString());
        if (event instanceof ArtifactEvent.Verified verified) {
            node.put("trust_from", verified.from().text());
        } else if (event instanceof ArtifactEvent.VerificationFailed failed) {
            node.put("trust_from", failed.from().text()).put("reason", failed.reason());
        } else if (event instanceof ArtifactEvent.Promoted promoted) {
            node.put("channel_from", text(promoted.from()));
        } else if (event instanceof ArtifactEvent.Revoked revoked) {
            node.put("trust_from", revoked.from().text()).put("reason", revoked.reason());
        } else if (event instanceof ArtifactEvent.Discouraged || event instanceof ArtifactEvent.Retired) {
            node.put("reason", event.reason());
        }
        return node;
    }

    private static ObjectNode source(Artifact.Source source) {
        var node = Json.object().put("source_type", source.sourceType()).put("uri", source.uri());
        if (source.sourceRef() != null) {
            node.put("source_ref", source.sourceRef());
        }
        if (source.sizeBytes() != null) {
            node.put("size_bytes", source.sizeBytes());
        }
        if (source.contentEncoding() != null) {
            node.put("content_encoding", source.contentEncoding());
        }
        return node;
    }

    private static @Nullable String text(@Nullable Channel channel) {
        return channel == null ? null : channel.text();
    }
}
