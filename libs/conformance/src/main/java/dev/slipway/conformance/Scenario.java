package dev.slipway.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A test scenario and the clauses that it checks. */
record Scenario(String name, String description, List<Clause> clauses, Set<Requirement> requirements, Script script) {
    Scenario {
        clauses = List.copyOf(clauses);
        requirements = Set.copyOf(requirements);
    }

    interface Script {
        /** Throws {@link Clause.ClauseViolationException} if it cannot continue. */
        void run(ScenarioContext context) throws Exception;
    }

    /** A precondition of a scenario: a claim of the adapter, or a capability of the set-up or the profile. */
    enum Requirement {
        UPGRADE("upgrade"),
        ROLLBACK("rollback"),
        MEMBERS("members"),
        OPERATIONS("operations"),
        USAGE("usage"),
        SHARED_RUNTIMES("shared_runtimes"),
        RESTART(""),
        SLOW(""),
        FAILING(""),
        LONG_INPUT("");

        private final String claim;

        Requirement(String claim) {
            this.claim = claim;
        }

        boolean isClaim() {
            return !claim.isEmpty();
        }

        boolean isMet(ConformanceProfile profile, boolean restartable) {
            var operation = profile.operation();
            return switch (this) {
                case UPGRADE, ROLLBACK, MEMBERS, OPERATIONS, USAGE, SHARED_RUNTIMES ->
                    profile.claims().contains(claim);
                case RESTART -> restartable;
                case SLOW -> profile.slow() != null;
                case FAILING -> profile.failing() != null;
                case LONG_INPUT -> operation != null && operation.longInput() != null;
            };
        }

        String unmetReason() {
            return switch (this) {
                case UPGRADE, ROLLBACK, MEMBERS, OPERATIONS, USAGE, SHARED_RUNTIMES -> claim + " is not claimed";
                case RESTART -> "the kit cannot kill an attached adapter";
                case SLOW -> "the profile has no \"slow\"";
                case FAILING -> "the profile has no \"failing\"";
                case LONG_INPUT -> "the profile's operation has no \"long_input\"";
            };
        }
    }

    static List<Scenario> all() {
        var all = new ArrayList<Scenario>();
        all.addAll(LifecycleScenarios.all());
        all.addAll(DeliveryScenarios.all());
        all.addAll(OperationScenarios.all());
        all.addAll(CrashScenarios.all());
        all.addAll(SharedRuntimeScenarios.all());
        all.add(LifecycleScenarios.heartbeat()); // last, because it checks the whole run
        return List.copyOf(all);
    }
}
