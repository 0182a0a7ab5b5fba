package dev.slipway.operations.domain;

import java.util.List;
import java.util.Map;

/**
 * The reason why a change is refused.
 *
 * @param code of the error catalogue
 * @param details additional fields of the error
 * @param fields the invalid fields of the request; empty unless the request is invalid
 * @param blockers what has to end first; empty unless something depends on the subject
 */
public record Refusal(
        String code,
        String message,
        Map<String, String> details,
        List<InvalidField> fields,
        List<Operation.Blocker> blockers) {

    /** A field of a request that is invalid. */
    public record InvalidField(String field, String problem) {}

    /** Refuses without blockers. */
    public Refusal(String code, String message, Map<String, String> details, List<InvalidField> fields) {
        this(code, message, details, fields, List.of());
    }

    public static Refusal of(String code, String message) {
        return new Refusal(code, message, Map.of(), List.of());
    }

    public static Refusal invalid(String field, String problem) {
        return new Refusal("validation_error", "", Map.of(), List.of(new InvalidField(field, problem)));
    }

    /** Refuses a change while another operation is in progress. */
    public static Refusal operationInProgress(Operation other) {
        return new Refusal(
                "operation_in_progress",
                "Operation " + other.id() + " (" + other.name()
                        + ") is still in progress. Wait until it ends, or cancel it.",
                Map.of(
                        "operation_id",
                        other.id().toString(),
                        "kind",
                        other.kind().text(),
                        "operation",
                        other.name()),
                List.of());
    }
}
