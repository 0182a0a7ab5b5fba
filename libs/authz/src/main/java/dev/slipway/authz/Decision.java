package dev.slipway.authz;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

import java.util.Locale;

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
        /** The action is not registered, or not active: it is denied to everyone. */
        UNKNOWN_ACTION,
        /** The machine's own list does not have the action. */
        NOT_ALLOWLISTED,
        /** The token is bound to another task. */
        OTHER_TASK,
        /** The principal may, but this token was made for other actions. */
        OUT_OF_TOKEN_SCOPE,
        /** Allowed, were the project or the organization not deleted. */
        RESOURCE_DELETED;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** The reason code. */
        public String text() {
            return text;
        }
    }

    static final Decision NOT_BOUND = new Decision(Verdict.NOT_BOUND, null);
    static final Decision NOT_GRANTED = new Decision(Verdict.NOT_GRANTED, null);
    static final Decision BREAK_GLASS_REQUIRED = new Decision(Verdict.BREAK_GLASS_REQUIRED, null);
    static final Decision UNKNOWN_ACTION = new Decision(Verdict.UNKNOWN_ACTION, null);
    static final Decision NOT_ALLOWLISTED = new Decision(Verdict.NOT_ALLOWLISTED, null);
    static final Decision OTHER_TASK = new Decision(Verdict.OTHER_TASK, null);
    static final Decision OUT_OF_TOKEN_SCOPE = new Decision(Verdict.OUT_OF_TOKEN_SCOPE, null);
    static final Decision RESOURCE_DELETED = new Decision(Verdict.RESOURCE_DELETED, null);
    static final Decision WITHOUT_BINDING = new Decision(Verdict.ALLOWED, null);

    public boolean allowed() {
        return verdict == Verdict.ALLOWED;
    }

    /** What a refused caller is told. */
    public Problem problem(String action) {
        return switch (verdict) {
            case NOT_BOUND -> Problem.of(ErrorCode.NOT_FOUND, "There is nothing here that you may see.");
            case NOT_GRANTED ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "None of your roles here grants " + action + ". Ask an owner of the project or organization.");
            case UNKNOWN_ACTION ->
                Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "The action " + action + " is not in use.");
            case NOT_ALLOWLISTED ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "This account's list of allowed actions does not have " + action + ".");
            case OUT_OF_TOKEN_SCOPE ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "This token was made for other actions than " + action + ". Use one whose scope has it.");
            case RESOURCE_DELETED ->
                Problem.of(
                        ErrorCode.RESOURCE_DELETED,
                        "The project, or its organization, is deleted: only reading and deleting are left.");
            case OTHER_TASK -> Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "This token is bound to another task.");
            case BREAK_GLASS_REQUIRED ->
                Problem.of(
                        ErrorCode.BREAK_GLASS_REQUIRED,
                        "Platform roles reach tenant resources only through admin endpoints: repeat the request under /api/v1/admin with X-Break-Glass-Reason.");
            case ALLOWED -> throw new IllegalStateException("an allowed action is no problem");
        };
    }
}
