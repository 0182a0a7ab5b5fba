package dev.slipway.iam.credential;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.service.Request;

import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a kind of machine may be allowed at most, and what of it a person may hand out. */
public final class Ceiling {
    private final String kind;
    private final Set<String> actions;
    private final Set<String> heldByPeople;
    private final Authorizer authorizer;
    private final Clock clock;

    public Ceiling(RoleRegistry registry, Owner.Kind kind, Authorizer authorizer, Clock clock) {
        this.authorizer = authorizer;
        this.clock = clock;
        this.kind = kind.text();
        this.actions = registry.roles().stream()
                .filter(role -> role.level().equals("machine") && role.name().equals(this.kind))
                .flatMap(role -> role.actions().stream())
                .collect(Collectors.toUnmodifiableSet());
        this.heldByPeople = registry.roles().stream()
                .filter(role -> !role.level().equals("machine"))
                .flatMap(role -> role.actions().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Refuses actions beyond the ceiling, and actions that the giver does not hold at the place. What no role for people has, such as reporting on an
     * instance, nobody could hold: it is for machines to have, and for who may make them to give.
     */
    public void require(Request request, Target place, List<String> asked) {
        var giver = request.principal();
        var reached = request.reached(place);
        var now = clock.instant();
        for (var action : asked) {
            if (!actions.contains(action)) {
                throw exceeded("A " + kind.replace('_', ' ') + " cannot be allowed " + action + ".");
            }
            if (!giver.tokenAllows(action)
                    || (heldByPeople.contains(action)
                            && !authorizer.decide(giver, action, reached, now).allowed())) {
                throw exceeded("You do not hold " + action + " here yourself, so you cannot allow it.");
            }
        }
    }

    private static RuntimeException exceeded(String message) {
        return Problem.of(ErrorCode.GRANT_EXCEEDS_OWN, message).asException();
    }
}
