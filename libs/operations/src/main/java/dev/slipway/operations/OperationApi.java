package dev.slipway.operations;

import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.util.UUID;
import java.util.function.Predicate;

/** Reads the operations of one kind of subject. */
public final class OperationApi {
    private final SubjectKind kind;
    private final BackendFinder backends;
    private final OperationStore store;
    private final AdapterStore adapters;
    private final Clock clock;

    public OperationApi(
            SubjectKind kind, BackendFinder backends, OperationStore store, AdapterStore adapters, Clock clock) {
        this.kind = kind;
        this.backends = backends;
        this.store = store;
        this.adapters = adapters;
        this.clock = clock;
    }

    /** Finds the runtime backend of a subject; fails if the project has no such subject. */
    public interface BackendFinder {
        Future<String> find(UUID projectId, UUID subjectId);
    }

    public Future<Reply> list(Request request) {
        var subjectId = request.pathId(kind.idField());
        var cursor = request.cursor();
        return backends.find(request.projectId(), subjectId)
                .compose(adapters::findAvailability)
                .compose(availability -> store.list(
                                request.projectId(), subjectId, request.query("status"), cursor, request.limit())
                        .map(page -> page.toReply(operation -> OperationJson.view(
                                operation, OperationBlockers.current(operation, availability, clock.instant())))));
    }

    public Future<Reply> get(Request request) {
        return find(request, operation -> true);
    }

    /** Returns a member operation; an operation of another kind is not found here. */
    public Future<Reply> getMemberOperation(Request request) {
        return find(request, operation -> operation.kind() == Kind.MEMBER);
    }

    private Future<Reply> find(Request request, Predicate<Operation> wanted) {
        var subjectId = request.pathId(kind.idField());
        var id = request.pathId("operation_id");
        return backends.find(request.projectId(), subjectId)
                .compose(adapters::findAvailability)
                .compose(availability -> store.find(request.projectId(), subjectId, id)
                        .compose(operation -> wanted.test(operation)
                                ? Future.succeededFuture(Reply.of(OperationJson.view(
                                        operation,
                                        OperationBlockers.current(operation, availability, clock.instant()))))
                                : Future.failedFuture(OperationStore.notFound(id))));
    }
}
