package dev.slipway.iam.credential;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.Request;

import java.time.Clock;
import java.util.List;

/** What a kind of machine may be allowed at most, and what of it a person may hand out. */
public final class Ceiling {
    private final ActorType kind;
    private final Authorizer authorizer;
    private final Clock clock;

    public Ceiling(ActorType kind, Authorizer authorizer, Clock clock) {
        this.kind = kind;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /**
     * Refuses actions beyond the ceiling, and actions that the giver does not hold at the place. What no role for people has, such as
     * reporting on an instance, nobody could hold: it is for machines to have, and for who may make them to give.
     */
    public void require(Request request, Target place, List<String> asked) {
        var giver = request.principal();
        var reached = request.reached(place);
        var now = clock.instant();
        for (var action : asked) {
            if (!authorizer.isForMachines(kind, action)) {
                throw exceeded("A " + kind.text().replace('_', ' ') + " cannot be allowed " + action + ".");
            }
            if (!giver.tokenAllows(action)
                    || (authorizer.isForPeople(action)
                            && !authorizer.decide(giver, action, reached, now).allowed())) {
                throw exceeded("You do not hold " + action + " here yourself, so you cannot allow it.");
            }
        }
    }

    private static RuntimeException exceeded(String message) {
        return Problem.of(ErrorCode.GRANT_EXCEEDS_OWN, message).asException();
    }
}
