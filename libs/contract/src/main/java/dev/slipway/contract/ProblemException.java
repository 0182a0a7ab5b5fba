package dev.slipway.contract;

/** Carries a {@link Problem} through a Future. It has no stack trace, because it is an expected outcome. */
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    ProblemException(Problem problem) {
        super(problem.code().code() + ": " + problem.message(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
