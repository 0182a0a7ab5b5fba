package dev.slipway.iam.operator;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.operator.domain.SharedRuntimeOperator;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Creates the operators of new shared runtimes from the events of the instances service. */
public final class SharedRuntimeOperatorConsumer {
    private static final String REQUESTED = "apps.shared_runtime.requested";
    /** The least that a controller and its adapter need. */
    private static final List<String> ACTIONS = List.of(
            "apps.shared_runtime.read",
            "apps.shared_runtime.report",
            "apps.shared_runtime.attachment.read",
            "apps.shared_runtime.worker.read",
            "usage.report");

    private final Function<UnitOfWork, Future<Revision>> beginRevision;

    /** The metadata of the audit entry of a created operator. */
    private record OperatorAudit(UUID sharedRuntimeId) {}

    /** The payload of an event, as far as it is used here. */
    private record RuntimeEvent(
            UUID sharedRuntimeId,
            UUID orgId,
            UUID operatorId,
            String displayName,
            String runtimeBackend,
            UUID requestedByUserId,
            boolean createsOperator) {
        static RuntimeEvent of(Envelope event) {
            return Json.toRecord(event.payload(), RuntimeEvent.class);
        }

        SharedRuntimeOperator toOperator(Instant now) {
            return new SharedRuntimeOperator(
                    operatorId,
                    orgId,
                    sharedRuntimeId,
                    runtimeBackend,
                    "Operator of " + displayName,
                    ACTIONS,
                    ResourceState.ACTIVE,
                    requestedByUserId,
                    now.truncatedTo(ChronoUnit.MICROS),
                    null,
                    null);
        }
    }

    public SharedRuntimeOperatorConsumer(Function<UnitOfWork, Future<Revision>> beginRevision) {
        this.beginRevision = beginRevision;
    }

    /** An event that was applied before changes nothing. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var relevant = events.stream()
                .map(ReceivedEvent::envelope)
                .filter(event -> event.eventType().equals(REQUESTED))
                .map(RuntimeEvent::of)
                .filter(RuntimeEvent::createsOperator)
                .toList();
        return relevant.isEmpty()
                ? Future.succeededFuture()
                : beginRevision.apply(unit).compose(revision -> {
                    Future<Void> chain = Future.succeededFuture();
                    for (var runtime : relevant) {
                        chain = chain.compose(ok -> apply(unit, revision, runtime));
                    }
                    return chain;
                });
    }

    private static Future<Void> apply(UnitOfWork unit, Revision revision, RuntimeEvent runtime) {
        return SharedRuntimeOperatorStore.exists(unit, runtime.orgId, runtime.operatorId)
                .compose(exists -> exists
                        ? Future.succeededFuture()
                        : SharedRuntimeOperatorStore.insert(unit, revision, runtime.toOperator(unit.now()))
                                .map(inserted -> {
                                    if (inserted) {
                                        audit(unit, runtime);
                                    }
                                    return null;
                                }));
    }

    private static void audit(UnitOfWork unit, RuntimeEvent runtime) {
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "iam",
                null,
                new AuditEntry(
                        "iam.operator.create",
                        "shared_runtime_operator",
                        runtime.operatorId.toString(),
                        runtime.orgId,
                        null,
                        Json.toObject(new OperatorAudit(runtime.sharedRuntimeId))),
                AuditResult.SUCCESS,
                null);
    }
}
