package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * A decision and its steps, for administrators of the scope. Bindings at other scopes are not among the steps and therefore not revealed.
 *
 * @param revision the revision of the authorization data
 * @param age the age of that data
 */
public record Explanation(Decision decision, List<Step> steps, long revision, Duration age) {

    /**
     * A step of a decision: first the bindings at the project, the organization and the platform, then the checks that limit them.
     *
     * @param binding the checked binding, if the step is about one
     * @param groupId the group that the binding belongs to, if any
     */
    public record Step(
            Check check,
            Outcome outcome,
            @Nullable Level level,
            @Nullable Binding binding,
            @Nullable UUID groupId) {

        static Step of(Check check, boolean passes) {
            return new Step(check, passes ? Outcome.PASSES : Outcome.DENIES, null, null, null);
        }

        static Step missing(Level level) {
            return new Step(Check.BINDING, Outcome.MISSING, level, null, null);
        }

        @Override
        public String toString() {
            var what = level == null ? check.text() : level.text() + (binding == null ? "" : " " + binding.role());
            return what + (groupId == null ? "" : " by group") + ": " + outcome.text();
        }
    }

    /** The checks of a decision, one per step. */
    public enum Check implements TextEnum {
        /** A role binding at a level. */
        BINDING,
        /** Checks whether the scope exists, and for a machine principal whether it is its own. */
        PLACE,
        /** Checks whether the action is registered and active. */
        ACTION,
        /** Checks whether machine principals of this type can be allowed the action. */
        MACHINE_ROLE,
        /** Checks whether the token's task includes the action. */
        TASK,
        /** Checks whether the machine principal's list contains the action. */
        ALLOWLIST,
        /** Checks whether the token's scope includes the action. */
        TOKEN_SCOPE,
        /** Checks whether the project and the organization are not deleted. */
        RESOURCE_STATE
    }

    /** The outcome of a step. */
    public enum Outcome implements TextEnum {
        GRANTS,
        DOES_NOT_GRANT,
        EXPIRED,
        /** A platform role, which counts only through an admin variant. */
        NEEDS_BREAK_GLASS,
        /** There is no binding at the level. */
        MISSING,
        PASSES,
        DENIES
    }
}
