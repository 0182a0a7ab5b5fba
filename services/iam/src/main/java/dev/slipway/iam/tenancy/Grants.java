package dev.slipway.iam.tenancy;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Place.Level;

import java.util.Collection;
import java.util.Objects;

/** Nobody gives what they do not hold: judged by the same decisions that guard every operation. */
public final class Grants {
    private final Authorizer authorizer;

    public Grants(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /** Throws grant_exceeds_own, naming an action that the giver lacks at the place. */
    public void require(Principal giver, Place place, Collection<String> actions) {
        for (var action : actions) {
            if (!decide(giver, place, action).allowed()) {
                throw Problem.of(
                                ErrorCode.GRANT_EXCEEDS_OWN,
                                "You do not hold " + action
                                        + " here yourself, so you cannot grant it. Ask someone who does.")
                        .asException();
            }
        }
    }

    private Decision decide(Principal giver, Place place, String action) {
        if (place.level() == Level.PLATFORM) {
            return authorizer.onPlatform(giver, action);
        }
        return place.level() == Level.PROJECT
                ? authorizer.inProject(giver, action, Objects.requireNonNull(place.projectId()))
                : authorizer.inOrganization(giver, action, Objects.requireNonNull(place.orgId()));
    }
}
