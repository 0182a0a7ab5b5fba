package dev.slipway.instances.member;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.operations.domain.Operation;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The JSON of members: responses, and the requests and stored inputs of member operations. */
public final class MemberJson {
    private MemberJson() {}

    /** A member in responses. */
    private record MemberView(
            UUID id,
            UUID appInstanceId,
            @Nullable UUID projectId,
            String component,
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

    /** The stored input of a member operation. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record StoredInput(
            @Nullable UUID memberId,
            @Nullable String component,
            @Nullable UUID replacementId,
            @Nullable Map<String, String> labels) {}

    public static ObjectNode view(Member m) {
        return Json.toObject(new MemberView(
                m.id(),
                m.subject().id(),
                m.subject().projectId(),
                m.component(),
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

    public static String writeInput(MemberOperationInput input) {
        return Json.text(new StoredInput(
                input.memberId(),
                input.component(),
                input.replacementId(),
                input.labels().isEmpty() ? null : input.labels()));
    }

    /** Returns the input of a member operation; an empty one for an operation of another kind, or none. */
    public static MemberOperationInput readInput(@Nullable Operation operation) {
        var stored = operation == null || operation.kind() != Operation.Kind.MEMBER ? null : operation.input();
        if (stored == null) {
            return MemberOperationInput.NONE;
        }
        var input = Json.toRecord(Json.parseStoredObject(stored), StoredInput.class);
        var labels = input.labels();
        return new MemberOperationInput(
                input.memberId(), input.component(), input.replacementId(), labels == null ? Map.of() : labels);
    }

    public static Map<String, String> readLabels(String stored) {
        var labels = new HashMap<String, String>();
        Json.parseStoredObject(stored)
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    /**
     * Rejects the body of a member or worker operation that lacks a field of its operation, or has one of another.
     *
     * @param idField the field that names the member, unless it is added
     * @param additionFields further fields that are allowed only if a member is added
     */
    public static void requireFields(
            JsonNode body, MemberOperation operation, String idField, List<String> additionFields) {
        var adds = operation == MemberOperation.ADD;
        require(body, "component", adds);
        require(body, idField, !adds);
        additionFields.stream().filter(field -> !adds && body.has(field)).forEach(field -> {
            throw notAllowed(field);
        });
        if (operation == MemberOperation.LABEL) {
            require(body, "labels", true);
        } else if (body.has("labels") && !adds) {
            throw notAllowed("labels");
        }
    }

    private static void require(JsonNode body, String field, boolean wanted) {
        if (wanted && !body.has(field)) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/" + field, "is required for this operation")
                    .asException();
        }
        if (!wanted && body.has(field)) {
            throw notAllowed(field);
        }
    }

    private static RuntimeException notAllowed(String field) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/" + field, "is not allowed for this operation")
                .asException();
    }
}
