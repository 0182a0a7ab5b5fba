package dev.slipway.operations;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.ProblemException;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Converts refusals of the domain to errors of the contract. */
public final class Refusals {
    private Refusals() {}

    private record Blockers(List<Operation.Blocker> blockers) {}

    /** Rejects the request if the domain refuses it; null means that it does not. */
    public static void rejectIf(@Nullable Refusal refusal) {
        if (refusal != null) {
            throw toException(refusal);
        }
    }

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
        if (!refusal.blockers().isEmpty()) {
            details.setAll(Json.toObject(new Blockers(refusal.blockers())));
        }
        return details.isEmpty() ? Problem.of(code, refusal.message()) : new Problem(code, refusal.message(), details);
    }
}
