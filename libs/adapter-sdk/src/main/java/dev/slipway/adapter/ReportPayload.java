package dev.slipway.adapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Outcome.Endpoint;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The payloads of the report events. Fields that are null are not written. */
sealed interface ReportPayload {

    /** The fields that every report on a command has. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CommandFields(
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            UUID commandId,
            int generation,
            @Nullable UUID operationId) {
        static CommandFields of(Task task) {
            return of(task, task.projectId());
        }

        static CommandFields of(Task task, @Nullable UUID projectId) {
            var shared = task.subject().kind() == TaskSubject.Kind.SHARED_RUNTIME;
            return new CommandFields(
                    task.orgId(),
                    projectId,
                    shared ? null : task.subjectId(),
                    shared ? task.subjectId() : null,
                    task.commandId(),
                    task.generation(),
                    task.operationId());
        }
    }

    record Accepted(@JsonUnwrapped CommandFields command) implements ReportPayload {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Deploying(
            @JsonUnwrapped CommandFields command, @Nullable String message) implements ReportPayload {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ProgressPayload(
            @JsonUnwrapped CommandFields command,
            @Nullable Integer percent,
            @Nullable String message,
            List<BlockerPayload> blockers)
            implements ReportPayload {}

    record BlockerPayload(String code, String message, Blocker.Turn turn) {}

    /** The outcome of an operation. */
    enum OperationStatus {
        SUCCEEDED,
        FAILED,
        CANCELED
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OperationResult(
            @JsonUnwrapped CommandFields command,
            OperationStatus status,
            @Nullable String reason,
            @Nullable List<Endpoint> endpoints,
            @Nullable ObjectNode output)
            implements ReportPayload {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record RunningPayload(
            @JsonUnwrapped CommandFields command,
            List<Endpoint> endpoints,
            @Nullable String appVersion) implements ReportPayload {}

    record FailedPayload(@JsonUnwrapped CommandFields command, String reason) implements ReportPayload {}

    record DeletedPayload(@JsonUnwrapped CommandFields command) implements ReportPayload {}

    record MembersPayload(@JsonUnwrapped CommandFields command, List<MemberPayload> members) implements ReportPayload {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record MemberPayload(
            UUID memberId,
            int generation,
            MemberState.State state,
            @Nullable String componentKey,
            @Nullable String reason,
            ObjectNode adapterDetail) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record UsagePayload(
            @JsonUnwrapped CommandFields command,
            UUID usageId,
            String unit,
            String quantity,
            Instant windowStart,
            Instant windowEnd,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId)
            implements ReportPayload {
        static UsagePayload of(Task task, UsageWindow usage) {
            var attribution = usage.attribution();
            return new UsagePayload(
                    CommandFields.of(task, attribution == null ? task.projectId() : attribution.projectId()),
                    usage.usageId(),
                    usage.unit(),
                    plain(usage.quantity()),
                    usage.windowStart(),
                    usage.windowEnd(),
                    attribution == null ? null : attribution.attachmentId(),
                    attribution == null ? null : attribution.sourceProjectId());
        }

        private static String plain(BigDecimal quantity) {
            return quantity.toPlainString();
        }
    }

    /** Not about a command. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record HeartbeatPayload(
            UUID adapterId,
            String runtimeBackend,
            Instant startedAt,
            String software,
            @Nullable String version,
            @Nullable String sourceCommit,
            int instances,
            int waiting)
            implements ReportPayload {}
}
