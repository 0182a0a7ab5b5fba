package dev.slipway.iam.tenancy.me;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.me.MeStore.Held;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.Collection;
import java.util.List;

/** Who the caller is, what they hold, and what that comes to. */
public final class MeApi {
    private final MeStore store;
    private final Grants grants;

    public MeApi(MeStore store, Grants grants) {
        this.store = store;
        this.grants = grants;
    }

    public Future<Reply> get(Request request) {
        var principal = request.principal();
        var body = Json.object()
                .put("principal_id", principal.id().toString())
                .put("actor_type", principal.type().text())
                .put("display_name", principal.displayName());
        return principal.type() == ActorType.USER
                ? store.heldBy(principal.id()).map(held -> Reply.of(ofUser(request, body, held)))
                : Future.succeededFuture(Reply.of(ofMachine(request, body)));
    }

    private ObjectNode ofUser(Request request, ObjectNode body, List<Held> held) {
        var bindings = body.putArray("bindings");
        held.forEach(each -> {
            var binding = each.binding();
            var node = bindings.addObject().put("role", binding.role()).put("display_name", each.label());
            put(node, binding.place());
            if (binding.holder() == Holder.GROUP) {
                node.put("group_id", binding.principalId().toString());
            }
            if (binding.expiresAt() != null) {
                node.put("expires_at", binding.expiresAt().toString());
            }
        });
        var effective = body.putArray("effective");
        held.stream()
                .map(each -> each.binding().place())
                .distinct()
                .forEach(place -> put(effective, place, grants.heldBy(request, place)));
        return body;
    }

    /** A machine holds no roles: it has its own list, in its own project, or less if its token says so. */
    private ObjectNode ofMachine(Request request, ObjectNode body) {
        var principal = request.principal();
        body.putArray("bindings");
        var effective = body.putArray("effective");
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        if (orgId != null && projectId != null) {
            var own = Place.project(orgId, projectId);
            put(effective, own, grants.heldBy(request, own));
        }
        return body;
    }

    private static void put(ArrayNode effective, Place place, Collection<String> actions) {
        var node = effective.addObject();
        put(node, place);
        var array = node.putArray("actions");
        actions.forEach(array::add);
    }

    private static void put(ObjectNode node, Place place) {
        node.put("level", place.level().text());
        if (place.orgId() != null) {
            node.put("org_id", place.orgId().toString());
        }
        if (place.projectId() != null) {
            node.put("project_id", place.projectId().toString());
        }
    }
}
