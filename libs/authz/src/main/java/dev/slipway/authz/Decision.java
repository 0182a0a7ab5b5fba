package dev.slipway.authz;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

/** Whether an action is allowed, why, and by which binding. */
public record Decision(Verdict verdict, @Nullable Binding by) {

    /** Why a decision came out as it did. */
    public enum Verdict {
        ALLOWED,
        /** Nothing binds the caller to the place: they do not learn that it exists. */
        NOT_BOUND,
        /** The caller holds a role there, which does not grant the action. */
        NOT_GRANTED,
        /** Only a platform role would grant it, and those reach tenants through admin endpoints alone. */
        BREAK_GLASS_REQUIRED,
        /** No registered role grants the action to anyone. */
        UNKNOWN_ACTION,
        /** The service account's own list does not have the action. */
        NOT_ALLOWLISTED,
        /** The token is bound to another task. */
        OTHER_TASK
    }

    static final Decision NOT_BOUND = new Decision(Verdict.NOT_BOUND, null);
    static final Decision NOT_GRANTED = new Decision(Verdict.NOT_GRANTED, null);
    static final Decision BREAK_GLASS_REQUIRED = new Decision(Verdict.BREAK_GLASS_REQUIRED, null);
    static final Decision UNKNOWN_ACTION = new Decision(Verdict.UNKNOWN_ACTION, null);
    static final Decision NOT_ALLOWLISTED = new Decision(Verdict.NOT_ALLOWLISTED, null);
    static final Decision OTHER_TASK = new Decision(Verdict.OTHER_TASK, null);
    static final Decision WITHOUT_BINDING = new Decision(Verdict.ALLOWED, null);

    /** For operations that every authenticated caller may use, each seeing only their own. */
    public static Decision allowedToAll() {
        return WITHOUT_BINDING;
    }

    public boolean allowed() {
        return verdict == Verdict.ALLOWED;
    }

    /** What a refused caller is told. */
    public Problem problem(String action) {
        return switch (verdict) {
            case NOT_BOUND -> Problem.of(ErrorCode.NOT_FOUND, "There is nothing here that you may see.");
            case NOT_GRANTED, UNKNOWN_ACTION ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "None of your roles here grants " + action + ". Ask an owner of the project or organization.");
            case NOT_ALLOWLISTED ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "This service account's list of allowed actions does not have " + action + ".");
            case OTHER_TASK -> Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "This token is bound to another task.");
            case BREAK_GLASS_REQUIRED ->
                Problem.of(
                        ErrorCode.BREAK_GLASS_REQUIRED,
                        "Platform roles reach tenant resources only through admin endpoints.");
            case ALLOWED -> throw new IllegalStateException("an allowed action is no problem");
        };
    }
}
