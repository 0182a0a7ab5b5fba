package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.AttachmentEvent;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEvent;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.operations.domain.SubjectState;
import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;

/** The payload of a shared runtime's events: its state after the event, and what is particular to the event. */
record SharedRuntimeEventPayload(
        UUID orgId,
        String appSlug,
        UUID sharedRuntimeId,
        long sequence,
        int generation,
        SubjectState.Status status,
        String environment,
        String appVersion,
        String displayName,
        String resourceName,
        String operatingMode,
        String controlPlaneScope,
        String runtimeBackend,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        UUID operatorId,
        PlacementJson placementIntent,
        @Nullable String policyVersion,
        @JsonRawValue String runtimeState,
        @Nullable String failureReason,
        @JsonInclude(Include.NON_NULL) @Nullable Boolean createsOperator,
        @JsonInclude(Include.NON_NULL) @Nullable JsonNode endpoints,
        @JsonInclude(Include.NON_NULL) @Nullable String fromVersion,
        @JsonInclude(Include.NON_NULL) @Nullable UUID operationId) {
    static final String WORKER_CHANGED = "apps.shared_runtime.worker.changed";

    /** The payload of an attachment's events. */
    private record AttachmentPayload(
            UUID orgId,
            String appSlug,
            UUID sharedRuntimeId,
            long sequence,
            UUID projectId,
            UUID attachmentId,
            Attachment.Status status,
            AttachmentPolicyJson.Contribution contributionPolicy,
            AttachmentPolicyJson.Submission submissionPolicy,
            @Nullable String billingPolicyRef,
            @Nullable String failureReason) {}

    /** The payload of a worker's events. */
    private record WorkerPayload(
            UUID orgId,
            String appSlug,
            UUID sharedRuntimeId,
            long sequence,
            UUID workerId,
            String component,
            Worker.Source source,
            int generation,
            Member.DesiredState desiredState,
            Member.ObservedState observedState,
            @JsonInclude(Include.NON_NULL) @Nullable UUID projectId,
            @JsonInclude(Include.NON_NULL) @Nullable UUID sourceProjectId,
            @JsonInclude(Include.NON_NULL) @Nullable UUID attachmentId,
            @JsonInclude(Include.NON_NULL) @Nullable String allocationRef,
            @Nullable String componentKey,
            @Nullable String reason,
            @Nullable UUID operationId) {}

    static String type(SharedRuntimeEvent event) {
        return "apps.shared_runtime." + event.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    static String type(AttachmentEvent event) {
        return "apps.shared_runtime.attachment." + event.text();
    }

    static ObjectNode of(SharedRuntime r, SharedRuntimeEvent event, long sequence) {
        var upgraded = event instanceof SharedRuntimeEvent.Upgraded of ? of : null;
        var showsEndpoints = upgraded != null || event instanceof SharedRuntimeEvent.Running;
        return Json.toObject(new SharedRuntimeEventPayload(
                r.orgId(),
                r.app().slug(),
                r.id(),
                sequence,
                r.generation(),
                r.status(),
                r.environment(),
                r.app().version(),
                r.displayName(),
                r.resourceName(),
                SharedRuntime.OPERATING_MODE,
                SharedRuntime.CONTROL_PLANE_SCOPE,
                r.app().runtimeBackend(),
                r.requestedByUserId(),
                r.requestedByPrincipalId(),
                r.operatorId(),
                PlacementJson.of(r.placement()),
                r.policyVersion(),
                r.state().runtimeState(),
                r.state().failureReason(),
                event instanceof SharedRuntimeEvent.Requested requested ? requested.createsOperator() : null,
                showsEndpoints
                        ? Json.parseStoredObject(r.state().runtimeState()).withArray("endpoints")
                        : null,
                upgraded == null ? null : upgraded.fromVersion(),
                upgraded == null ? null : upgraded.operationId()));
    }

    static ObjectNode of(SharedRuntime r, Attachment a, long sequence) {
        return Json.toObject(new AttachmentPayload(
                r.orgId(),
                r.app().slug(),
                r.id(),
                sequence,
                a.projectId(),
                a.id(),
                a.status(),
                AttachmentPolicyJson.Contribution.of(a.contributionOr(r.contribution())),
                AttachmentPolicyJson.Submission.of(a.submissionOr(r.submission())),
                a.billingPolicyRef(),
                a.failureReason()));
    }

    static ObjectNode of(SharedRuntime r, Worker w, @Nullable UUID operationId, long sequence) {
        var m = w.member();
        return Json.toObject(new WorkerPayload(
                r.orgId(),
                r.app().slug(),
                r.id(),
                sequence,
                m.id(),
                m.component(),
                w.source(),
                m.generation(),
                m.desired(),
                m.observed(),
                w.projectId(),
                w.projectId(),
                w.attachmentId(),
                w.allocationRef(),
                m.componentKey(),
                m.reason(),
                operationId));
    }
}
