package dev.slipway.instances.sharedruntime;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.AppCall;
import dev.slipway.instances.sharedruntime.domain.Worker;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The payload of a command about a shared runtime; which fields it has depends on the command. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SharedRuntimeCommandPayload(
        UUID orgId,
        String appSlug,
        UUID sharedRuntimeId,
        int generation,
        String runtimeBackend,
        String appVersion,
        String resourceName,
        UUID operatorId,
        @Nullable PlacementJson placementIntent,
        @JsonRawValue @Nullable String manifest,
        @JsonRawValue @Nullable String config,
        @Nullable String fromVersion,
        @Nullable List<CommandWorker> members,
        @Nullable List<CommandAttachment> attachments,
        @Nullable String operation,
        @Nullable CommandWorker member,
        @Nullable CommandWorker replacement,
        @Nullable Map<String, String> labels,
        UUID operationId,
        Instant deadlineAt,
        @JsonRawValue @Nullable String input,
        @Nullable Submitter submittedBy,
        @Nullable UUID canceledCommandId) {

    /** A worker in a command. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CommandWorker(
            UUID memberId,
            String component,
            int generation,
            @Nullable String componentKey,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> labels,
            @Nullable Boolean cordoned,
            Worker.Source source,
            @Nullable UUID sourceProjectId,
            @Nullable UUID attachmentId,
            @Nullable String allocationRef,
            @Nullable String region,
            @Nullable String sku) {
        static CommandWorker of(Worker worker) {
            var member = worker.member();
            return new CommandWorker(
                    member.id(),
                    member.component(),
                    member.generation(),
                    member.componentKey(),
                    member.labels(),
                    member.cordoned() ? true : null,
                    worker.source(),
                    worker.projectId(),
                    worker.attachmentId(),
                    worker.allocationRef(),
                    worker.region(),
                    worker.sku());
        }
    }

    /** An attachment in a command. */
    record CommandAttachment(
            UUID attachmentId,
            UUID projectId,
            AttachmentPolicyJson.Contribution contributionPolicy,
            AttachmentPolicyJson.Submission submissionPolicy,
            @JsonRawValue String appPolicy) {
        static CommandAttachment of(Attachment attachment, SharedRuntime runtime) {
            return new CommandAttachment(
                    attachment.id(),
                    attachment.projectId(),
                    AttachmentPolicyJson.Contribution.of(attachment.contributionOr(runtime.contribution())),
                    AttachmentPolicyJson.Submission.of(attachment.submissionOr(runtime.submission())),
                    attachment.appPolicy());
        }
    }

    /** The principal that runs an operation, and its project. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Submitter(@Nullable UUID projectId, @Nullable UUID attachmentId, String principalType, UUID principalId) {
        static Submitter of(AppCall call) {
            var submitter = call.submitter();
            return new Submitter(
                    submitter.projectId(), submitter.attachmentId(), submitter.principalType(), call.principalId());
        }
    }

    static ObjectNode of(SharedRuntimeCommand command) {
        var r = command.runtime();
        var deployment = command.deployment();
        var workerCall = command.workerCall();
        var appCall = command.appCall();
        var replacement = workerCall == null ? null : workerCall.replacement();
        return Json.toObject(new SharedRuntimeCommandPayload(
                r.orgId(),
                r.app().slug(),
                r.id(),
                r.generation(),
                r.app().runtimeBackend(),
                deployment == null ? r.app().version() : deployment.appVersion(),
                r.resourceName(),
                r.operatorId(),
                deployment == null ? null : PlacementJson.of(r.placement()),
                deployment == null ? null : deployment.manifest(),
                deployment == null ? null : deployment.config(),
                deployment == null ? null : deployment.fromVersion(),
                deployment == null || deployment.workers().isEmpty()
                        ? null
                        : deployment.workers().stream().map(CommandWorker::of).toList(),
                attachments(command),
                workerCall != null ? workerCall.operation().text() : appCall != null ? appCall.operation() : null,
                workerCall == null ? null : CommandWorker.of(workerCall.worker()),
                replacement == null ? null : CommandWorker.of(replacement),
                workerCall != null && workerCall.operation() == MemberOperation.LABEL ? workerCall.labels() : null,
                command.operationId(),
                command.deadlineAt(),
                appCall == null ? null : appCall.input(),
                appCall == null ? null : Submitter.of(appCall),
                command.canceledCommandId()));
    }

    /** Detached projects are left out. */
    private static @Nullable List<CommandAttachment> attachments(SharedRuntimeCommand command) {
        var present = command.attachments().stream()
                .filter(attachment -> attachment.status() != Attachment.Status.DETACHED)
                .map(attachment -> CommandAttachment.of(attachment, command.runtime()))
                .toList();
        return present.isEmpty() ? null : present;
    }
}
