package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Subject;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The JSON of operations: responses, events and stored blockers. */
public final class OperationJson {
    private OperationJson() {}

    /** An operation in responses. */
    public record OperationView(
            UUID id,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID appInstanceId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID sharedRuntimeId,

            UUID orgId,
            @Nullable UUID projectId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID attachmentId,

            Operation.Kind kind,
            String operation,
            String action,
            Operation.Status status,
            @Nullable Integer percent,
            @Nullable String message,
            List<Blocker> blockers,
            @JsonRawValue @Nullable String input,
            @JsonRawValue @Nullable String output,
            @Nullable String reason,
            @Nullable UUID memberId,
            @Nullable String fromVersion,
            @Nullable String toVersion,
            UUID requestedByUserId,
            UUID requestedByPrincipalId,
            String correlationId,
            boolean cancelRequested,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            Instant deadlineAt) {
        static OperationView of(Operation o, List<Blocker> blockers) {
            return new OperationView(
                    o.id(),
                    OperationJson.id(o.subject(), SubjectKind.APP_INSTANCE),
                    OperationJson.id(o.subject(), SubjectKind.SHARED_RUNTIME),
                    o.subject().orgId(),
                    OperationJson.projectId(o),
                    OperationJson.attachmentId(o),
                    o.kind(),
                    o.name(),
                    o.action(),
                    o.status(),
                    o.progress().percent(),
                    o.progress().message(),
                    blockers,
                    o.input(),
                    o.output(),
                    o.reason(),
                    o.memberId(),
                    o.fromVersion(),
                    o.toVersion(),
                    o.requestedByUserId(),
                    o.requestedByPrincipalId(),
                    o.correlationId(),
                    o.cancelCommandId() != null,
                    o.createdAt(),
                    o.startedAt(),
                    o.endedAt(),
                    o.deadlineAt());
        }
    }

    /** The payload of an operation's events. */
    record OperationEventPayload(
            UUID orgId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID projectId,

            String appSlug,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID appInstanceId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID sharedRuntimeId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID attachmentId,

            long sequence,
            UUID operationId,
            Operation.Kind kind,
            String operation,
            Operation.Status status,
            UUID requestedByPrincipalId,
            Instant deadlineAt,
            int generation,
            @Nullable Integer percent,
            @Nullable String message,
            List<Blocker> blockers,
            @Nullable String reason,
            @Nullable UUID memberId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID commandId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID cancelCommandId) {}

    public static ObjectNode view(Operation operation) {
        return view(operation, operation.progress().blockers());
    }

    static ObjectNode view(Operation operation, List<Blocker> blockers) {
        return Json.toObject(OperationView.of(operation, blockers));
    }

    /** Returns the payload of an event; the subject's sequence is the number of that event. */
    public static ObjectNode event(Subject subject, Operation o) {
        return Json.toObject(new OperationEventPayload(
                subject.ref().orgId(),
                projectId(o),
                subject.appSlug(),
                id(subject.ref(), SubjectKind.APP_INSTANCE),
                id(subject.ref(), SubjectKind.SHARED_RUNTIME),
                attachmentId(o),
                subject.sequence(),
                o.id(),
                o.kind(),
                o.name(),
                o.status(),
                o.requestedByPrincipalId(),
                o.deadlineAt(),
                subject.generation(),
                o.progress().percent(),
                o.progress().message(),
                o.progress().blockers(),
                o.reason(),
                o.memberId(),
                o.commandId(),
                o.cancelCommandId()));
    }

    static List<Blocker> parseBlockers(String stored) {
        return List.of(Json.toRecord(Json.parseTrusted(stored.getBytes(StandardCharsets.UTF_8)), Blocker[].class));
    }

    private static @Nullable UUID id(SubjectRef subject, SubjectKind kind) {
        return subject.kind() == kind ? subject.id() : null;
    }

    private static @Nullable UUID projectId(Operation operation) {
        var attribution = operation.attribution();
        return attribution == null ? operation.subject().projectId() : attribution.projectId();
    }

    private static @Nullable UUID attachmentId(Operation operation) {
        var attribution = operation.attribution();
        return attribution == null ? null : attribution.attachmentId();
    }
}
