package dev.slipway.iam.credential;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.Request;

import java.time.Clock;
import java.util.List;

/** Limits the actions that a machine principal can be given: to those of its kind, and to those that the caller holds. */
public final class MachineActionLimit {
    private final ActorType kind;
    private final Authorizer authorizer;
    private final Clock clock;

    public MachineActionLimit(ActorType kind, Authorizer authorizer, Clock clock) {
        this.kind = kind;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /**
     * Throws {@code grant_exceeds_own} for an action that the kind of principal cannot have or that the caller does not hold at the scope.
     * Actions that no role grants to users, such as reporting on an instance, can be given by everyone who may create the principal.
     */
    public void requireAllowed(Request request, ResourceScope scope, List<String> actions) {
        for (var action : actions) {
            if (!authorizer.isAllowedForMachines(kind, action)) {
                throw exceeded("A " + kind.text().replace('_', ' ') + " cannot be allowed " + action + ".");
            }
        }
        requireHeld(request, scope, actions);
    }

    /**
     * Throws {@code grant_exceeds_own} if the caller could not give a principal these actions: whoever gets its secret can do what it can.
     * Actions that its kind can no longer have allow nothing and are ignored.
     */
    void requireHeld(Request request, ResourceScope scope, List<String> actions) {
        var caller = request.principal();
        var effectiveScope = request.effectiveScope(scope);
        var now = clock.instant();
        for (var action : actions) {
            if (!authorizer.isAllowedForMachines(kind, action)) {
                continue;
            }
            if (!caller.tokenAllows(action)
                    || (authorizer.isGrantableToUsers(action)
                            && !authorizer
                                    .decide(caller, action, effectiveScope, now)
                                    .allowed())) {
                throw exceeded("You cannot allow " + action + " because you do not hold it here yourself.");
            }
        }
    }

    private static ProblemException exceeded(String message) {
        return Problem.of(ErrorCode.GRANT_EXCEEDS_OWN, message).asException();
    }
}
