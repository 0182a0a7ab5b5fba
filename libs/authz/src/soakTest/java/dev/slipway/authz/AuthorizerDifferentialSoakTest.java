package dev.slipway.authz;

import org.junit.jupiter.api.Test;

class AuthorizerDifferentialSoakTest {
    private static final int QUESTIONS = Integer.getInteger("slipway.authz.questions", 1_000_000);

    @Test
    void decisions_matchNaiveImplementation_inAMillionCases() {
        DecisionComparison.run(QUESTIONS);
    }
}
