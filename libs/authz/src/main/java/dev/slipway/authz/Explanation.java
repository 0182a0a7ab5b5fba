package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * A decision and how it was reached, step by step, for those who administer the place. The steps are those of the decision itself; what is
 * held elsewhere is no step, so nobody learns of it here.
 *
 * @param revision of the data that the decision was taken from
 * @param age how long ago that data was confirmed
 */
public record Explanation(Decision decision, List<Step> steps, long revision, Duration age) {

    /**
     * One thing that was looked at: what is held at the project, the organization and the platform, in this order, and then what narrows it.
     *
     * @param binding the binding that was looked at, if it was one
     * @param groupId the group that holds the binding, if a group does
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

    /** What was looked at. */
    public enum Check {
        /** A role held at a level. */
        BINDING,
        /** Whether the place is there, and for a machine whether it is its own. */
        PLACE,
        /** Whether the action is registered and active. */
        ACTION,
        /** Whether machines of this kind may ever do this. */
        MACHINE_ROLE,
        /** Whether the token's task has the action. */
        TASK,
        /** Whether the machine's own list has the action. */
        ALLOWLIST,
        /** Whether the token was made for the action. */
        TOKEN_SCOPE,
        /** Whether the project and the organization still take changes. */
        RESOURCE_STATE;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What came of looking. */
    public enum Outcome {
        GRANTS,
        DOES_NOT_GRANT,
        EXPIRED,
        /** A platform role, which counts through the admin twin alone. */
        NEEDS_BREAK_GLASS,
        /** Nothing is held at the level. */
        MISSING,
        PASSES,
        DENIES;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
