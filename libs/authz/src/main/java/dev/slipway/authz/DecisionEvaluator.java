package dev.slipway.authz;

import dev.slipway.authz.AuthzModel.Project;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Explanation.Check;
import dev.slipway.authz.Explanation.Outcome;
import dev.slipway.authz.Explanation.Step;
import dev.slipway.authz.Principal.ActorType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Evaluates one decision. An explanation is the same evaluation with recorded steps, so that the two cannot differ; it only continues after
 * the first binding that grants the action.
 */
final class DecisionEvaluator {
    private static final UUID[] NONE = {};

    private final AuthzModel model;
    private final RoleBindingIndex roleBindingIndex;
    private final Principal principal;
    private final String action;
    private final ResourceScope scope;
    private final Instant now;
    private final @Nullable List<Step> steps;
    private final @Nullable BindingSet ownBindings;
    private UUID @Nullable [] groups;
    private boolean hasBinding;
    private @Nullable Binding grantingBinding;

    DecisionEvaluator(
            AuthzModel model,
            Principal principal,
            String action,
            ResourceScope resourceScope,
            Instant now,
            @Nullable List<Step> steps) {
        this.model = model;
        this.roleBindingIndex = model.bindingIndex();
        this.principal = principal;
        this.action = action;
        this.scope = resourceScope;
        this.now = now;
        this.steps = steps;
        var user = principal.type() == ActorType.USER;
        this.ownBindings = user
                ? roleBindingIndex.bindingSet(principal.id())
                : null; // bindings of machine principals do not count
        this.groups = user ? null : NONE;
    }

    Decision evaluate() {
        if (scope.breakGlass()) {
            return evaluatePlatform();
        }
        return switch (scope.kind()) {
            case SELF -> evaluateSelf();
            case PLATFORM -> principal.type() == ActorType.ADAPTER ? evaluateMachine(scope) : evaluatePlatform();
            case ANYWHERE -> principal.type() == ActorType.USER ? evaluateAnywhere() : evaluateMachine(ownScope());
            case ORGANIZATION, SHARED_RUNTIME, PROJECT ->
                principal.type() == ActorType.USER ? evaluateTenant() : evaluateMachine(scope);
        };
    }

    /** Everyone may read their own data; a token with a scope allows no other changes. */
    private Decision evaluateSelf() {
        var only = principal.type() == ActorType.USER ? principal.tokenActions() : null;
        return only == null || only.contains(action) || action.endsWith(".read")
                ? Decision.ALLOWED_WITHOUT_BINDING
                : Decision.OUT_OF_TOKEN_SCOPE;
    }

