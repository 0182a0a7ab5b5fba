package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.operations.domain.SubjectState;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/** The payload of an instance's events: its state after the event, and what is particular to the event. */
record InstanceEventPayload(
        UUID orgId,
        UUID projectId,
        String appSlug,
        UUID appInstanceId,
        @JsonInclude(Include.NON_NULL) @Nullable UUID sharedRuntimeId,
        long sequence,
        int generation,
        SubjectState.Status status,
        String appVersion,
        String displayName,
        String resourceName,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        UUID requestedByUserId,
        UUID operatorServiceAccountId,
        PlacementJson placementIntent,
        @Nullable String policyVersion,
        UUID requestedByPrincipalId,
        @JsonRawValue String runtimeState,
        @Nullable String failureReason,
        @JsonInclude(Include.NON_NULL) @Nullable String fromVersion,
        @JsonInclude(Include.NON_NULL) @Nullable UUID operationId,
        @JsonInclude(Include.NON_NULL) @Nullable JsonNode endpoints,
        @JsonInclude(Include.NON_NULL) @Nullable String reason) {
    private static final Pattern WORD_BOUNDARY = Pattern.compile("(?<=[a-z])(?=[A-Z])");

    /** Fields that are stored in the history and not published: the config belongs to the tenant. */
    private record PrivateFields(
            @JsonRawValue String config,
            String tenantBoundaryMode,

            @JsonRawValue @JsonInclude(Include.NON_NULL) @Nullable
            String registryVersions) {}

    static String type(InstanceEvent event) {
        var name = event.getClass().getSimpleName();
        return "apps.instance." + WORD_BOUNDARY.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
    }

    static ObjectNode of(AppInstance i, InstanceEvent event, long sequence) {
        String fromVersion = null;
        UUID operationId = null;
        JsonNode endpoints = null;
        String reason = null;
        var failureReason = i.state().failureReason();
        if (event instanceof InstanceEvent.Running) {
            var reported = Json.parseStoredObject(i.state().runtimeState()).get("endpoints");
            endpoints = reported == null ? NullNode.getInstance() : reported;
        } else if (event instanceof InstanceEvent.Upgraded upgraded) {
            fromVersion = upgraded.fromVersion();
            operationId = upgraded.operationId();
            endpoints = Json.parseStoredObject(i.state().runtimeState()).withArray("endpoints");
        } else if (event instanceof InstanceEvent.ForceDeleted forced) {
            reason = forced.reason();
        } else if (event instanceof InstanceEvent.Failed failed) {
            failureReason = failed.reason();
        }
        return Json.toObject(new InstanceEventPayload(
                i.orgId(),
                i.projectId(),
                i.app().slug(),
                i.id(),
                i.sharedRuntimeId(),
                sequence,
                i.generation(),
                i.status(),
                i.app().version(),
                i.displayName(),
                i.resourceName(),
                i.operatingMode(),
                i.controlPlaneScope(),
                i.app().runtimeBackend(),
                i.requestedByUserId(),
                i.operatorServiceAccountId(),
                PlacementJson.of(i.placement()),
                i.policyVersion(),
                i.requestedByPrincipalId(),
                i.state().runtimeState(),
                failureReason,
                fromVersion,
                operationId,
                endpoints,
                reason));
    }

    static ObjectNode privateFields(AppInstance instance, InstanceEvent event) {
        return event instanceof InstanceEvent.Requested || event instanceof InstanceEvent.Upgraded
                ? Json.toObject(new PrivateFields(
                        instance.config(),
                        instance.tenantBoundaryMode(),
                        instance.lifecycleSettings().registryVersions()))
                : Json.object();
    }
}
