package dev.slipway.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Something that happens to adapters, and the clauses that say what is right then. */
record Scenario(String name, String about, List<Clause> clauses, Set<Need> needs, Play play) {
    Scenario {
        clauses = List.copyOf(clauses);
        needs = Set.copyOf(needs);
    }

    interface Play {
        /** Throws {@link Clause.BrokenClauseException} where it cannot go on. */
        void on(Stage stage) throws Exception;
    }

    /** What a scenario takes. A claim is the adapter's to make; the rest is the kit's to be given. */
    enum Need {
        UPGRADE("upgrade"),
        ROLLBACK("rollback"),
        MEMBERS("members"),
        OPERATIONS("operations"),
        USAGE("usage"),
        RESTART(""),
        SLOW(""),
        FAILING(""),
        LONG_INPUT("");

        private final String claim;

        Need(String claim) {
            this.claim = claim;
        }

        boolean isClaim() {
            return !claim.isEmpty();
        }

        boolean isMet(Profile profile, boolean restartable) {
            var operation = profile.operation();
            return switch (this) {
                case UPGRADE, ROLLBACK, MEMBERS, OPERATIONS, USAGE ->
                    profile.claims().contains(claim);
                case RESTART -> restartable;
                case SLOW -> profile.slow() != null;
                case FAILING -> profile.failing() != null;
                case LONG_INPUT -> operation != null && operation.longInput() != null;
            };
        }

        String whyNot() {
            return switch (this) {
                case UPGRADE, ROLLBACK, MEMBERS, OPERATIONS, USAGE -> claim + " is not claimed";
                case RESTART -> "an attached adapter cannot be killed by the kit";
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
        all.add(LifecycleScenarios.heartbeat()); // last: it looks back on the whole run
        return List.copyOf(all);
    }
}
