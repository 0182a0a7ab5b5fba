package dev.slipway.iam.tenancy;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.service.Request;

import java.time.Clock;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;

/** Prevents callers from granting and removing actions that they do not hold themselves. */
public final class GrantGuard {
    private final Authorizer authorizer;
    private final Clock clock;

    public GrantGuard(Authorizer authorizer, Clock clock) {
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** Throws {@code grant_exceeds_own} if the caller lacks one of the actions at the scope. */
    public void requireHeld(Request request, BindingScope scope, Collection<String> actions) {
        requireHeld(request, resourceScope(scope), actions, "grant");
    }

    /** Throws {@code grant_exceeds_own} if the caller takes away an action that they lack at the scope, which may be deleted. */
    public void requireHeldToRemove(Request request, BindingScope scope, Collection<String> actions) {
        requireHeld(request, resourceScope(scope).withRemoval(), actions, "remove");
    }

    private void requireHeld(Request request, ResourceScope scope, Collection<String> actions, String verb) {
        var effectiveScope = request.effectiveScope(scope);
        var now = clock.instant();
        for (var action : actions) {
            if (!authorizer
                    .decide(request.principal(), action, effectiveScope, now)
                    .allowed()) {
                throw Problem.of(
                                ErrorCode.GRANT_EXCEEDS_OWN,
                                "You cannot " + verb + " " + action
                                        + " because you do not hold it here yourself. Ask someone who does.")
                        .asException();
            }
        }
    }

    /** Returns all actions that the caller is allowed at the scope. */
    public Set<String> effectiveActions(Request request, BindingScope scope) {
        return authorizer.allowedActions(request.principal(), resourceScope(scope), clock.instant());
    }

    private static ResourceScope resourceScope(BindingScope scope) {
        return switch (scope.level()) {
            case PLATFORM -> ResourceScope.platform();
            case ORGANIZATION -> ResourceScope.organization(Objects.requireNonNull(scope.orgId()));
            case PROJECT -> ResourceScope.project(Objects.requireNonNull(scope.projectId()));
        };
    }
}
