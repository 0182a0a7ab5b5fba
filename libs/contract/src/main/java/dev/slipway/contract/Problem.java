package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;

/** An expected failure: what the caller is told. Anything else that goes wrong is a bug or an outage and stays an exception. */
public record Problem(ErrorCode code, String message, ObjectNode details) {

    public static Problem of(ErrorCode code, String message) {
        return new Problem(code, message, Json.object());
    }

    public static Problem validationOf(ErrorCode code, String field, String problem) {
        return new Problem(code, field + " " + problem, fields(List.of(new FieldProblem(field, problem))));
    }

    public static Problem validation(List<FieldProblem> problems) {
        return validationOf(ErrorCode.VALIDATION_ERROR, problems);
    }

    public static Problem validationOf(ErrorCode code, List<FieldProblem> problems) {
        var first = problems.get(0);
        var more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
        return new Problem(code, first.field() + ": " + first.problem() + more, fields(problems));
    }

    private static ObjectNode fields(List<FieldProblem> problems) {
        var details = Json.object();
        var fields = details.putArray("fields");
        for (var problem : problems) {
            fields.addObject().put("field", problem.field()).put("problem", problem.problem());
        }
        return details;
    }

    public ProblemException asException() {
        return new ProblemException(this);
    }

    /** One wrong field: a JSON pointer into the body, or the name of a parameter. */
    public record FieldProblem(String field, String problem) {}
}
