package dev.slipway.iam.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.slipway.authz.Binding;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Decision;
import dev.slipway.authz.Explanation;
import dev.slipway.authz.Explanation.Check;
import dev.slipway.authz.Explanation.Outcome;
import dev.slipway.authz.Explanation.Step;
import dev.slipway.authz.ResourceScope;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The JSON of decisions and explanations. */
final class DecisionJson {
    private DecisionJson() {}

    /** A request: may the actor (by default the caller) take the product's action in the hierarchy? */
    record DecisionBody(
            @Nullable Actor actor,
            @Nullable Hierarchy hierarchy,
            Product product,
            @Nullable String correlationId) {
        @Nullable
        UUID actorId() {
            return actor == null ? null : actor.id;
        }

        @Nullable
        UUID organizationId() {
            return hierarchy == null ? null : hierarchy.organizationId;
        }

        @Nullable
        UUID projectId() {
            return hierarchy == null ? null : hierarchy.projectId;
        }
    }

    record Actor(@Nullable UUID id) {}

    record Hierarchy(
            @Nullable UUID organizationId, @Nullable UUID projectId) {}

    record Product(
            String action,
            @Nullable String resourceType,
            @Nullable String resourceId,
            boolean removes) {}

    record DecisionView(
            String decision,
            Decision.Verdict reason,
            String message,
            List<Rule> matchedRules,
            long evidenceVersion,
            @JsonInclude(Include.NON_NULL) @Nullable Long evidenceAgeMs,
            @JsonInclude(Include.NON_NULL) @Nullable List<StepView> steps,
            String correlationId) {}

    record Rule(
            Level level,
            String role,
            UUID bindingId,
            @JsonInclude(Include.NON_NULL) @Nullable UUID groupId,
            @Nullable Instant expiresAt) {
        static Rule of(Binding binding, @Nullable UUID groupId) {
            return new Rule(binding.level(), binding.role(), binding.id(), groupId, binding.expiresAt());
        }
    }

    /** A step shows as much of a binding as the reader may know. */
    sealed interface StepView {}

    record CheckStep(
            Check check,
            Outcome outcome,
            @JsonInclude(Include.NON_NULL) @Nullable Level level) implements StepView {}

    record RoleStep(Check check, Outcome outcome, Level level, String role) implements StepView {}

    record BindingStep(
            Check check,
            Outcome outcome,
            Level level,
            String role,
            UUID bindingId,
            @JsonInclude(Include.NON_NULL) @Nullable UUID groupId,
            @Nullable Instant expiresAt)
            implements StepView {}

    static DecisionView decision(Decision decision, UUID actorId, String action, long revision, String correlationId) {
        return view(decision, actorId, action, revision, null, null, correlationId);
    }

    static DecisionView explanation(
            Explanation explanation, UUID actorId, String action, ResourceScope scope, String correlationId) {
        return view(
                explanation.decision(),
                actorId,
                action,
                explanation.revision(),
                explanation.age().toMillis(),
                explanation.steps().stream().map(step -> step(step, scope)).toList(),
                correlationId);
    }

    private static DecisionView view(
            Decision decision,
            UUID actorId,
            String action,
            long revision,
            @Nullable Long ageMs,
            @Nullable List<StepView> steps,
            String correlationId) {
        var binding = decision.grantedBy();
        var rules = binding == null
                ? List.<Rule>of()
                : List.of(Rule.of(binding, binding.principalId().equals(actorId) ? null : binding.principalId()));
        return new DecisionView(
                decision.allowed() ? "allow" : "deny",
                decision.verdict(),
                decision.allowed()
                        ? "The action is allowed."
                        : decision.toProblem(action).message(),
                rules,
                revision,
                ageMs,
                steps,
                correlationId);
    }

    private static StepView step(Step step, ResourceScope scope) {
        var binding = step.binding();
        if (binding == null) {
            return new CheckStep(step.check(), step.outcome(), step.level());
        }
        if (binding.level() == Level.PLATFORM && scope.kind() != ResourceScope.Kind.PLATFORM) {
            // Administrators of a tenant learn that a platform role exists, not the binding or the group.
            return new RoleStep(step.check(), step.outcome(), binding.level(), binding.role());
        }
        return new BindingStep(
                step.check(),
                step.outcome(),
                binding.level(),
                binding.role(),
                binding.id(),
                step.groupId(),
                binding.expiresAt());
    }
}
