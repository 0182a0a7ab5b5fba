package dev.slipway.operations;

import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.OperationStore.DueOperation;
import dev.slipway.operations.PeriodicSweep.DueWork;
import dev.slipway.operations.domain.Operation;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** Expires the operations that are past their deadline. */
public final class DeadlineSweep implements DueWork<DueOperation> {
    private final OperationStore operations;
    private final ExpiryHandler handler;
    private final Consumer<UnitOfWork> deleteExpiredRows;

    /** {@code deleteExpiredRows} runs at the start of each sweep. */
    public DeadlineSweep(OperationStore operations, ExpiryHandler handler, Consumer<UnitOfWork> deleteExpiredRows) {
        this.operations = operations;
        this.handler = handler;
        this.deleteExpiredRows = deleteExpiredRows;
    }

    /** Expires operations on one kind of subject. */
    public interface ExpiryHandler {
        /** Locks the subject, unless another transaction has it, decides and stores the result. */
        Future<Void> expire(UnitOfWork unit, DueOperation due);
    }

    /** The metadata of an expiry's audit entry. */
    private record ExpiryAudit(UUID operationId, Operation.Kind kind, Operation.Status status, Instant deadlineAt) {}

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
                AuditResult.SUCCESS,
                code);
    }

    @Override
    public String name() {
        return "operation deadlines";
    }

    @Override
    public Future<List<DueOperation>> listDue(UnitOfWork unit, int limit) {
        deleteExpiredRows.accept(unit);
        return operations.listDue(unit, limit);
    }

    @Override
    public Future<Void> handle(UnitOfWork unit, DueOperation due) {
        return handler.expire(unit, due);
    }

    @Override
    public Map<String, Object> logKeys(DueOperation due) {
        var subject = due.subject();
        return Map.of("operation_id", due.operationId(), subject.kind().idField(), subject.id());
    }
}
