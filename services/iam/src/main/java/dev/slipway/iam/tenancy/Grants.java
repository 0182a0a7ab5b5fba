package dev.slipway.iam.tenancy;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.service.Request;

import java.time.Clock;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;

/** Nobody gives what they do not hold: judged by the same decisions that guard every operation. */
public final class Grants {
    private final Authorizer authorizer;
    private final Clock clock;

    public Grants(Authorizer authorizer, Clock clock) {
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** Throws grant_exceeds_own, naming an action that the caller lacks at the place. */
    public void require(Request request, Place place, Collection<String> actions) {
        var reached = request.reached(target(place));
        var now = clock.instant();
        for (var action : actions) {
            if (!authorizer.decide(request.principal(), action, reached, now).allowed()) {
                throw Problem.of(
                                ErrorCode.GRANT_EXCEEDS_OWN,
                                "You do not hold " + action
                                        + " here yourself, so you cannot grant it. Ask someone who does.")
                        .asException();
            }
        }
    }

    /** All that the caller may do at the place. */
    public Set<String> heldBy(Request request, Place place) {
        return authorizer.allowedActions(request.principal(), target(place), clock.instant());
    }

    private static Target target(Place place) {
        return switch (place.level()) {
            case PLATFORM -> Target.platform();
            case ORGANIZATION -> Target.organization(Objects.requireNonNull(place.orgId()));
            case PROJECT -> Target.project(Objects.requireNonNull(place.projectId()));
        };
    }
}
