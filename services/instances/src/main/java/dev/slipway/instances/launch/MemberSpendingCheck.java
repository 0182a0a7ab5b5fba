package dev.slipway.instances.launch;

import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.Refusals;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/** Rejects additional members and workers, of which the cost is not known, while the balance or the budget refuses launches. */
public record MemberSpendingCheck(LaunchContextStore contexts) {
    /** Rejects an operation that adds a member; others are free. */
    public Future<Void> requireAffordable(
            UnitOfWork unit, MemberOperation operation, UUID orgId, @Nullable UUID projectId) {
        return operation != MemberOperation.ADD
                ? Future.succeededFuture()
                : contexts.loadSpending(unit, orgId, projectId, ExpectedUsage.ofUnits(Set.of()))
                        .map(spending -> {
                            Refusals.rejectIf(spending.check());
                            return null;
                        });
    }
}
