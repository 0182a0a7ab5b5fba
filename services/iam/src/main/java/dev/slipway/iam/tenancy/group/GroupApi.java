package dev.slipway.iam.tenancy.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.PlaceStore;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.binding.OwnerStore;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The operations on the groups of an organization. */
public final class GroupApi {
    private static final String ACTION = "iam.group.write";

    private final GroupStore store;
    private final Changes changes;

    public GroupApi(GroupStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        return changes.run(request, ACTION, (unit, records) -> PlaceStore.requireLive(unit, Place.organization(orgId))
                .compose(ok -> {
                    var made = new Group(
                            Ids.next(),
                            orgId,
                            request.body().path("slug").asText(),
                            request.body().path("display_name").asText(),
                            false,
                            unit.now());
                    return GroupStore.add(unit, records, made).map(added -> {
                        if (!added) {
                            throw taken(made.slug()).asException();
                        }
                        return changed(null, made, "/api/v1/orgs/" + orgId + "/groups/" + made.id());
                    });
                }));
    }

    public Future<Reply> update(Request request) {
        return changes.run(request, ACTION, (unit, records) -> GroupStore.loadLive(
                        unit, request.pathId("org_id"), request.pathId("group_id"))
                .map(before -> {
                    var after =
                            before.renamed(request.body().path("display_name").asText(before.displayName()));
                    GroupStore.rename(unit, records, after);
                    return changed(before, after, null);
                }));
    }

    /** With its members and all it holds. Deleting a deleted one changes nothing and answers the same. */
    public Future<Reply> delete(Request request) {
        return changes.run(request, ACTION, (unit, records) -> GroupStore.load(
                        unit, request.pathId("org_id"), request.pathId("group_id"))
                .compose(before -> before.deleted()
                        ? Future.succeededFuture(changed(before, before, null))
                        : BindingStore.heldBy(unit, before.id())
                                .compose(held -> OwnerStore.keeping(
                                        unit,
                                        held.stream().map(RoleBinding::place).toList(),
                                        () -> delete(unit, records, before, held)))));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.pathId("group_id")).map(found -> Reply.of(json(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id"), request.cursor(), request.limit())
                .map(page -> page.reply(GroupApi::json));
    }

    private static Future<Changed> delete(UnitOfWork unit, AuthzRecords records, Group before, List<RoleBinding> held) {
        return GroupStore.loadMembers(unit, before).map(members -> {
            held.forEach(binding -> BindingStore.remove(unit, records, binding.removed(unit.now())));
            members.forEach(member -> GroupStore.removeMember(unit, records, member.asRemoved()));
            var after = before.asDeleted();
            GroupStore.delete(unit, records, after);
            return changed(before, after, null);
        });
    }

    private static Changed changed(@Nullable Group before, Group after, @Nullable String location) {
        return new Changed(
                Place.organization(after.orgId()),
                "group",
                after.id().toString(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static ObjectNode json(Group group) {
        return Json.object()
                .put("id", group.id().toString())
                .put("org_id", group.orgId().toString())
                .put("slug", group.slug())
                .put("display_name", group.displayName())
                .put("state", group.deleted() ? "deleted" : "active")
                .put("created_at", group.createdAt().toString());
    }

    private static Problem taken(String slug) {
        return Problem.validationOf(
                ErrorCode.SLUG_TAKEN, "/slug", "is taken: the organization has, or had, a group \"" + slug + "\"");
    }
}
