package dev.slipway.instances.lifecycle;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.domain.Decision;
import dev.slipway.instances.appinstance.domain.Decision.Accepted;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import org.jspecify.annotations.Nullable;

/** What was decided, or the problem that the caller is told. */
final class Decisions {
    private Decisions() {}

    static Accepted accepted(Decision decision) {
        if (decision instanceof Refused refused) {
            throw problem(refused);
        }
        return (Accepted) decision;
    }

    static void require(@Nullable Refused refused) {
        if (refused != null) {
            throw problem(refused);
        }
    }

    private static ProblemException problem(Refused refused) {
        return Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
    }
}
