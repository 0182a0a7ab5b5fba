package dev.slipway.instances.appinstance;

import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** Reads app instances, now and at a past time. */
public final class AppInstanceApi {
    private final AppInstanceReadStore store;
    private final InstanceHistoryStore history;

    public AppInstanceApi(AppInstanceReadStore store, InstanceHistoryStore history) {
        this.store = store;
        this.history = history;
    }

    public Future<Reply> get(Request request) {
        var id = request.pathId("app_instance_id");
        var at = request.query("at");
        if (at != null) {
            return history.findAt(request.projectId(), id, TimeParser.parse("at", at))
                    .map(state -> Reply.of(HistoryJson.instance(state)));
        }
        return store.findWithOperation(request.projectId(), id)
                .map(found -> Reply.ofRecord(AppInstanceView.full(found.instance(), found.operationId())));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.query("status"), request.cursor(), request.limit())
                .map(page -> page.toReply(instance -> Json.toObject(AppInstanceView.summary(instance))));
    }
}
