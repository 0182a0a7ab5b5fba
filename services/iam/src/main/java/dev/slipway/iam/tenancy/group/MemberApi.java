package dev.slipway.iam.tenancy.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.binding.OwnerStore;
import dev.slipway.iam.tenancy.domain.Member;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/** Who is in a group. To add someone is to grant them all that the group holds. */
public final class MemberApi {
    private static final String ACTION = "iam.group.write";

    private final GroupStore store;
    private final Changes changes;
    private final Grants grants;

    public MemberApi(GroupStore store, Changes changes, Grants grants) {
        this.store = store;
        this.changes = changes;
        this.grants = grants;
    }

    /** Adding who is in it already changes nothing and answers the same. */
    public Future<Reply> add(Request request) {
        var orgId = request.pathId("org_id");
        var user = Objects.requireNonNull(UserReference.of(request.body(), ""), "the contract asks for a body");
        return changes.run(
                request, ACTION, (unit, records) -> GroupStore.loadLive(unit, orgId, request.pathId("group_id"))
                        .compose(group -> BindingStore.heldBy(unit, group.id())
                                .compose(held -> requireHeld(unit, request, held))
                                .compose(ok -> user.resolve(unit, records, Place.organization(orgId)))
                                .compose(found -> {
                                    var member = new Member(
                                            group.id(), orgId, found.id(), found.displayName(), false, unit.now());
                                    return GroupStore.addMember(unit, records, member)
                                            .compose(ok -> GroupStore.loadMember(unit, orgId, group.id(), found.id()))
                                            .map(added -> changed(null, added, location(added)));
                                })));
    }

    /** Removing who has left changes nothing and answers the same. */
    public Future<Reply> remove(Request request) {
        var orgId = request.pathId("org_id");
        var groupId = request.pathId("group_id");
        return changes.run(request, ACTION, (unit, records) -> GroupStore.loadMember(
                        unit, orgId, groupId, request.pathId("user_id"))
                .compose(before -> before.removed()
                        ? Future.succeededFuture(changed(before, before, null))
                        : BindingStore.heldBy(unit, groupId)
                                .compose(held -> OwnerStore.keeping(
                                        unit,
                                        held.stream().map(RoleBinding::place).toList(),
                                        () -> {
                                            var after = before.asRemoved();
                                            GroupStore.removeMember(unit, records, after);
                                            return Future.succeededFuture(changed(before, after, null));
                                        }))));
    }

    public Future<Reply> list(Request request) {
        var after = request.cursor();
        return store.find(request.pathId("org_id"), request.pathId("group_id"))
                .compose(group -> store.listMembers(group, after, request.limit()))
                .map(page -> page.reply(MemberApi::json));
    }

    private Future<Void> requireHeld(UnitOfWork unit, Request request, List<RoleBinding> held) {
        var chain = Future.<Void>succeededFuture();
        for (var binding : held) {
            chain = chain.compose(ok -> RoleStore.load(unit, binding.place().orgId(), binding.role()))
                    .compose(role -> role.removed()
                            ? Future.succeededFuture(List.<String>of())
                            : RoleStore.allowable(unit, role.actions()))
                    .map(actions -> {
                        grants.require(request, binding.place(), actions);
                        return null;
                    });
        }
        return chain;
    }

    private static String location(Member member) {
        return "/api/v1/orgs/" + member.orgId() + "/groups/" + member.groupId() + "/members/" + member.userId();
    }

    private static Changed changed(@Nullable Member before, Member after, @Nullable String location) {
        return new Changed(
                Place.organization(after.orgId()),
                "group_member",
                after.groupId() + ":" + after.userId(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static ObjectNode json(Member member) {
        return Json.object()
                .put("group_id", member.groupId().toString())
                .put("user_id", member.userId().toString())
                .put("display_name", member.displayName())
                .put("state", member.removed() ? "removed" : "active")
                .put("added_at", member.addedAt().toString());
    }
}
