package dev.slipway.operations;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.ProblemException;
import dev.slipway.operations.domain.Refusal;

/** Converts refusals of the domain to errors of the contract. */
public final class Refusals {
    private Refusals() {}

    public static ProblemException toException(Refusal refusal) {
        return toProblem(refusal).asException();
    }

    public static Problem toProblem(Refusal refusal) {
        var code = ErrorCode.of(refusal.code());
        if (!refusal.fields().isEmpty()) {
            return Problem.validationOf(
                    code,
                    refusal.fields().stream()
                            .map(field -> new FieldProblem(field.field(), field.problem()))
                            .toList());
        }
        var details = Json.object();
        refusal.details().forEach(details::put);
        return details.isEmpty() ? Problem.of(code, refusal.message()) : new Problem(code, refusal.message(), details);
    }
}
