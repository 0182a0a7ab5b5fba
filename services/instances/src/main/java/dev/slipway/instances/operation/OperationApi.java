package dev.slipway.instances.operation;

import dev.slipway.instances.appinstance.AppInstanceStore;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** What was asked of an instance: the operations on it, to be read. */
public final class OperationApi {
    private final OperationStore store;
    private final AppInstanceStore instances;

    public OperationApi(OperationStore store, AppInstanceStore instances) {
        this.store = store;
        this.instances = instances;
    }

    public Future<Reply> list(Request request) {
        var instanceId = request.pathId("app_instance_id");
        var cursor = request.cursor();
        return instances
                .find(request.projectId(), instanceId)
                .compose(found ->
                        store.list(request.projectId(), instanceId, request.query("status"), cursor, request.limit()))
                .map(page -> page.reply(OperationJson::full));
    }

    public Future<Reply> get(Request request) {
        var instanceId = request.pathId("app_instance_id");
        return instances
                .find(request.projectId(), instanceId)
                .compose(found -> store.find(request.projectId(), instanceId, request.pathId("operation_id")))
                .map(operation -> Reply.of(OperationJson.full(operation)));
    }
}
