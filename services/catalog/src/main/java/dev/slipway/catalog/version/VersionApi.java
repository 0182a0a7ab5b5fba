package dev.slipway.catalog.version;

import dev.slipway.catalog.version.domain.AppVersion;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** What tenants read of versions. */
public final class VersionApi {
    private final VersionStore store;

    public VersionApi(VersionStore store) {
        this.store = store;
    }

    public Future<Reply> list(Request request) {
        return store.listTold(request.path("app_slug"), request.cursor(), request.limit())
                .map(page -> page.reply(VersionJson::told));
    }

    public Future<Reply> get(Request request) {
        return found(request).map(version -> Reply.of(VersionJson.told(version)));
    }

    public Future<Reply> launchSchema(Request request) {
        return found(request).map(version -> Reply.of(VersionJson.launchSchema(version)));
    }

    private Future<AppVersion> found(Request request) {
        return store.findTold(request.path("app_slug"), request.path("version"));
    }
}
