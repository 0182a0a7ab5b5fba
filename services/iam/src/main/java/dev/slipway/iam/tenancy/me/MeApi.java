package dev.slipway.iam.tenancy.me;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.Json;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Place.Level;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.me.MeStore.Held;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Who the caller is, what they hold, and what that comes to. */
public final class MeApi {
    private final MeStore store;

    public MeApi(MeStore store) {
        this.store = store;
    }

    public Future<Reply> get(Request request) {
        var principal = request.principal();
        var body = Json.object()
                .put("principal_id", principal.id().toString())
                .put("actor_type", principal.type().text())
                .put("display_name", principal.displayName());
        return principal.type() == ActorType.USER
                ? store.heldBy(principal.id()).map(held -> Reply.of(ofUser(body, held)))
                : Future.succeededFuture(Reply.of(ofMachine(body, principal)));
    }

    private static ObjectNode ofUser(ObjectNode body, List<Held> held) {
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
        effective(held).forEach((place, actions) -> put(effective, place, actions));
        return body;
    }

    /** A machine holds no roles: it has its own list, in its own project, or less if its token says so. */
    private static ObjectNode ofMachine(ObjectNode body, Principal principal) {
        body.putArray("bindings");
        var effective = body.putArray("effective");
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        if (orgId != null && projectId != null) {
            var task = principal.task();
            var actions = task == null ? principal.allowedActions() : task.actions();
            put(effective, Place.project(orgId, projectId), new TreeSet<>(actions));
        }
        return body;
    }

    /** Per place where something is held: all that is granted there, in a project with what its organization grants. */
    static Map<Place, Collection<String>> effective(List<Held> held) {
        var effective = new LinkedHashMap<Place, Collection<String>>();
        for (var each : held) {
            var place = each.binding().place();
            var actions = effective.computeIfAbsent(place, ignored -> new TreeSet<>());
            held.stream()
                    .filter(other -> reaches(other.binding().place(), place))
                    .forEach(other -> actions.addAll(other.actions()));
        }
        return effective;
    }

    private static boolean reaches(Place from, Place to) {
        return from.equals(to)
                || (from.level() == Level.ORGANIZATION
                        && to.level() == Level.PROJECT
                        && from.id().equals(to.orgId()));
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
