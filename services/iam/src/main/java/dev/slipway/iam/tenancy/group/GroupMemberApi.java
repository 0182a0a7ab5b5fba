package dev.slipway.iam.tenancy.group;

import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.binding.BindingGuard;
import dev.slipway.iam.tenancy.binding.OwnerGuard;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.GroupMember;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** The API operations on group members. Adding a member grants them every role of the group. */
public final class GroupMemberApi {
    private static final String ACTION = "iam.group.write";

    private final GroupStore store;
    private final AuthzMutation mutation;
    private final BindingGuard bindingGuard;

    public GroupMemberApi(GroupStore store, AuthzMutation mutation, BindingGuard bindingGuard) {
        this.store = store;
        this.mutation = mutation;
        this.bindingGuard = bindingGuard;
    }

    /** Adds a member. Adding a current member again changes nothing and returns the same. */
    public Future<Reply> add(Request request) {
        var orgId = request.pathId("org_id");
        var user = Objects.requireNonNull(UserReference.parse(request.body(), ""), "the contract requires a body");
        return mutation.run(
                request, ACTION, (unit, publisher) -> GroupStore.load(unit, orgId, request.pathId("group_id"))
                        .map(TenancyRules::requireActive)
                        .compose(group -> RoleBindingStore.listByPrincipal(unit, group.id())
                                .compose(bindings -> bindingGuard.requireHeldToGrant(unit, request, bindings))
                                .compose(ok -> user.resolve(unit, publisher, BindingScope.organization(orgId)))
                                .compose(found -> {
                                    var member = new GroupMember(
                                            group.id(), orgId, found.id(), found.displayName(), false, unit.now());
                                    return GroupStore.insertMember(unit, publisher, member)
                                            .compose(ok -> GroupStore.loadMember(unit, orgId, group.id(), found.id()))
                                            .map(added -> result(null, added, location(added)));
                                })));
    }

    /** Removes a member. Removing a former member changes nothing and returns the same. */
    public Future<Reply> remove(Request request) {
        var orgId = request.pathId("org_id");
        var groupId = request.pathId("group_id");
        return mutation.run(request, ACTION, (unit, publisher) -> GroupStore.loadMember(
                        unit, orgId, groupId, request.pathId("user_id"))
                .compose(before -> before.removed()
                        ? Future.succeededFuture(result(before, before, null))
                        : RoleBindingStore.listByPrincipal(unit, groupId).compose(bindings -> bindingGuard
                                .requireHeldToRemove(unit, request, bindings)
                                .compose(ok -> OwnerGuard.requireOwnerRemains(
                                        unit,
                                        bindings.stream()
                                                .map(RoleBinding::scope)
                                                .toList(),
                                        () -> {
                                            var after = before.withRemoved();
                                            GroupStore.removeMember(unit, publisher, after);
                                            return Future.succeededFuture(result(before, after, null));
                                        })))));
    }

    public Future<Reply> list(Request request) {
        var after = request.cursor();
        return store.find(request.pathId("org_id"), request.pathId("group_id"))
                .compose(group -> store.listMembers(group, after, request.limit()))
                .map(page -> page.toReply(GroupJson::of));
    }

    private static String location(GroupMember member) {
        return "/api/v1/orgs/" + member.orgId() + "/groups/" + member.groupId() + "/members/" + member.userId();
    }

    private static Result result(@Nullable GroupMember before, GroupMember after, @Nullable String location) {
        return new Result(
                BindingScope.organization(after.orgId()),
                "group_member",
                after.groupId() + ":" + after.userId(),
                before == null ? null : GroupJson.of(before),
                GroupJson.of(after),
                location);
    }
}
