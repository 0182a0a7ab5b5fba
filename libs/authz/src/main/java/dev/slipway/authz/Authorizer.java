package dev.slipway.authz;

import dev.slipway.authz.Explanation.Step;
import dev.slipway.authz.Principal.ActorType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Takes decisions: project, then organization, then platform. Whatever is not granted is denied. */
public final class Authorizer {
    private static final int USUAL_STEPS = 8;

    private final AuthzModel model;
    private final Grants grants;

    /** Where an action is allowed: in the organizations with all their projects, and in the projects. */
    public record Reach(Set<UUID> orgIds, Set<UUID> projectIds) {}

    public Authorizer(AuthzModel model) {
        this.model = model;
        this.grants = model.grants();
    }

    /** May the principal do this there, now? */
    public Decision decide(Principal principal, String action, Target target, Instant now) {
        return new Inquiry(model, principal, action, target, now, null).answer();
    }

    /** The same decision, and how it was reached. */
    public Explanation explain(Principal principal, String action, Target target, Instant now) {
        var steps = new ArrayList<Step>(USUAL_STEPS);
        var decision = new Inquiry(model, principal, action, target, now, steps).answer();
        return new Explanation(decision, steps, model.revision(), model.age(now));
    }

    /** All that the principal may do there, now. */
    public Set<String> allowedActions(Principal principal, Target target, Instant now) {
        var allowed = new TreeSet<String>();
        for (var action : grants.liveActions()) {
            if (decide(principal, action, target, now).allowed()) {
                allowed.add(action);
            }
        }
        return allowed;
    }

    /** May a machine of this kind ever be allowed this? */
    public boolean isForMachines(ActorType type, String action) {
        return grants.isForMachines(type, action);
    }

    /** Is there a role by which people can do this? */
    public boolean isForPeople(String action) {
        return grants.isForPeople(action);
    }

    /** Where may the principal read this? For reads across tenants: what is out of reach is not even read. */
    public Reach reach(Principal principal, String action, Instant now) {
        var reach = new Reach(new HashSet<>(), new HashSet<>());
        var only = principal.tokenActions();
        if (!grants.isLive(action) || (only != null && !only.contains(action))) {
            return reach;
        }
        if (principal.type() != ActorType.USER) {
            var own = principal.projectId();
            if (own != null
                    && decide(principal, action, Target.project(own), now).allowed()) {
                reach.projectIds.add(own);
            }
            return reach;
        }
        reach(grants.holdings(principal.id()), action, now, reach);
        for (var group : grants.groupsOf(principal.id())) {
            reach(grants.holdings(group), action, now, reach);
        }
        return reach;
    }

    /** Whether an administrator of the organization may know of the principal: it is a machine of theirs, or bound inside. */
    public boolean isKnownIn(UUID orgId, Principal principal) {
        if (principal.type() != ActorType.USER) {
            return orgId.equals(principal.orgId());
        }
        if (isHeldIn(orgId, grants.holdings(principal.id()))) {
            return true;
        }
        for (var group : grants.groupsOf(principal.id())) {
            if (isHeldIn(orgId, grants.holdings(group))) {
                return true;
            }
        }
        return false;
    }

    private boolean isHeldIn(UUID orgId, @Nullable Holdings held) {
        return held != null && held.all().stream().anyMatch(binding -> orgId.equals(model.orgOf(binding)));
    }

    private void reach(@Nullable Holdings held, String action, Instant now, Reach reach) {
        if (held == null) {
            return;
        }
        for (var binding : held.all()) {
            var orgId = model.orgOf(binding);
            if (orgId == null || binding.expired(now) || !grants.grants(binding, orgId, action)) {
                continue; // the platform, which reaches no tenant, or a project that is not known
            }
            switch (binding.level()) {
                case PROJECT -> reach.projectIds.add(Objects.requireNonNull(binding.projectId()));
                case ORGANIZATION -> reach.orgIds.add(Objects.requireNonNull(binding.orgId()));
                case PLATFORM -> {}
            }
        }
    }
}
