package dev.slipway.instances.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.launch.PlanStore.StoredPlan;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.policy.EffectivePolicy;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A plan in responses, beside its outcome: the policy, the quota and the adapters that it depends on. */
public record PlanView(
        UUID planId,
        Instant expiresAt,
        PolicyView policy,
        @Nullable QuotaView quota,
        @Nullable AdapterView adapter,
        CostEstimateView costEstimate,
        List<Spending.Warning> warnings) {

    private record PolicyView(String version, List<ValueView> values) {}

    private record ValueView(
            String key, @Nullable JsonNode value, @Nullable SourceView setBy) {}

    private record SourceView(String level, String subjectId, long version) {}

    private record QuotaView(long limit, long used, long after) {}

    private record AdapterView(
            String runtimeBackend,
            boolean available,
            @Nullable Instant lastSeenAt) {}

    public static ObjectNode of(
            StoredPlan stored,
            LaunchPlan plan,
            LaunchContext context,
            @Nullable AdapterAvailability adapters,
            Instant now) {
        var quota = context.quota();
        var spending = context.eligibility().spending();
        var view = new PlanView(
                stored.id(),
                stored.expiresAt(),
                policy(context.policy()),
                quota == null ? null : new QuotaView(quota.limit(), quota.used(), quota.used() + 1),
                adapter(adapters, now),
                CostEstimateView.of(spending, quota == null ? null : quota.limit() - quota.used()),
                spending.warnings());
        return plan.outcome().deepCopy().setAll(Json.toObject(view));
    }

    /** A plan without a quota. */
    private record SharedRuntimePlanView(
            UUID planId,
            Instant expiresAt,
            @Nullable PolicyView policy,
            @Nullable AdapterView adapter,
            CostEstimateView costEstimate,
            List<Spending.Warning> warnings) {}

    /** Returns the plan of a shared runtime or of an attachment to one; {@code policy} is null if the project is not found. */
    public static ObjectNode ofSharedRuntime(
            StoredPlan stored,
            LaunchPlan plan,
            @Nullable EffectivePolicy policy,
            @Nullable AdapterAvailability adapters,
            Spending spending,
            Instant now) {
        var view = new SharedRuntimePlanView(
                stored.id(),
                stored.expiresAt(),
                policy == null ? null : policy(policy),
                adapter(adapters, now),
                CostEstimateView.of(spending, null),
                spending.warnings());
        return plan.outcome().deepCopy().setAll(Json.toObject(view));
    }

    private static @Nullable AdapterView adapter(@Nullable AdapterAvailability adapters, Instant now) {
        return adapters == null
                ? null
                : new AdapterView(adapters.backend(), adapters.isAvailable(now), adapters.lastSeenAt());
    }

    private static PolicyView policy(EffectivePolicy policy) {
        return new PolicyView(
                policy.version(),
                policy.effectiveValues().stream()
                        .map(each -> {
                            var value = each.value();
                            var setBy = each.setBy();
                            return new ValueView(
                                    each.key().id(),
                                    value == null ? null : value.json(),
                                    setBy == null
                                            ? null
                                            : new SourceView(setBy.level().text(), setBy.subject(), setBy.version()));
                        })
                        .toList());
    }
}
