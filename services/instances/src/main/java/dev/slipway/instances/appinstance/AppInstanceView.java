package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.service.Reply;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** An app instance in responses; lists leave out {@code config} and {@code registry_versions}. */
record AppInstanceView(
        UUID id,
        String resourceName,
        UUID orgId,
        UUID projectId,
        String appSlug,
        String version,
        String displayName,
        String operatingMode,
        String controlPlaneScope,
        String tenantBoundaryMode,
        String runtimeBackend,
        SubjectState.Status status,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        UUID operatorServiceAccountId,
        @JsonRawValue String runtimeState,
        @Nullable String failureReason,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant deletedAt,
        PlacementJson placementIntent,
        @Nullable String policyVersion,

        @JsonRawValue @JsonInclude(Include.NON_NULL) @Nullable
        String config,

        @JsonRawValue @JsonInclude(Include.NON_NULL) @Nullable
        String registryVersions,

        @JsonInclude(Include.NON_NULL) @Nullable UUID operationId,
        @JsonInclude(Include.NON_NULL) @Nullable UUID sharedRuntimeId) {

    static AppInstanceView summary(AppInstance instance) {
        return of(instance, null, null, null);
    }

    /** Returns the instance with the operation that changes it; {@code operationId} is null if none does. */
    static AppInstanceView full(AppInstance instance, @Nullable UUID operationId) {
        return of(instance, instance.config(), instance.lifecycleSettings().registryVersions(), operationId);
    }

    /** Returns the reply to a request that changes the instance. */
    static Reply reply(AppInstance instance, @Nullable UUID operationId) {
        return Reply.ofRecord(full(instance, operationId), instance.ref().path());
    }

    private static AppInstanceView of(
            AppInstance i, @Nullable String config, @Nullable String registryVersions, @Nullable UUID operationId) {
        return new AppInstanceView(
                i.id(),
                i.resourceName(),
                i.orgId(),
                i.projectId(),
                i.app().slug(),
                i.app().version(),
                i.displayName(),
                i.operatingMode(),
                i.controlPlaneScope(),
                i.tenantBoundaryMode(),
                i.app().runtimeBackend(),
                i.status(),
                i.requestedByUserId(),
                i.requestedByPrincipalId(),
                i.operatorServiceAccountId(),
                i.state().runtimeState(),
                i.state().failureReason(),
                i.createdAt(),
                i.state().updatedAt(),
                i.state().deletedAt(),
                PlacementJson.of(i.placement()),
                i.policyVersion(),
                config,
                registryVersions,
                operationId,
                i.sharedRuntimeId());
    }
}
