package dev.slipway.iam.tenancy.role;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.GrantGuard;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ItemList;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The API operations on roles. Built-in roles can be read by everyone and changed by no one. */
public final class RoleApi {
    private static final String ACTION = "iam.role.write";

    private final RoleStore store;
    private final AuthzMutation mutation;
    private final GrantGuard grantGuard;

    private record CreateRole(String displayName, String level, List<String> actions) {}

    private record UpdateRole(
            @Nullable String displayName, @Nullable List<String> actions) {}

    private record RoleView(
            String role,
            @Nullable UUID orgId,
            String displayName,
            String level,
            boolean builtin,
            boolean owner,
            ResourceState state,
            int version,
            List<String> actions) {}

    public RoleApi(RoleStore store, AuthzMutation mutation, GrantGuard grantGuard) {
        this.store = store;
        this.mutation = mutation;
        this.grantGuard = grantGuard;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), CreateRole.class);
        return mutation.run(request, ACTION, (unit, publisher) -> {
            var role = new Role(
                    Ids.next().toString(), orgId, body.displayName(), body.level(), body.actions(), false, false, 1);
            return TenancyRules.requireNotDeleted(unit, BindingScope.organization(orgId))
                    .compose(ok -> requireBelowLimit(unit, orgId))
                    .compose(ok -> requireUniqueLabel(unit, role))
                    .compose(ok -> requireGrantable(unit, request, List.of(), role, orgId))
                    .map(ok -> {
                        RoleStore.insert(unit, publisher, role);
                        return result(orgId, null, role, "/api/v1/orgs/" + orgId + "/roles/" + role.key());
                    });
        });
    }

    /** Updates a role of the organization. To change only the name, the caller need not hold the role's actions. */
    public Future<Reply> update(Request request) {
        var orgId = request.pathId("org_id");
        var body = Json.toRecord(request.body(), UpdateRole.class);
        return mutation.run(request, ACTION, (unit, publisher) -> requireOwnRole(unit, orgId, request.path("role"))
                .map(TenancyRules::requireActive)
                .compose(before -> {
                    var after = before.withLabelAndActions(
                            Objects.requireNonNullElse(body.displayName(), before.label()),
                            Objects.requireNonNullElse(body.actions(), before.actions()));
                    return requireUniqueLabel(unit, after)
                            .compose(ok -> after.actions().equals(before.actions())
                                    ? Future.succeededFuture()
                                    : requireHeldToRemove(unit, request, before.actions(), orgId)
                                            .compose(held ->
                                                    requireGrantable(unit, request, before.actions(), after, orgId)))
                            .map(ok -> {
                                RoleStore.update(unit, publisher, after);
                                return result(orgId, before, after, null);
                            });
                }));
    }

    /** Deletes a role. Its bindings are kept as history and grant nothing. Deleting it again changes nothing and returns the same. */
    public Future<Reply> delete(Request request) {
        var orgId = request.pathId("org_id");
        return mutation.run(request, ACTION, (unit, publisher) -> requireOwnRole(unit, orgId, request.path("role"))
                .compose(before -> before.removed()
                        ? Future.succeededFuture(result(orgId, before, before, null))
                        : requireHeldToRemove(unit, request, before.actions(), orgId)
                                .map(ok -> {
                                    var after = before.withRemoved();
                                    RoleStore.update(unit, publisher, after);
                                    return result(orgId, before, after, null);
                                })));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("org_id"), request.path("role")).map(found -> Reply.of(json(found)));
    }

    public Future<Reply> listBuiltIn(Request request) {
        return store.list(null).map(roles -> ItemList.reply(roles, RoleApi::json));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id")).map(roles -> ItemList.reply(roles, RoleApi::json));
    }

    private static Future<Role> requireOwnRole(UnitOfWork unit, UUID orgId, String key) {
        return RoleStore.load(unit, orgId, key).map(found -> {
            if (found.isBuiltIn()) {
                throw Problem.of(
                                ErrorCode.BUILTIN_ROLE,
                                "Built-in roles cannot be changed. Create a role of your organization instead.")
                        .asException();
            }
            return found;
        });
    }

    private static Future<Void> requireBelowLimit(UnitOfWork unit, UUID orgId) {
        return RoleStore.count(unit, orgId).map(count -> {
            if (count >= Role.MAX_PER_ORGANIZATION) {
                throw Problem.of(
                                ErrorCode.STATE_CONFLICT,
                                "An organization can define at most " + Role.MAX_PER_ORGANIZATION
                                        + " roles. Delete one first.")
                        .asException();
            }
            return null;
        });
    }

    private static Future<Void> requireUniqueLabel(UnitOfWork unit, Role role) {
        return RoleStore.isLabelTaken(unit, role).map(taken -> {
            if (taken) {
                throw Problem.validationOf(
                                ErrorCode.SLUG_TAKEN,
                                "/display_name",
                                "is already used by another role of the organization")
                        .asException();
            }
            return null;
        });
    }

    /** Requires that added actions are active, and that the caller holds every action that the role would grant. */
    private Future<Void> requireGrantable(
            UnitOfWork unit, Request request, List<String> before, Role after, UUID orgId) {
        var added = after.actionsAddedTo(before);
        return RoleStore.findActive(unit, added).compose(active -> {
            for (var action : added) {
                if (!active.contains(action)) {
                    throw Problem.validationOf(
                                    ErrorCode.VALIDATION_ERROR,
                                    "/actions/" + after.actions().indexOf(action),
                                    "is not an active action; GET /api/v1/iam/scopes lists them")
                            .asException();
                }
            }
            return RoleStore.findGrantable(unit, after.actions()).map(grantable -> {
                grantGuard.requireHeld(request, BindingScope.organization(orgId), grantable);
                return null;
            });
        });
    }

    private Future<Void> requireHeldToRemove(UnitOfWork unit, Request request, List<String> actions, UUID orgId) {
        return RoleStore.findGrantable(unit, actions).map(grantable -> {
            grantGuard.requireHeldToRemove(request, BindingScope.organization(orgId), grantable);
            return null;
        });
    }

    private static Result result(UUID orgId, @Nullable Role before, Role after, @Nullable String location) {
        return new Result(
                BindingScope.organization(orgId),
                "role",
                after.key(),
                before == null ? null : json(before),
                json(after),
                location);
    }

    private static ObjectNode json(Role role) {
        return Json.toObject(new RoleView(
                role.key(),
                role.orgId(),
                role.label(),
                role.level(),
                role.isBuiltIn(),
                role.owner(),
                role.state(),
                role.version(),
                role.actions()));
    }
}
