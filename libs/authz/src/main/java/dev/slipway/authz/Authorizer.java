package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal.ActorType;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Takes decisions: project, then organization, then platform. Whatever is not granted is denied. */
public final class Authorizer {
    private final AuthzModel model;

    /** A decision and how it was reached, step by step, for those who administer the scope. */
    public record Explanation(Decision decision, List<Step> steps, long revision) {}

    /** A binding that was looked at: whether it is held where the question was asked, and whether its role grants the action. */
    public record Step(Binding binding, boolean applies, boolean grants) {
        @Override
        public String toString() {
            return binding.level().text() + " " + binding.role() + (applies ? " applies, " : " is elsewhere, ")
                    + (grants ? "grants" : "does not grant");
        }
    }

    /** Where an action is allowed: in the organizations with all their projects, and in the projects. */
    public record Reach(Set<UUID> orgIds, Set<UUID> projectIds) {}

    public Authorizer(AuthzModel model) {
        this.model = model;
    }

    /** May the principal do this in the project? */
    public Decision inProject(Principal principal, String action, UUID projectId) {
        var orgId = model.orgOf(projectId);
        if (orgId == null) {
            return Decision.NOT_BOUND;
        }
        return principal.type() == ActorType.SERVICE_ACCOUNT
                ? asMachine(principal, action, projectId)
                : asUser(principal, action, orgId, projectId);
    }

    /** May the principal do this in the organization as such? */
    public Decision inOrganization(Principal principal, String action, UUID orgId) {
        return principal.type() == ActorType.SERVICE_ACCOUNT
                ? Decision.NOT_BOUND
                : asUser(principal, action, orgId, null);
    }

    /** May the principal do this anywhere at all? For things that belong to no tenant, such as the catalog. */
    public Decision anywhere(Principal principal, String action) {
        if (principal.type() == ActorType.SERVICE_ACCOUNT) {
            var projectId = principal.projectId();
            return projectId == null ? Decision.NOT_BOUND : asMachine(principal, action, projectId);
        }
        for (var binding : model.bindingsOf(principal.id())) {
            if (model.grants(binding.role(), action)) {
                return new Decision(Verdict.ALLOWED, binding);
            }
        }
        return Decision.NOT_GRANTED;
    }

    /** Where may the principal do this? For reads across tenants: what is out of reach is not even read. */
    public Reach reach(Principal principal, String action) {
        var orgIds = new HashSet<UUID>();
        var projectIds = new HashSet<UUID>();
        if (principal.type() == ActorType.SERVICE_ACCOUNT) {
            var own = principal.projectId();
            if (own != null && asMachine(principal, action, own).allowed()) {
                projectIds.add(own);
            }
            return new Reach(orgIds, projectIds);
        }
        for (var binding : model.bindingsOf(principal.id())) {
            if (!model.grants(binding.role(), action)) {
                continue;
            }
            switch (binding.level()) {
                case PROJECT -> projectIds.add(Objects.requireNonNull(binding.projectId()));
                case ORGANIZATION -> orgIds.add(Objects.requireNonNull(binding.orgId()));
                case PLATFORM -> {} // reaches no tenant
            }
        }
        return new Reach(orgIds, projectIds);
    }

    public Explanation explainInProject(Principal principal, String action, UUID projectId) {
        var orgId = model.orgOf(projectId);
        var bindings = model.bindingsOf(principal.id());
        var steps = new ArrayList<Step>(bindings.size());
        for (var binding : bindings) {
            var applies = orgId != null && covers(binding, orgId, projectId);
            steps.add(new Step(binding, applies, model.grants(binding.role(), action)));
        }
        return new Explanation(inProject(principal, action, projectId), steps, model.revision());
    }

    private Decision asMachine(Principal principal, String action, UUID projectId) {
        if (!projectId.equals(principal.projectId())) {
            return Decision.NOT_BOUND;
        }
        if (!model.isForMachines(action)) {
            return model.isGrantedByAnyRole(action) ? Decision.NOT_GRANTED : Decision.UNKNOWN_ACTION;
        }
        var task = principal.task();
        if (task != null) {
            return task.actions().contains(action) ? Decision.WITHOUT_BINDING : Decision.OTHER_TASK;
        }
        return principal.allowedActions().contains(action) ? Decision.WITHOUT_BINDING : Decision.NOT_ALLOWLISTED;
    }

    private Decision asUser(Principal principal, String action, UUID orgId, @Nullable UUID projectId) {
        var bound = false;
        var platform = false;
        for (var binding : model.bindingsOf(principal.id())) {
            if (binding.level() == Level.PLATFORM) {
                platform = true;
            } else if (covers(binding, orgId, projectId)) {
                if (model.grants(binding.role(), action)) {
                    return new Decision(Verdict.ALLOWED, binding);
                }
                bound = true;
            }
        }
        if (bound) {
            return model.isGrantedByAnyRole(action) ? Decision.NOT_GRANTED : Decision.UNKNOWN_ACTION;
        }
        return platform ? Decision.BREAK_GLASS_REQUIRED : Decision.NOT_BOUND;
    }

    private static boolean covers(Binding binding, UUID orgId, @Nullable UUID projectId) {
        return switch (binding.level()) {
            case PROJECT -> projectId != null && projectId.equals(binding.projectId());
            case ORGANIZATION -> orgId.equals(binding.orgId());
            case PLATFORM -> false;
        };
    }
}
