package dev.slipway.instances.appinstance;

import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** App instances, to be read. */
public final class AppInstanceApi {
    private final AppInstanceStore store;

    public AppInstanceApi(AppInstanceStore store) {
        this.store = store;
    }

    public Future<Reply> get(Request request) {
        return store.current(request.projectId(), request.pathId("app_instance_id"))
                .map(found -> Reply.of(AppInstanceJson.full(found.instance(), found.operationId())));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.query("status"), request.cursor(), request.limit())
                .map(page -> page.reply(AppInstanceJson::summary));
    }
}
