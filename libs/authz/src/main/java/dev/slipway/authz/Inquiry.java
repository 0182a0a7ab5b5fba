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
 * One question on its way to a decision. An explanation is the same way with the steps written down, so the two cannot differ: the only
 * difference is that it looks on after the first binding that grants.
 */
final class Inquiry {
    private static final UUID[] NONE = {};

    private final AuthzModel model;
    private final Grants grants;
    private final Principal principal;
    private final String action;
    private final Target target;
    private final Instant now;
    private final @Nullable List<Step> steps;
    private final @Nullable Holdings own;
    private UUID @Nullable [] groups;
    private boolean bound;
    private @Nullable Binding by;

    Inquiry(
            AuthzModel model,
            Principal principal,
            String action,
            Target target,
            Instant now,
            @Nullable List<Step> steps) {
        this.model = model;
        this.grants = model.grants();
        this.principal = principal;
        this.action = action;
        this.target = target;
        this.now = now;
        this.steps = steps;
        var user = principal.type() == ActorType.USER;
        this.own = user ? grants.holdings(principal.id()) : null; // what is bound to a machine does not help it
        this.groups = user ? null : NONE;
    }

    Decision answer() {
        if (target.breakGlass()) {
            return byPlatformRole();
        }
        return switch (target.kind()) {
            case SELF -> asOneself();
            case PLATFORM -> principal.type() == ActorType.ADAPTER ? asMachine(target) : byPlatformRole();
            case ANYWHERE -> principal.type() == ActorType.USER ? anywhere() : asMachine(ownPlace());
            case ORGANIZATION, SHARED_RUNTIME, PROJECT ->
                principal.type() == ActorType.USER ? inTenant() : asMachine(target);
        };
    }

    /** Everyone may read what is their own; a token made for some actions changes nothing beyond them. */
    private Decision asOneself() {
        var only = principal.type() == ActorType.USER ? principal.tokenActions() : null;
        return only == null || only.contains(action) || action.endsWith(".read")
                ? Decision.WITHOUT_BINDING
                : Decision.OUT_OF_TOKEN_SCOPE;
    }

