package dev.slipway.authz;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

/** The outcome of an authorization: allowed or not, the reason, and the binding that grants it. */
public record Decision(Verdict verdict, @Nullable Binding grantedBy) {

    /** The reason of a decision. */
    public enum Verdict implements TextEnum {
        ALLOWED,
        /** The caller has no role in the scope, and must not learn that it exists. */
        NOT_BOUND,
        /** The caller has a role in the scope, which does not grant the action. */
        NOT_GRANTED,
        /** Only a platform role would grant it, and platform roles count in tenants only through admin variants. */
        BREAK_GLASS_REQUIRED,
        /** The action is not registered or not active, and is denied to everyone. */
        UNKNOWN_ACTION,
        /** The machine principal's list does not contain the action. */
        NOT_ALLOWLISTED,
        /** The token is bound to another task. */
        OTHER_TASK,
        /** The principal is allowed the action, but the token is limited to other actions. */
        OUT_OF_TOKEN_SCOPE,
        /** It would be allowed if the project or organization were not deleted. */
        RESOURCE_DELETED,
        /** It would be allowed if the project were not suspended. */
        PROJECT_SUSPENDED;

        private final String text = TextEnum.super.text();

        /** Returns the reason code. */
        @Override
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
    static final Decision PROJECT_SUSPENDED = new Decision(Verdict.PROJECT_SUSPENDED, null);
    static final Decision ALLOWED_WITHOUT_BINDING = new Decision(Verdict.ALLOWED, null);

    public boolean allowed() {
        return verdict == Verdict.ALLOWED;
    }

    /**
     * Returns the scope and the role that allowed the action, with the group between them if the role is that of a group; for a machine
     * principal its own scope and type. Null if no role was needed, or none grants the action.
     */
    public @Nullable String rolePath(Principal principal) {
        if (!allowed()) {
            return null;
        }
        if (principal.type() != Principal.ActorType.USER) {
            return principal.ownScopePath() + "/" + principal.type().text();
        }
        if (grantedBy == null) {
            return null;
        }
        var group = grantedBy.principalId().equals(principal.id()) ? "" : "group:" + grantedBy.principalId() + "/";
        return grantedBy.scopePath() + "/" + group + grantedBy.role();
    }

    /** Returns the error for a refused caller. */
    public Problem toProblem(String action) {
        return switch (verdict) {
            case NOT_BOUND -> Problem.of(ErrorCode.NOT_FOUND, "Not found.");
            case NOT_GRANTED ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "None of your roles here grants " + action
                                + ". Ask an administrator of this scope for a role that does.");
            case UNKNOWN_ACTION ->
                Problem.of(ErrorCode.INSUFFICIENT_PERMISSIONS, "The action " + action + " is not active.");
            case NOT_ALLOWLISTED ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "The allowed actions of this account do not include " + action + ".");
            case OUT_OF_TOKEN_SCOPE ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "The scope of this token does not include " + action + ". Request a token whose scope does.");
            case RESOURCE_DELETED ->
                Problem.of(
                        ErrorCode.RESOURCE_DELETED,
                        "The project or its organization is deleted. Only reads and removals are allowed.");
            case PROJECT_SUSPENDED ->
                Problem.of(
                        ErrorCode.PROJECT_SUSPENDED,
                        "The project is suspended. Only reads and removals are allowed until an administrator of its organization resumes it.");
            case OTHER_TASK ->
                Problem.of(
                        ErrorCode.INSUFFICIENT_PERMISSIONS,
                        "The token is bound to another task. Request a token for this task.");
            case BREAK_GLASS_REQUIRED ->
                Problem.of(
                        ErrorCode.BREAK_GLASS_REQUIRED,
                        "Platform roles give access to tenant resources only through admin endpoints. Repeat the request under /api/v1/admin with X-Break-Glass-Reason.");
            case ALLOWED -> throw new IllegalStateException("an allowed action has no error");
        };
    }
}
