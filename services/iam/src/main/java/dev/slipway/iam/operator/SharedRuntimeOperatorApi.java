package dev.slipway.iam.operator;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.operator.domain.SharedRuntimeOperator;
import dev.slipway.service.ItemList;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** The parts of the shared-runtime operator API that differ from other machine principals. */
public final class SharedRuntimeOperatorApi {
    private final SharedRuntimeOperatorStore store;
    private final Clock clock;

    private record CreateOperator(
            UUID sharedRuntimeId, @Nullable String runtimeBackend, String displayName, List<String> allowedActions) {}

    private record OperatorView(
            UUID id,
            UUID orgId,
            UUID sharedRuntimeId,
            @Nullable String runtimeBackend,
            String displayName,
            List<String> allowedActions,
            ResourceState state,
            UUID createdByUserId,
            Instant createdAt,
            @Nullable Instant disabledAt,
            @Nullable Instant deletedAt) {}

    private record AuditMetadata(
            UUID sharedRuntimeId, @Nullable String runtimeBackend, ResourceState state) {}

    public SharedRuntimeOperatorApi(SharedRuntimeOperatorStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"))
                .map(operators -> ItemList.reply(operators, SharedRuntimeOperatorApi::view));
    }

    /** Reads the operator of a create request. */
    public SharedRuntimeOperator parse(Request request) {
        var body = Json.toRecord(request.body(), CreateOperator.class);
        return new SharedRuntimeOperator(
                Ids.next(),
                request.pathId("org_id"),
                body.sharedRuntimeId(),
                body.runtimeBackend(),
                body.displayName(),
                body.allowedActions(),
                ResourceState.ACTIVE,
                request.principal().responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                null,
                null);
    }

    public static Object view(SharedRuntimeOperator operator) {
        return new OperatorView(
                operator.id(),
                operator.orgId(),
                operator.sharedRuntimeId(),
                operator.runtimeBackend(),
                operator.displayName(),
                operator.allowedActions(),
                operator.state(),
                operator.createdByUserId(),
                operator.createdAt(),
                operator.disabledAt(),
                operator.deletedAt());
    }

    public static Object auditMetadata(SharedRuntimeOperator operator) {
        return new AuditMetadata(operator.sharedRuntimeId(), operator.runtimeBackend(), operator.state());
    }
}
