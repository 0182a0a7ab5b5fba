package dev.slipway.catalog.app;

import dev.slipway.catalog.app.AppStore.Page;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** Reading the catalog. */
public final class AppApi {
    private final AppStore store;

    public AppApi(AppStore store) {
        this.store = store;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.cursor(), request.limit()).map(AppApi::reply);
    }

    public Future<Reply> versions(Request request) {
        return store.versions(request.path("app_slug"), request.cursor(), request.limit())
                .map(AppApi::reply);
    }

    private static Reply reply(Page page) {
        var body = Json.object();
        var items = body.putArray("items");
        page.items().forEach(items::add);
        var next = page.next();
        body.put("next_cursor", next == null ? null : next.encode());
        return Reply.of(body);
    }
}
