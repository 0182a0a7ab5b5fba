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

/** Makes authorization decisions. Everything that is not granted is denied. */
public final class Authorizer {
    private static final int EXPECTED_STEPS = 8;

    private final AuthzModel model;
    private final RoleBindingIndex bindingIndex;

    /** The organizations (with all their projects) and the projects in which an action is allowed. */
    public record AccessibleScopes(Set<UUID> orgIds, Set<UUID> projectIds) {}

    public Authorizer(AuthzModel model) {
        this.model = model;
        this.bindingIndex = model.bindingIndex();
    }

    /** Decides whether the principal is allowed the action in the scope. */
    public Decision decide(Principal principal, String action, ResourceScope resourceScope, Instant now) {
        return new DecisionEvaluator(model, principal, action, resourceScope, now, null).evaluate();
    }

    /** Makes the same decision and returns its steps. */
    public Explanation explain(Principal principal, String action, ResourceScope resourceScope, Instant now) {
        var steps = new ArrayList<Step>(EXPECTED_STEPS);
        var decision = new DecisionEvaluator(model, principal, action, resourceScope, now, steps).evaluate();
        return new Explanation(decision, steps, model.revision(), model.age(now));
    }

    /** Returns all actions that the principal is allowed in the scope. */
    public Set<String> allowedActions(Principal principal, ResourceScope resourceScope, Instant now) {
        var allowed = new TreeSet<String>();
        for (var action : bindingIndex.usableActions()) {
            if (decide(principal, action, resourceScope, now).allowed()) {
                allowed.add(action);
            }
        }
        return allowed;
    }

    /** Returns whether machine principals of this type can be allowed the action at all. */
    public boolean isAllowedForMachines(ActorType type, String action) {
        return bindingIndex.isAllowedForMachines(type, action);
    }

    /** Returns whether a role for users grants the action. */
    public boolean isGrantableToUsers(String action) {
        return bindingIndex.isGrantableToUsers(action);
    }

    /** Returns where the principal is allowed the action, so that a query across tenants reads only accessible rows. */
    public AccessibleScopes findAccessibleScopes(Principal principal, String action, Instant now) {
        var accessibleScopes = new AccessibleScopes(new HashSet<>(), new HashSet<>());
        var only = principal.tokenActions();
        if (!bindingIndex.isUsable(action) || (only != null && !only.contains(action))) {
            return accessibleScopes;
        }
        if (principal.type() != ActorType.USER) {
            var own = principal.projectId();
            if (own != null
                    && decide(principal, action, ResourceScope.project(own), now)
                            .allowed()) {
                accessibleScopes.projectIds.add(own);
            }
            return accessibleScopes;
        }
        findAccessibleScopes(bindingIndex.bindingSet(principal.id()), action, now, accessibleScopes);
        for (var group : bindingIndex.groupsOf(principal.id())) {
            findAccessibleScopes(bindingIndex.bindingSet(group), action, now, accessibleScopes);
        }
        return accessibleScopes;
    }

    /** Returns whether administrators of the organization may see the principal: its own machines, and users with a role in it. */
    public boolean isVisibleIn(UUID orgId, Principal principal) {
        if (principal.type() != ActorType.USER) {
            return orgId.equals(principal.orgId());
        }
        if (hasBindingIn(orgId, bindingIndex.bindingSet(principal.id()))) {
            return true;
        }
        for (var group : bindingIndex.groupsOf(principal.id())) {
            if (hasBindingIn(orgId, bindingIndex.bindingSet(group))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the roles that the principal holds in the organization or in one of its projects. */
    public Set<String> findRolesIn(UUID orgId, Principal principal, Instant now) {
        var roles = new HashSet<String>();
        if (principal.type() != ActorType.USER) {
            if (orgId.equals(principal.orgId())) {
                roles.add(principal.type().text());
            }
            return roles;
        }
        addRolesIn(orgId, bindingIndex.bindingSet(principal.id()), now, roles);
        for (var group : bindingIndex.groupsOf(principal.id())) {
            addRolesIn(orgId, bindingIndex.bindingSet(group), now, roles);
        }
        return roles;
    }

    private void addRolesIn(UUID orgId, @Nullable BindingSet held, Instant now, Set<String> roles) {
        if (held != null) {
            held.all().stream()
                    .filter(binding -> orgId.equals(model.orgOf(binding)) && !binding.isExpired(now))
                    .forEach(binding -> roles.add(binding.role()));
        }
    }

    private boolean hasBindingIn(UUID orgId, @Nullable BindingSet held) {
        return held != null && held.all().stream().anyMatch(binding -> orgId.equals(model.orgOf(binding)));
    }

    private void findAccessibleScopes(
            @Nullable BindingSet held, String action, Instant now, AccessibleScopes accessibleScopes) {
        if (held == null) {
            return;
        }
        for (var binding : held.all()) {
            var orgId = model.orgOf(binding);
            if (orgId == null || binding.isExpired(now) || !bindingIndex.grants(binding, orgId, action)) {
                continue; // a platform role, which grants nothing in tenants, or an unknown project
            }
            switch (binding.level()) {
                case PROJECT -> accessibleScopes.projectIds.add(Objects.requireNonNull(binding.projectId()));
                case ORGANIZATION -> accessibleScopes.orgIds.add(Objects.requireNonNull(binding.orgId()));
                case PLATFORM -> {}
            }
        }
    }
}