    /** At the platform and through admin variants, only platform roles count. */
    private Decision evaluatePlatform() {
        checkBindings(Level.PLATFORM, Binding.PLATFORM_SCOPE_ID, null);
        if (!checkPasses(Check.ACTION, roleBindingIndex.isUsable(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        if (grantingBinding == null) {
            return Decision.NOT_GRANTED;
        }
        if (scope.kind() == ResourceScope.Kind.PROJECT
                && !checkPasses(Check.PLACE, model.project(scope.requireId()) != null)) {
            return Decision.NOT_BOUND;
        }
        return applyLimits(findRestriction(scope));
    }

    private Decision evaluateAnywhere() {
        checkAllBindings(ownBindings);
        for (var group : groups()) {
            checkAllBindings(roleBindingIndex.bindingSet(group));
        }
        if (!checkPasses(Check.ACTION, roleBindingIndex.isUsable(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        return grantingBinding == null ? Decision.NOT_GRANTED : applyLimits(null);
    }

    private Decision evaluateTenant() {
        Project project = null;
        if (scope.kind() == ResourceScope.Kind.PROJECT) {
            project = model.project(scope.requireId());
            if (project == null) {
                addStep(Step.of(Check.PLACE, false));
                return Decision.NOT_BOUND;
            }
            checkBindings(Level.PROJECT, project.id(), project.orgId());
        }
        var orgId = project == null ? scope.requireOrgId() : project.orgId();
        if (grantingBinding == null || steps != null) {
            checkBindings(Level.ORGANIZATION, orgId, orgId);
        }
        if (!hasBinding || steps != null) {
            var platform = holdsPlatformRole();
            if (!hasBinding) {
                return platform ? Decision.BREAK_GLASS_REQUIRED : Decision.NOT_BOUND;
            }
        }
        if (!checkPasses(Check.ACTION, roleBindingIndex.isUsable(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        return grantingBinding == null ? Decision.NOT_GRANTED : applyLimits(findRestriction(project, orgId));
    }

    /** A machine principal has one scope, and there only the actions that its type, its list, its task and its token all allow. */
    private Decision evaluateMachine(@Nullable ResourceScope requested) {
        if (!checkPasses(Check.PLACE, requested != null && isOwnScope(requested))) {
            return Decision.NOT_BOUND;
        }
        if (!checkPasses(Check.ACTION, roleBindingIndex.isUsable(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        if (!checkPasses(Check.MACHINE_ROLE, roleBindingIndex.isAllowedForMachines(principal.type(), action))) {
            return Decision.NOT_GRANTED;
        }
        var task = principal.task();
        if (task != null && !checkPasses(Check.TASK, task.actions().contains(action))) {
            return Decision.OTHER_TASK;
        }
        if (!checkPasses(Check.ALLOWLIST, principal.allowedActions().contains(action))) {
            return Decision.NOT_ALLOWLISTED;
        }
        return applyLimits(requested == null ? null : findRestriction(requested));
    }

    /** {@code restriction} is the refusal of everything but reads and removals in the scope, or null. */
    private Decision applyLimits(@Nullable Decision restriction) {
        var only = principal.tokenActions();
        if (only != null && !checkPasses(Check.TOKEN_SCOPE, only.contains(action))) {
            return Decision.OUT_OF_TOKEN_SCOPE;
        }
        if (restriction != null && !checkPasses(Check.RESOURCE_STATE, scope.removal() || isReadOrRemoval(action))) {
            return restriction;
        }
        return grantingBinding == null
                ? Decision.ALLOWED_WITHOUT_BINDING
                : new Decision(Decision.Verdict.ALLOWED, grantingBinding);
    }

    /**
     * Deleted and suspended scopes allow reads, deletions, revocations, reports on the progress of deletions, and the end of a suspension, or
     * its repetition.
     */
    private static boolean isReadOrRemoval(String action) {
        return action.endsWith(".read")
                || action.endsWith(".delete")
                || action.endsWith(".force_delete")
                || action.endsWith(".revoke")
                || action.endsWith(".report")
                || action.equals("iam.project.suspend")
                || action.equals("iam.project.resume");
    }

    /** Looks groups up when they are needed: most decisions depend on direct bindings only. */
    private UUID[] groups() {
        var found = groups;
        if (found == null) {
            found = roleBindingIndex.groupsOf(principal.id());
            groups = found;
        }
        return found;
    }

    private void checkBindings(Level level, UUID scopeId, @Nullable UUID orgId) {
        var found = checkBindings(ownBindings, level, scopeId, orgId);
        for (var i = 0; (grantingBinding == null || steps != null) && i < groups().length; i++) {
            found |= checkBindings(roleBindingIndex.bindingSet(groups()[i]), level, scopeId, orgId);
        }
        if (!found) {
            addStep(level);
        }
    }

    private boolean checkBindings(@Nullable BindingSet held, Level level, UUID scopeId, @Nullable UUID orgId) {
        if (held == null) {
            return false;
        }
        var there = held.findAt(level, scopeId);
        for (var binding : there) {
            checkBinding(binding, orgId);
            if (grantingBinding != null && steps == null) {
                return true;
            }
        }
        return there.length > 0;
    }

    private void checkAllBindings(@Nullable BindingSet held) {
        if (held == null || (grantingBinding != null && steps == null)) {
            return;
        }
        for (var binding : held.all()) {
            checkBinding(binding, model.orgOf(binding));
            if (grantingBinding != null && steps == null) {
                return;
            }
        }
    }

    private void checkBinding(Binding binding, @Nullable UUID orgId) {
        if (binding.isExpired(now)) {
            addStep(binding, Outcome.EXPIRED);
            return;
        }
        hasBinding = true;
        var grantsIt = roleBindingIndex.grants(binding, orgId, action);
        addStep(binding, grantsIt ? Outcome.GRANTS : Outcome.DOES_NOT_GRANT);
        if (grantsIt && grantingBinding == null) {
            grantingBinding = binding;
        }
    }

    private boolean holdsPlatformRole() {
        var holds = holdsPlatformRole(ownBindings);
        for (var i = 0; (!holds || steps != null) && i < groups().length; i++) {
            holds |= holdsPlatformRole(roleBindingIndex.bindingSet(groups()[i]));
        }
        if (!holds) {
            addStep(Level.PLATFORM);
        }
        return holds;
    }

    private boolean holdsPlatformRole(@Nullable BindingSet held) {
        if (held == null) {
            return false;
        }
        var holds = false;
        for (var binding : held.findAt(Level.PLATFORM, Binding.PLATFORM_SCOPE_ID)) {
            var expired = binding.isExpired(now);
            addStep(binding, expired ? Outcome.EXPIRED : Outcome.NEEDS_BREAK_GLASS);
            holds |= !expired;
        }
        return holds;
    }

    private @Nullable ResourceScope ownScope() {
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        var sharedRuntimeId = principal.sharedRuntimeId();
        return switch (principal.type()) {
            case USER, ADAPTER -> null;
            case SERVICE_ACCOUNT -> projectId == null ? null : ResourceScope.project(projectId);
            case SHARED_RUNTIME_OPERATOR ->
                orgId == null || sharedRuntimeId == null ? null : ResourceScope.sharedRuntime(orgId, sharedRuntimeId);
        };
    }

    private boolean isOwnScope(ResourceScope requested) {
        return switch (principal.type()) {
            case USER -> false;
            case ADAPTER -> requested.kind() == ResourceScope.Kind.PLATFORM;
            case SERVICE_ACCOUNT ->
                requested.kind() == ResourceScope.Kind.PROJECT
                        && requested.requireId().equals(principal.projectId())
                        && model.project(requested.requireId()) != null;
            case SHARED_RUNTIME_OPERATOR ->
                requested.kind() == ResourceScope.Kind.SHARED_RUNTIME
                        && requested.requireId().equals(principal.sharedRuntimeId())
                        && requested.requireOrgId().equals(principal.orgId());
        };
    }

    private @Nullable Decision findRestriction(ResourceScope requested) {
        return switch (requested.kind()) {
            case SELF, PLATFORM, ANYWHERE -> null;
            case ORGANIZATION, SHARED_RUNTIME -> findRestriction(null, requested.requireOrgId());
            case PROJECT -> {
                var project = model.project(requested.requireId());
                yield project == null ? null : findRestriction(project, project.orgId());
            }
        };
    }

    private @Nullable Decision findRestriction(@Nullable Project project, UUID orgId) {
        if ((project != null && project.deleted()) || model.isDeleted(orgId)) {
            return Decision.RESOURCE_DELETED;
        }
        return project != null && project.suspended() ? Decision.PROJECT_SUSPENDED : null;
    }

    private boolean checkPasses(Check check, boolean passes) {
        if (steps != null) {
            steps.add(Step.of(check, passes));
        }
        return passes;
    }

    private void addStep(Step step) {
        if (steps != null) {
            steps.add(step);
        }
    }

    private void addStep(Level level) {
        if (steps != null) {
            steps.add(Step.missing(level));
        }
    }

    private void addStep(Binding binding, Outcome outcome) {
        if (steps != null) {
            var group = binding.principalId().equals(principal.id()) ? null : binding.principalId();
            steps.add(new Step(Check.BINDING, outcome, binding.level(), binding, group));
        }
    }
}
