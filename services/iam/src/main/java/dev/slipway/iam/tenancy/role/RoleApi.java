package dev.slipway.iam.tenancy.role;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.Grants;
import dev.slipway.iam.tenancy.PlaceStore;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/** The operations on roles. Those that are built in can be read by all and changed by nobody. */
public final class RoleApi {
    private static final String ACTION = "iam.role.write";
    private static final int MOST_OF_AN_ORGANIZATION = 200;

    private final RoleStore store;
    private final Changes changes;
    private final Grants grants;

    public RoleApi(RoleStore store, Changes changes, Grants grants) {
        this.store = store;
        this.changes = changes;
        this.grants = grants;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = request.body();
        return changes.run(request, ACTION, (unit, records) -> {
            var made = new Role(
                    Ids.next().toString(),
                    orgId,
                    body.path("display_name").asText(),
                    body.path("level").asText(),
                    actions(body, List.of()),
                    false,
                    false,
                    1);
            return PlaceStore.requireLive(unit, Place.organization(orgId))
                    .compose(ok -> requireRoom(unit, orgId))
                    .compose(ok -> requireFreeLabel(unit, made))
                    .compose(ok -> requireHeld(unit, request, List.of(), made))
                    .map(ok -> {
                        RoleStore.add(unit, records, made);
                        return changed(orgId, null, made, "/api/v1/orgs/" + orgId + "/roles/" + made.key());
                    });
        });
    }

    /** The label alone can be changed by anyone who may change roles: it allows nothing. */
    public Future<Reply> update(Request request) {
        var orgId = request.pathId("org_id");
        var body = request.body();
        return changes.run(request, ACTION, (unit, records) -> own(unit, orgId, request.path("role"))
                .compose(before -> {
                    if (before.removed()) {
                        throw Problem.of(ErrorCode.RESOURCE_DELETED, "This role is deleted and takes no more changes.")
                                .asException();
                    }
                    var after = before.changed(
                            body.path("display_name").asText(before.label()), actions(body, before.actions()));
                    return requireFreeLabel(unit, after)
                            .compose(ok -> after.actions().equals(before.actions())
                                    ? Future.succeededFuture()
                                    : requireHeld(unit, request, before.actions(), after))
                            .map(ok -> {
                                RoleStore.update(unit, records, after);
                                return changed(orgId, before, after, null);
                            });
                }));
    }

    /** Its bindings stay on record and grant nothing. Deleting a deleted one changes nothing and answers the same. */
    public Future<Reply> delete(Request request) {
        var orgId = request.pathId("org_id");
        return changes.run(request, ACTION, (unit, records) -> own(unit, orgId, request.path("role"))
                .map(before -> {
                    if (before.removed()) {
                        return changed(orgId, before, before, null);
                    }
                    var after = before.asRemoved();
                    RoleStore.update(unit, records, after);
                    return changed(orgId, before, after, null);
                }));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.path("role")).map(found -> Reply.of(json(found)));
    }

    public Future<Reply> listBuiltIn(Request request) {
        return store.list(null).map(RoleApi::reply);
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id")).map(RoleApi::reply);
    }

    private static Future<Role> own(UnitOfWork unit, UUID orgId, String key) {
        return RoleStore.load(unit, orgId, key).map(found -> {
            if (found.builtIn()) {
                throw Problem.of(
                                ErrorCode.BUILTIN_ROLE,
                                "Built-in roles do not change. Create a role of your own instead.")
                        .asException();
            }
            return found;
        });
    }

    private static Future<Void> requireRoom(UnitOfWork unit, UUID orgId) {
        return RoleStore.count(unit, orgId).map(count -> {
            if (count >= MOST_OF_AN_ORGANIZATION) {
                throw Problem.of(
                                ErrorCode.STATE_CONFLICT,
                                "An organization has at most " + MOST_OF_AN_ORGANIZATION
                                        + " roles of its own. Delete one first.")
                        .asException();
            }
            return null;
        });
    }

    private static Future<Void> requireFreeLabel(UnitOfWork unit, Role role) {
        return RoleStore.isLabelTaken(unit, role).map(taken -> {
            if (taken) {
                throw Problem.validationOf(
                                ErrorCode.SLUG_TAKEN, "/display_name", "is the name of another role of yours")
                        .asException();
            }
            return null;
        });
    }

    /** What is added must be active; and all that can be allowed must be held by who writes it down. */
    private Future<Void> requireHeld(UnitOfWork unit, Request request, List<String> before, Role after) {
        var added = after.actions().stream()
                .filter(action -> !before.contains(action))
                .toList();
        return RoleStore.active(unit, added).compose(active -> {
            for (var action : added) {
                if (!active.contains(action)) {
                    throw Problem.validationOf(
                                    ErrorCode.VALIDATION_ERROR,
                                    "/actions/" + after.actions().indexOf(action),
                                    "is not an active action: GET /api/v1/iam/scopes lists them")
                            .asException();
                }
            }
            return RoleStore.allowable(unit, after.actions()).map(allowable -> {
                grants.require(request, Place.organization(orgOf(after)), allowable);
                return null;
            });
        });
    }

    private static UUID orgOf(Role role) {
        var orgId = role.orgId();
        if (orgId == null) {
            throw new IllegalStateException("a built-in role has no author");
        }
        return orgId;
    }

    private static List<String> actions(JsonNode body, List<String> otherwise) {
        return body.path("actions").isArray()
                ? StreamSupport.stream(body.path("actions").spliterator(), false)
                        .map(JsonNode::asText)
                        .toList()
                : otherwise;
    }

    private static Changed changed(UUID orgId, @Nullable Role before, Role after, @Nullable String location) {
        return new Changed(
                Place.organization(orgId),
                "role",
                after.key(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static Reply reply(List<Role> roles) {
        var body = Json.object();
        var items = body.putArray("items");
        roles.forEach(role -> items.add(json(role)));
        return Reply.of(body);
    }

    private static ObjectNode json(Role role) {
        var node = Json.object()
                .put("role", role.key())
                .put("org_id", role.orgId() == null ? null : role.orgId().toString())
                .put("display_name", role.label())
                .put("level", role.level())
                .put("builtin", role.builtIn())
                .put("owner", role.owner())
                .put("state", role.removed() ? "deleted" : "active")
                .put("version", role.version());
        var actions = node.putArray("actions");
        role.actions().forEach(actions::add);
        return node;
    }
}
