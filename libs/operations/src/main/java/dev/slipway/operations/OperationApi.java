package dev.slipway.operations;

import dev.slipway.operations.OperationStore.OperationFilter;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.UUID;
import java.util.function.Predicate;

/** Reads the operations of one kind of subject, as one kind of caller sees them. */
public final class OperationApi {
    private final SubjectFinder subjects;
    private final OperationStore store;
    private final AdapterStore adapters;
    private final Clock clock;

    public OperationApi(SubjectFinder subjects, OperationStore store, AdapterStore adapters, Clock clock) {
        this.subjects = subjects;
        this.store = store;
        this.adapters = adapters;
        this.clock = clock;
    }

    /** Finds the subject of a request; fails if the caller's project or organization has no such subject. */
    public interface SubjectFinder {
        Future<VisibleSubject> find(Request request);
    }

    /**
     * A subject and the part of its operations that the caller may see.
     *
     * @param ownerId the project or organization of the subject
     * @param projectId the only project whose operations are visible; null if all are
     */
    public record VisibleSubject(
            UUID ownerId, UUID id, String backend, @Nullable UUID projectId) {}

    public Future<Reply> list(Request request) {
        return list(request, null);
    }

    public Future<Reply> listMemberOperations(Request request) {
        return list(request, Kind.MEMBER);
    }

    public Future<Reply> get(Request request) {
        return find(request, operation -> true);
    }

    /** Returns a member operation; an operation of another kind is not found here. */
    public Future<Reply> getMemberOperation(Request request) {
        return find(request, operation -> operation.kind() == Kind.MEMBER);
    }

    private Future<Reply> list(Request request, @Nullable Kind kind) {
        var cursor = request.cursor();
        return subjects.find(request)
                .compose(subject -> adapters.findAvailability(subject.backend).compose(availability -> store.list(
                                subject.ownerId,
                                subject.id,
                                new OperationFilter(request.query("status"), subject.projectId, kind),
                                cursor,
                                request.limit())
                        .map(page -> page.toReply(operation -> OperationJson.view(
                                operation, OperationBlockers.current(operation, availability, clock.instant()))))));
    }

    private Future<Reply> find(Request request, Predicate<Operation> wanted) {
        var id = request.pathId("operation_id");
        return subjects.find(request).compose(subject -> adapters.findAvailability(subject.backend)
                .compose(availability -> store.find(subject.ownerId, subject.id, id)
                        .compose(operation -> wanted.test(operation) && isVisible(subject, operation)
                                ? Future.succeededFuture(Reply.of(OperationJson.view(
                                        operation,
                                        OperationBlockers.current(operation, availability, clock.instant()))))
                                : Future.failedFuture(OperationStore.notFound(id)))));
    }

    private static boolean isVisible(VisibleSubject subject, Operation operation) {
        var attribution = operation.attribution();
        return subject.projectId == null || (attribution != null && subject.projectId.equals(attribution.projectId()));
    }
}
