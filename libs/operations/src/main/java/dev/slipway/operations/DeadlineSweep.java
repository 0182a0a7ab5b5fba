package dev.slipway.operations;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationStore.DueOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;

/** Expires periodically the operations that are past their deadline. */
public final class DeadlineSweep {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineSweep.class);
    private static final int BATCH = 100;

    private final Vertx vertx;
    private final Outbox outbox;
    private final OperationStore operations;
    private final ExpiryHandler handler;
    private final Consumer<UnitOfWork> deleteExpiredRows;
    private final Duration interval;
    private boolean busy;

    /** {@code deleteExpiredRows} runs at the start of each sweep. */
    public DeadlineSweep(
            Vertx vertx,
            Outbox outbox,
            OperationStore operations,
            ExpiryHandler handler,
            Consumer<UnitOfWork> deleteExpiredRows,
            Duration interval) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.operations = operations;
        this.handler = handler;
        this.deleteExpiredRows = deleteExpiredRows;
        this.interval = interval;
    }

    /** Expires operations on one kind of subject. */
    public interface ExpiryHandler {
        /** Locks the subject, unless another transaction has it, decides and stores the result. */
        Future<Void> expire(UnitOfWork unit, DueOperation due);
    }

    /** The metadata of an expiry's audit entry. */
    private record ExpiryAudit(UUID operationId, Operation.Kind kind, Operation.Status status, Instant deadlineAt) {}

    public void start() {
        vertx.setPeriodic(interval.toMillis(), timer -> {
            if (!busy) {
                busy = true;
                sweep().onFailure(e ->
                                LOG.atWarn().setCause(e).log("deadline sweep failed; retrying at the next interval"))
                        .onComplete(done -> busy = false);
            }
        });
    }

    /** Records that an operation expired; {@code code} is that of the blocker. */
    public static void audit(UnitOfWork unit, Operation expired, String code) {
        var metadata =
                Json.toObject(new ExpiryAudit(expired.id(), expired.kind(), expired.status(), expired.deadlineAt()));
        AuditTrail.recordSystemAction(
                unit,
                "system",
                "instances",
                null,
                new AuditEntry(
                        expired.subject().kind().action("expire"),
                        expired.subject().kind().text(),
                        expired.subject().id().toString(),
                        expired.subject().orgId(),
                        expired.subject().projectId(),
                        metadata),
                "success",
                code);
    }

    private Future<Void> sweep() {
        return outbox.transaction(newContext(), unit -> {
                    deleteExpiredRows.accept(unit);
                    return operations.listDue(unit, BATCH);
                })
                .compose(due -> {
                    Future<Void> chain = Future.succeededFuture();
                    for (var operation : due) {
                        chain = chain.compose(ok -> expire(operation));
                    }
                    return chain;
                });
    }

    /** In a transaction and with a correlation id of its own, so that a failure does not affect the other operations. */
    private Future<Void> expire(DueOperation due) {
        return outbox.<Void>transaction(newContext(), unit -> handler.expire(unit, due))
                .recover(e -> {
                    LOG.atWarn()
                            .addKeyValue("operation_id", due.operationId())
                            .addKeyValue(
                                    due.subject().kind().idField(),
                                    due.subject().id())
                            .setCause(e)
                            .log("expiring an operation failed; retrying at the next interval");
                    return Future.succeededFuture();
                });
    }

    private static ChangeContext newContext() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }
}
