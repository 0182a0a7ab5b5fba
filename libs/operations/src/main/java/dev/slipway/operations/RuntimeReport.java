package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Envelope;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.ReportType;
import dev.slipway.operations.domain.SubjectKind;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** An authorized report of a runtime adapter. */
public record RuntimeReport(Principal principal, Envelope event, ReportType type, Payload payload) {

    /** Refuses a report on an unknown command, or one that names another operation than that of its command; null if it is neither. */
    public @Nullable Refusal checkOperation(@Nullable Operation operation) {
        if (operation == null) {
            return Refusal.invalid("command_id", "is not a command of this instance");
        }
        var named = payload.operationId();
        return named != null && !operation.id().equals(named)
                ? Refusal.invalid("operation_id", "is not the operation of this command")
                : null;
    }

    /**
     * Returns whether the report means that its subject runs the version that an operation leads to: the operation succeeded, or it ended
     * without success and the version runs nevertheless.
     *
     * @param currentGeneration the generation of the subject; a report on an earlier one is outdated
     */
    public boolean runsTargetVersion(@Nullable Operation operation, int currentGeneration) {
        if (operation == null || operation.toVersion() == null || payload.generation() < currentGeneration) {
            return false;
        }
        if (type == ReportType.OPERATION) {
            return payload.status() == Operation.Status.SUCCEEDED;
        }
        var late = operation.status() == Operation.Status.FAILED || operation.status() == Operation.Status.CANCELED;
        return type == ReportType.RUNNING
                && late
                && (payload.appVersion() == null || payload.appVersion().equals(operation.toVersion()));
    }

    /**
     * The payload of a report; which fields are present depends on the type.
     *
     * @param status the result of an operation
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Payload(
            UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            UUID commandId,
            @Nullable UUID operationId,
            int generation,
            @Nullable String appVersion,
            Operation.@Nullable Status status,
            @Nullable String reason,
            @Nullable Integer percent,
            @Nullable String message,
            @Nullable List<Blocker> blockers,
            @Nullable JsonNode endpoints,
            @Nullable JsonNode output,
            @Nullable List<MemberState> members,
            @Nullable String usageId,
            @Nullable String unit,
            @Nullable String quantity,
            @Nullable String windowStart,
            @Nullable String windowEnd,
            @Nullable UUID attachmentId,
            @Nullable UUID sourceProjectId) {

        /** Returns the kind of subject that the report is about; the contract ensures that it names exactly one. */
        public SubjectKind subjectKind() {
            return appInstanceId == null ? SubjectKind.SHARED_RUNTIME : SubjectKind.APP_INSTANCE;
        }

        public UUID subjectId() {
            return Objects.requireNonNull(appInstanceId == null ? sharedRuntimeId : appInstanceId);
        }
    }

    /** The reported state of a member. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record MemberState(
            UUID memberId,
            int generation,
            String state,
            @Nullable String componentKey,
            @Nullable JsonNode adapterDetail,
            @Nullable String reason) {}
}
