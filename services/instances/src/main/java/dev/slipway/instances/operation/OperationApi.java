package dev.slipway.instances.operation;

import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.instances.operation.domain.Operation;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Waiting;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.util.function.Function;
import java.util.function.Predicate;

/** What was asked of an instance: the operations on it, to be read. */
public final class OperationApi {
    private final OperationReadStore store;
    private final AppInstanceStore instances;
    private final Function<String, Future<Adapters>> adapters;
    private final Clock clock;

    /** {@code adapters} tells of those of a backend. */
    public OperationApi(
            OperationReadStore store,
            AppInstanceStore instances,
            Function<String, Future<Adapters>> adapters,
            Clock clock) {
        this.store = store;
        this.instances = instances;
        this.adapters = adapters;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        var instanceId = request.pathId("app_instance_id");
        var cursor = request.cursor();
        return instances
                .find(request.projectId(), instanceId)
                .compose(found -> adapters.apply(found.app().runtimeBackend()))
                .compose(known -> store.list(
                                request.projectId(), instanceId, request.query("status"), cursor, request.limit())
                        .map(page -> page.reply(operation ->
                                OperationJson.full(operation, Waiting.on(operation, known, clock.instant())))));
    }

    public Future<Reply> get(Request request) {
        return find(request, operation -> true);
    }

    /** One on a member; of other kinds there are none here. */
    public Future<Reply> getOfMember(Request request) {
        return find(request, operation -> operation.kind() == Kind.MEMBER);
    }

    private Future<Reply> find(Request request, Predicate<Operation> wanted) {
        var instanceId = request.pathId("app_instance_id");
        var id = request.pathId("operation_id");
        return instances
                .find(request.projectId(), instanceId)
                .compose(found -> adapters.apply(found.app().runtimeBackend()))
                .compose(known -> store.find(request.projectId(), instanceId, id)
                        .compose(operation -> wanted.test(operation)
                                ? Future.succeededFuture(Reply.of(
                                        OperationJson.full(operation, Waiting.on(operation, known, clock.instant()))))
                                : Future.failedFuture(OperationStore.notFound(id))));
    }
}
