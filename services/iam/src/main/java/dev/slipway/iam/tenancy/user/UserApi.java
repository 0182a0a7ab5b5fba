package dev.slipway.iam.tenancy.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

/** The operations on users: of a project, of an organization, of the platform, as the path says. */
public final class UserApi {
    private final UserStore store;
    private final Changes changes;

    public UserApi(UserStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
    }

    public Future<Reply> get(Request request) {
        return store.find(Changes.placeOf(request), request.pathId("user_id")).map(found -> Reply.of(json(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(Changes.placeOf(request), request.cursor(), request.limit())
                .map(page -> page.reply(UserApi::json));
    }

    public Future<Reply> disable(Request request) {
        return setActive(request, false);
    }

    public Future<Reply> enable(Request request) {
        return setActive(request, true);
    }

    private Future<Reply> setActive(Request request, boolean active) {
        return changes.run(request, "iam.user.disable", (unit, records) -> UserStore.load(
                        unit, Place.PLATFORM, request.pathId("user_id"))
                .map(before -> {
                    var after = before.withActive(active);
                    if (before.active() != active) {
                        UserStore.setActive(unit, records, after);
                    }
                    return new Changed(Place.PLATFORM, "user", after.id().toString(), json(before), json(after), null);
                }));
    }

    private static ObjectNode json(User user) {
        return Json.object()
                .put("id", user.id().toString())
                .put("issuer", user.issuer())
                .put("subject", user.subject())
                .put("display_name", user.displayName())
                .put("state", user.active() ? "active" : "disabled")
                .put("created_at", user.createdAt().toString());
    }
}
