package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.LaunchContextStore.LaunchContext;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.policy.EffectivePolicy;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A plan in responses, beside its outcome: the policy, the quota and the adapters that it depends on. */
record PlanView(
        UUID planId,
        Instant expiresAt,
        PolicyView policy,
        @Nullable QuotaView quota,
        @Nullable AdapterView adapter) {

    private record PolicyView(String version, List<ValueView> values) {}

    private record ValueView(
            String key, @Nullable JsonNode value, @Nullable SourceView setBy) {}

    private record SourceView(String level, String subjectId, long version) {}

    private record QuotaView(long limit, long used, long after) {}

    private record AdapterView(
            String runtimeBackend,
            boolean available,
            @Nullable Instant lastSeenAt) {}

    static ObjectNode of(
            PlanStore.StoredPlan stored,
            LaunchPlan plan,
            LaunchContext context,
            @Nullable AdapterAvailability adapters,
            Instant now) {
        var quota = context.quota();
        var view = new PlanView(
                stored.id(),
                stored.expiresAt(),
                policy(context.policy()),
                quota == null ? null : new QuotaView(quota.limit(), quota.used(), quota.used() + 1),
                adapters == null
                        ? null
                        : new AdapterView(adapters.backend(), adapters.isAvailable(now), adapters.lastSeenAt()));
        return plan.outcome().deepCopy().setAll(Json.toObject(view));
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
