package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.service.Reply;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** A shared runtime in responses; lists leave out the config, the policies and {@code registry_versions}. */
record SharedRuntimeView(
        UUID id,
        String resourceName,
        UUID orgId,
        String environment,
        String appSlug,
        String appVersion,
        String displayName,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        SubjectState.Status status,
        UUID operatorId,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        PlacementJson placementIntent,
        @JsonRawValue String runtimeState,
        @Nullable String failureReason,
        int generation,
        @Nullable String policyVersion,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant deletedAt,

        @JsonRawValue @JsonInclude(Include.NON_NULL) @Nullable
        String config,

        @JsonInclude(Include.NON_NULL) AttachmentPolicyJson.@Nullable Contribution contributionPolicy,
        @JsonInclude(Include.NON_NULL) AttachmentPolicyJson.@Nullable Submission submissionPolicy,

        @JsonRawValue @JsonInclude(Include.NON_NULL) @Nullable
        String registryVersions,

        @JsonInclude(Include.NON_NULL) @Nullable UUID operationId) {

    static ObjectNode summary(SharedRuntime runtime) {
        return Json.toObject(of(runtime, false, null));
    }

    /** Returns the runtime with the operation that changes it; {@code operationId} is null if none does. */
    static ObjectNode full(SharedRuntime runtime, @Nullable UUID operationId) {
        return Json.toObject(of(runtime, true, operationId));
    }

    static Reply reply(SharedRuntime runtime, @Nullable UUID operationId) {
        return Reply.of(full(runtime, operationId), runtime.ref().path());
    }

    private static SharedRuntimeView of(SharedRuntime r, boolean full, @Nullable UUID operationId) {
        return new SharedRuntimeView(
                r.id(),
                r.resourceName(),
                r.orgId(),
                r.environment(),
                r.app().slug(),
                r.app().version(),
                r.displayName(),
                SharedRuntime.OPERATING_MODE,
                SharedRuntime.CONTROL_PLANE_SCOPE,
                r.app().runtimeBackend(),
                r.status(),
                r.operatorId(),
                r.requestedByUserId(),
                r.requestedByPrincipalId(),
                PlacementJson.of(r.placement()),
                r.state().runtimeState(),
                r.state().failureReason(),
                r.generation(),
                r.policyVersion(),
                r.createdAt(),
                r.state().updatedAt(),
                r.state().deletedAt(),
                full ? r.config() : null,
                full ? AttachmentPolicyJson.Contribution.of(r.contribution()) : null,
                full ? AttachmentPolicyJson.Submission.of(r.submission()) : null,
                full ? r.lifecycleSettings().registryVersions() : null,
                operationId);
    }
}
