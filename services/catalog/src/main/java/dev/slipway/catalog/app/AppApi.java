package dev.slipway.catalog.app;

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
        return store.list(request.cursor(), request.limit()).map(page -> page.reply(item -> item));
    }

    public Future<Reply> versions(Request request) {
        return store.versions(request.path("app_slug"), request.cursor(), request.limit())
                .map(page -> page.reply(item -> item));
    }
}