    /** At the platform, and through an admin twin: nothing but what is held at the platform counts. */
    private Decision byPlatformRole() {
        look(Level.PLATFORM, Binding.PLATFORM, null);
        if (!passes(Check.ACTION, grants.isLive(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        if (by == null) {
            return Decision.NOT_GRANTED;
        }
        if (target.kind() == Target.Kind.PROJECT && !passes(Check.PLACE, model.project(target.placeId()) != null)) {
            return Decision.NOT_BOUND;
        }
        return narrowed(isDeleted(target));
    }

    private Decision anywhere() {
        lookEverywhere(own);
        for (var group : groups()) {
            lookEverywhere(grants.holdings(group));
        }
        if (!passes(Check.ACTION, grants.isLive(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        return by == null ? Decision.NOT_GRANTED : narrowed(false);
    }

    private Decision inTenant() {
        Project project = null;
        if (target.kind() == Target.Kind.PROJECT) {
            project = model.project(target.placeId());
            if (project == null) {
                note(Step.of(Check.PLACE, false));
                return Decision.NOT_BOUND;
            }
            look(Level.PROJECT, project.id(), project.orgId());
        }
        var orgId = project == null ? target.organizationId() : project.orgId();
        if (by == null || steps != null) {
            look(Level.ORGANIZATION, orgId, orgId);
        }
        if (!bound || steps != null) {
            var platform = holdsPlatformRole();
            if (!bound) {
                return platform ? Decision.BREAK_GLASS_REQUIRED : Decision.NOT_BOUND;
            }
        }
        if (!passes(Check.ACTION, grants.isLive(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        return by == null
                ? Decision.NOT_GRANTED
                : narrowed((project != null && project.deleted()) || model.isDeleted(orgId));
    }

    /** A machine has one place, and there only what its kind, its list, its task and its token all allow. */
    private Decision asMachine(@Nullable Target place) {
        if (!passes(Check.PLACE, place != null && isOwn(place))) {
            return Decision.NOT_BOUND;
        }
        if (!passes(Check.ACTION, grants.isLive(action))) {
            return Decision.UNKNOWN_ACTION;
        }
        if (!passes(Check.MACHINE_ROLE, grants.isForMachines(principal.type(), action))) {
            return Decision.NOT_GRANTED;
        }
        var task = principal.task();
        if (task != null && !passes(Check.TASK, task.actions().contains(action))) {
            return Decision.OTHER_TASK;
        }
        if (!passes(Check.ALLOWLIST, principal.allowedActions().contains(action))) {
            return Decision.NOT_ALLOWLISTED;
        }
        return narrowed(place != null && isDeleted(place));
    }

    private Decision narrowed(boolean deleted) {
        var only = principal.tokenActions();
        if (only != null && !passes(Check.TOKEN_SCOPE, only.contains(action))) {
            return Decision.OUT_OF_TOKEN_SCOPE;
        }
        if (deleted && !passes(Check.RESOURCE_STATE, target.removal() || outlivesDeletion(action))) {
            return Decision.RESOURCE_DELETED;
        }
        return by == null ? Decision.WITHOUT_BINDING : new Decision(Decision.Verdict.ALLOWED, by);
    }

    /** What is left in a deleted place: to read, to delete, to revoke, and to report how the deleting goes. */
    private static boolean outlivesDeletion(String action) {
        return action.endsWith(".read")
                || action.endsWith(".delete")
                || action.endsWith(".force_delete")
                || action.endsWith(".revoke")
                || action.endsWith(".report");
    }

    /** Looked up when they are asked about: most decisions come from what is held in person. */
    private UUID[] groups() {
        var found = groups;
        if (found == null) {
            found = grants.groupsOf(principal.id());
            groups = found;
        }
        return found;
    }

    private void look(Level level, UUID place, @Nullable UUID orgId) {
        var found = look(own, level, place, orgId);
        for (var i = 0; (by == null || steps != null) && i < groups().length; i++) {
            found |= look(grants.holdings(groups()[i]), level, place, orgId);
        }
        if (!found) {
            note(level);
        }
    }

    private boolean look(@Nullable Holdings held, Level level, UUID place, @Nullable UUID orgId) {
        if (held == null) {
            return false;
        }
        var there = held.at(level, place);
        for (var binding : there) {
            judge(binding, orgId);
            if (by != null && steps == null) {
                return true;
            }
        }
        return there.length > 0;
    }

    private void lookEverywhere(@Nullable Holdings held) {
        if (held == null || (by != null && steps == null)) {
            return;
        }
        for (var binding : held.all()) {
            judge(binding, model.orgOf(binding));
            if (by != null && steps == null) {
                return;
            }
        }
    }

    private void judge(Binding binding, @Nullable UUID orgId) {
        if (binding.expired(now)) {
            note(binding, Outcome.EXPIRED);
            return;
        }
        bound = true;
        var grantsIt = grants.grants(binding, orgId, action);
        note(binding, grantsIt ? Outcome.GRANTS : Outcome.DOES_NOT_GRANT);
        if (grantsIt && by == null) {
            by = binding;
        }
    }

    private boolean holdsPlatformRole() {
        var holds = holdsPlatformRole(own);
        for (var i = 0; (!holds || steps != null) && i < groups().length; i++) {
            holds |= holdsPlatformRole(grants.holdings(groups()[i]));
        }
        if (!holds) {
            note(Level.PLATFORM);
        }
        return holds;
    }

    private boolean holdsPlatformRole(@Nullable Holdings held) {
        if (held == null) {
            return false;
        }
        var holds = false;
        for (var binding : held.at(Level.PLATFORM, Binding.PLATFORM)) {
            var expired = binding.expired(now);
            note(binding, expired ? Outcome.EXPIRED : Outcome.NEEDS_BREAK_GLASS);
            holds |= !expired;
        }
        return holds;
    }

    private @Nullable Target ownPlace() {
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        var sharedRuntimeId = principal.sharedRuntimeId();
        return switch (principal.type()) {
            case USER, ADAPTER -> null;
            case SERVICE_ACCOUNT -> projectId == null ? null : Target.project(projectId);
            case SHARED_RUNTIME_OPERATOR ->
                orgId == null || sharedRuntimeId == null ? null : Target.sharedRuntime(orgId, sharedRuntimeId);
        };
    }

    private boolean isOwn(Target place) {
        return switch (principal.type()) {
            case USER -> false;
            case ADAPTER -> place.kind() == Target.Kind.PLATFORM;
            case SERVICE_ACCOUNT ->
                place.kind() == Target.Kind.PROJECT
                        && place.placeId().equals(principal.projectId())
                        && model.project(place.placeId()) != null;
            case SHARED_RUNTIME_OPERATOR ->
                place.kind() == Target.Kind.SHARED_RUNTIME
                        && place.placeId().equals(principal.sharedRuntimeId())
                        && place.organizationId().equals(principal.orgId());
        };
    }

    private boolean isDeleted(Target place) {
        return switch (place.kind()) {
            case SELF, PLATFORM, ANYWHERE -> false;
            case ORGANIZATION, SHARED_RUNTIME -> model.isDeleted(place.organizationId());
            case PROJECT -> {
                var project = model.project(place.placeId());
                yield project != null && (project.deleted() || model.isDeleted(project.orgId()));
            }
        };
    }

    private boolean passes(Check check, boolean passes) {
        if (steps != null) {
            steps.add(Step.of(check, passes));
        }
        return passes;
    }

    private void note(Step step) {
        if (steps != null) {
            steps.add(step);
        }
    }

    private void note(Level level) {
        if (steps != null) {
            steps.add(Step.missing(level));
        }
    }

    private void note(Binding binding, Outcome outcome) {
        if (steps != null) {
            var group = binding.principalId().equals(principal.id()) ? null : binding.principalId();
            steps.add(new Step(Check.BINDING, outcome, binding.level(), binding, group));
        }
    }
}
