package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;

/** An expected failure, as it is returned to the client. Bugs and outages are exceptions instead. */
public record Problem(ErrorCode code, String message, ObjectNode details) {
    /** Validation stops soon after it has found more problems than this. */
    static final int MAX_FIELDS = 20;

    /** Names of fields are the client's own; a response must not repeat them at any length. */
    private static final int MAX_FIELD_LENGTH = 300;

    public static Problem of(ErrorCode code, String message) {
        return new Problem(code, message, Json.object());
    }

    public static Problem validationOf(ErrorCode code, String field, String problem) {
        return new Problem(
                code, shorten(field) + " " + problem, fieldDetails(List.of(new FieldProblem(field, problem))));
    }

    public static Problem validation(List<FieldProblem> problems) {
        return validationOf(ErrorCode.VALIDATION_ERROR, problems);
    }

    public static Problem validationOf(ErrorCode code, List<FieldProblem> problems) {
        var first = problems.get(0);
        var more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
        return new Problem(code, shorten(first.field()) + ": " + first.problem() + more, fieldDetails(problems));
    }

    private static ObjectNode fieldDetails(List<FieldProblem> problems) {
        var details = Json.object();
        var fields = details.putArray("fields");
        problems.stream().limit(MAX_FIELDS).forEach(problem -> fields.addObject()
                .put("field", shorten(problem.field()))
                .put("problem", problem.problem()));
        if (problems.size() > MAX_FIELDS) {
            details.put("field_count", problems.size());
        }
        return details;
    }

    private static String shorten(String field) {
        return field.length() > MAX_FIELD_LENGTH ? field.substring(0, MAX_FIELD_LENGTH) + "…" : field;
    }

    public ProblemException asException() {
        return new ProblemException(this);
    }

    /** A problem with one field; {@code field} is a JSON pointer into the body or the name of a parameter. */
    public record FieldProblem(String field, String problem) {}
}
