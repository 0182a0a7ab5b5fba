package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.AttachmentRequests.Exceeding;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.policy.EffectivePolicy;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An attachment in responses, with the policies that apply to it. */
record AttachmentView(
        UUID id,
        UUID sharedRuntimeId,
        UUID orgId,
        UUID projectId,
        Attachment.Status status,
        AttachmentPolicyJson.Contribution contributionPolicy,
        AttachmentPolicyJson.Submission submissionPolicy,
        @JsonRawValue String appPolicy,
        @Nullable String billingPolicyRef,
        @Nullable String failureReason,
        int revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant detachedAt,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable UUID operationId,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Exceeding exceeding) {

    /** A worker in responses. */
    record WorkerView(
            UUID id,
            UUID sharedRuntimeId,
            UUID orgId,
            String component,
            Worker.Source source,
            @Nullable UUID sourceProjectId,
            @Nullable UUID attachmentId,
            @Nullable String allocationRef,
            @Nullable String region,
            @Nullable String sku,
            int generation,
            Member.DesiredState desiredState,
            Member.ObservedState observedState,
            @Nullable String componentKey,
            @JsonRawValue String adapterDetail,
            @Nullable String reason,
            Map<String, String> labels,
            boolean cordoned,
            Instant createdAt,
            Instant updatedAt) {}

    /** A shared runtime as an attached project sees it. */
    private record AttachedRuntimeView(
            UUID id,
            UUID orgId,
            String environment,
            String appSlug,
            String appVersion,
            String displayName,
            String runtimeBackend,
            SubjectState.Status status,
            JsonNode endpoints,
            ObjectNode attachment,
            List<ObjectNode> workers,
            List<PolicyValue> policies) {}

    /** A value that applies to a project, and what set it. */
    private record PolicyValue(String key, JsonNode value, String setBy) {}

    static ObjectNode of(Attachment attachment, SharedRuntime runtime, @Nullable UUID operationId) {
        return Json.toObject(toView(attachment, runtime, operationId, null));
    }

    static ObjectNode of(Attachment attachment, SharedRuntime runtime, Exceeding exceeding) {
        return Json.toObject(toView(attachment, runtime, null, exceeding));
    }

    private static AttachmentView toView(
            Attachment a, SharedRuntime runtime, @Nullable UUID operationId, @Nullable Exceeding exceeding) {
        return new AttachmentView(
                a.id(),
                a.sharedRuntimeId(),
                a.orgId(),
                a.projectId(),
                a.status(),
                AttachmentPolicyJson.Contribution.of(a.contributionOr(runtime.contribution())),
                AttachmentPolicyJson.Submission.of(a.submissionOr(runtime.submission())),
                a.appPolicy(),
                a.billingPolicyRef(),
                a.failureReason(),
                a.revision(),
                a.createdAt(),
                a.updatedAt(),
                a.detachedAt(),
                operationId,
                exceeding);
    }

    static ObjectNode worker(Worker w) {
        var m = w.member();
        return Json.toObject(new WorkerView(
                m.id(),
                m.subject().id(),
                m.subject().orgId(),
                m.component(),
                w.source(),
                w.projectId(),
                w.attachmentId(),
                w.allocationRef(),
                w.region(),
                w.sku(),
                m.generation(),
                m.desired(),
                m.observed(),
                m.componentKey(),
                m.adapterDetail(),
                m.reason(),
                m.labels(),
                m.cordoned(),
                m.createdAt(),
                m.updatedAt()));
    }

    /** Returns the runtime as the project of the attachment sees it; its endpoints are shown to those who may submit operations. */
    static ObjectNode consumer(
            SharedRuntime r,
            Attachment attachment,
            List<Worker> workers,
            ManifestSpec manifest,
            @Nullable EffectivePolicy policy) {
        var endpoints = Json.parseStoredObject(r.state().runtimeState()).path("endpoints");
        var maySubmit = attachment.status() == Attachment.Status.ATTACHED
                && attachment.submissionOr(r.submission()).allowed();
        return Json.toObject(new AttachedRuntimeView(
                r.id(),
                r.orgId(),
                r.environment(),
                r.app().slug(),
                r.app().version(),
                r.displayName(),
                r.app().runtimeBackend(),
                r.status(),
                maySubmit && endpoints.isArray() ? endpoints : Json.array(),
                of(attachment, r, (UUID) null),
                workers.stream().map(AttachmentView::worker).toList(),
                policies(r, attachment, manifest, policy)));
    }

    private static List<PolicyValue> policies(
            SharedRuntime runtime, Attachment attachment, ManifestSpec manifest, @Nullable EffectivePolicy policy) {
        var values = new ArrayList<PolicyValue>();
        var contribution =
                Json.toObject(AttachmentPolicyJson.Contribution.of(attachment.contributionOr(runtime.contribution())));
        for (var key : List.of("allowed", "max_workers", "allowed_skus", "allowed_regions")) {
            values.add(value("contribution_policy." + key, contribution.get(key), attachment.contribution() != null));
        }
        var submission =
                Json.toObject(AttachmentPolicyJson.Submission.of(attachment.submissionOr(runtime.submission())));
        values.add(value("submission_policy.allowed", submission.get("allowed"), attachment.submission() != null));
        var operations = submission.get("operations");
        values.add(
                operations == null
                        ? new PolicyValue(
                                "submission_policy.operations",
                                Json.toObject(new Names(manifest.sharedRuntime().projectOperations().stream()
                                                .sorted()
                                                .toList()))
                                        .path("names"),
                                "manifest")
                        : value("submission_policy.operations", operations, attachment.submission() != null));
        values.add(value(
                "submission_policy.max_concurrent", submission.get("max_concurrent"), attachment.submission() != null));
        if (policy != null) {
            policy.effectiveValues().forEach(each -> values.add(platformValue(each)));
        }
        return values;
    }

    private static PolicyValue platformValue(EffectivePolicy.EffectiveValue effective) {
        var value = effective.value();
        var setBy = effective.setBy();
        return new PolicyValue(
                effective.key().id(),
                value == null ? NullNode.getInstance() : value.json(),
                setBy == null ? "registry" : setBy.level().text());
    }

    private record Names(List<String> names) {}

    private static PolicyValue value(String key, @Nullable JsonNode value, boolean own) {
        return new PolicyValue(
                key, value == null ? NullNode.getInstance() : value, own ? "attachment" : "shared_runtime");
    }
}
