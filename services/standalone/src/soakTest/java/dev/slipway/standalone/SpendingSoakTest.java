package dev.slipway.standalone;

import org.junit.jupiter.api.Test;

/** Launches at the limit of a budget. */
class SpendingSoakTest {
    @Test
    void launch_neverExceedsTheBudget_whenFiveHundredCompete() throws Exception {
        try (var platform = new PlatformUnderTest()) {
            var calls = new SpendingCalls(platform);

            calls.assertBudgetHolds("soak-one", 500, 1);
            calls.assertBudgetHolds("soak-many", 500, 37);
        }
    }
}
