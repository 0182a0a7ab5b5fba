package dev.slipway.authz;

import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

class AuthorizerDifferentialTest {
    @Test
    @Proves("1.06")
    void decisions_agreeWithTheReferenceAndTheExplanation_onRandomModels() {
        DecisionComparison.run(100_000);
    }
}
