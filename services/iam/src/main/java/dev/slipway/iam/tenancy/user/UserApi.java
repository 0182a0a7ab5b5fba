package dev.slipway.iam.tenancy.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.UUID;

/** The API operations on users of a project, of an organization or of the platform. The path names the scope. */
public final class UserApi {
    private final UserStore store;
    private final AuthzMutation mutation;
    private final PlatformRolesCheck platformRoles;

    private record UserView(
            UUID id, String issuer, String subject, String displayName, ResourceState state, Instant createdAt) {}

    /** Refuses to change a user who may do more at the platform than the caller. */
    @FunctionalInterface
    public interface PlatformRolesCheck {
        Future<Void> require(UnitOfWork unit, Request request, UUID userId);
    }

    public UserApi(UserStore store, AuthzMutation mutation, PlatformRolesCheck platformRoles) {
        this.store = store;
        this.mutation = mutation;
        this.platformRoles = platformRoles;
    }

    public Future<Reply> get(Request request) {
        return store.find(AuthzMutation.scopeOf(request), request.pathId("user_id"))
                .map(found -> Reply.of(json(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(AuthzMutation.scopeOf(request), request.cursor(), request.limit())
                .map(page -> page.toReply(UserApi::json));
    }

    public Future<Reply> disable(Request request) {
        return setActive(request, false);
    }

    public Future<Reply> enable(Request request) {
        return setActive(request, true);
    }

    private Future<Reply> setActive(Request request, boolean active) {
        return mutation.run(request, "iam.user.disable", (unit, publisher) -> UserStore.load(
                        unit, BindingScope.PLATFORM, request.pathId("user_id"))
                .compose(before ->
                        platformRoles.require(unit, request, before.id()).map(ok -> before))
                .map(before -> {
                    var after = before.withActive(active);
                    if (before.active() != active) {
                        UserStore.setActive(unit, publisher, after);
                    }
                    return new Result(
                            BindingScope.PLATFORM, "user", after.id().toString(), json(before), json(after), null);
                }));
    }

    private static ObjectNode json(User user) {
        return Json.toObject(new UserView(
                user.id(), user.issuer(), user.subject(), user.displayName(), user.state(), user.createdAt()));
    }
}
