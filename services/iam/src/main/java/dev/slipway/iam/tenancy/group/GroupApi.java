package dev.slipway.iam.tenancy.group;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.binding.BindingGuard;
import dev.slipway.iam.tenancy.binding.OwnerGuard;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.group.GroupJson.CreateGroup;
import dev.slipway.iam.tenancy.group.GroupJson.UpdateGroup;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/** The API operations on the groups of an organization. */
public final class GroupApi {
    private static final String ACTION = "iam.group.write";

    private final GroupStore store;
    private final AuthzMutation mutation;
    private final BindingGuard bindingGuard;

    public GroupApi(GroupStore store, AuthzMutation mutation, BindingGuard bindingGuard) {
        this.bindingGuard = bindingGuard;
        this.store = store;
        this.mutation = mutation;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), CreateGroup.class);
        return mutation.run(request, ACTION, (unit, publisher) -> TenancyRules.requireNotDeleted(
                        unit, BindingScope.organization(orgId))
                .compose(ok -> {
                    var group = new Group(Ids.next(), orgId, body.slug(), body.displayName(), false, unit.now());
                    return GroupStore.insert(unit, publisher, group).map(inserted -> {
                        if (!inserted) {
                            throw TenancyRules.slugTaken(group.slug(), "group of the organization");
                        }
                        return result(null, group, "/api/v1/orgs/" + orgId + "/groups/" + group.id());
                    });
                }));
    }

    public Future<Reply> update(Request request) {
        var body = Json.toRecord(request.body(), UpdateGroup.class);
        return mutation.run(request, ACTION, (unit, publisher) -> GroupStore.load(
                        unit, request.pathId("org_id"), request.pathId("group_id"))
                .map(TenancyRules::requireActive)
                .map(before -> {
                    var after = before.withDisplayName(
                            Objects.requireNonNullElse(body.displayName(), before.displayName()));
                    GroupStore.rename(unit, publisher, after);
                    return result(before, after, null);
                }));
    }

    /** Deletes a group with its memberships and role bindings. Deleting it again changes nothing and returns the same. */
    public Future<Reply> delete(Request request) {
        return mutation.run(request, ACTION, (unit, publisher) -> GroupStore.load(
                        unit, request.pathId("org_id"), request.pathId("group_id"))
                .compose(before -> before.deleted()
                        ? Future.succeededFuture(result(before, before, null))
                        : RoleBindingStore.listByPrincipal(unit, before.id()).compose(bindings -> bindingGuard
                                .requireHeldToRemove(unit, request, bindings)
                                .compose(ok -> OwnerGuard.requireOwnerRemains(
                                        unit,
                                        bindings.stream()
                                                .map(RoleBinding::scope)
                                                .toList(),
                                        () -> delete(unit, publisher, before, bindings))))));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.pathId("group_id"))
                .map(found -> Reply.of(GroupJson.of(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"), request.cursor(), request.limit())
                .map(page -> page.toReply(GroupJson::of));
    }

    private static Future<Result> delete(
            UnitOfWork unit, AuthzPublisher publisher, Group before, List<RoleBinding> bindings) {
        return GroupStore.loadMembers(unit, before).map(members -> {
            bindings.forEach(binding -> RoleBindingStore.remove(unit, publisher, binding.withRemovedAt(unit.now())));
            members.forEach(member -> GroupStore.removeMember(unit, publisher, member.withRemoved()));
            var after = before.withDeleted();
            GroupStore.delete(unit, publisher, after);
            return result(before, after, null);
        });
    }

    private static Result result(@Nullable Group before, Group after, @Nullable String location) {
        return new Result(
                BindingScope.organization(after.orgId()),
                "group",
                after.id().toString(),
                before == null ? null : GroupJson.of(before),
                GroupJson.of(after),
                location);
    }
}
