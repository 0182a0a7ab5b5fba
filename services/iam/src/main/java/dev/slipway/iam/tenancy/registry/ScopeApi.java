package dev.slipway.iam.tenancy.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.ItemList;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** The API operations on the registry of actions, which the contract calls scopes. */
public final class ScopeApi {
    private static final String ACTION = "registry.write";

    private final ScopeStore store;
    private final AuthzMutation mutation;
    private final List<Role> builtInRoles;

    private record RegisterScope(
            String scopeId,
            String productId,
            String riskClass,
            String description,
            @Nullable List<String> defaultRoles) {}

    private record ScopeView(
            String scopeId,
            String productId,
            int version,
            String riskClass,
            RegistryLifecycle lifecycle,
            String description,
            Instant updatedAt,
            List<String> defaultRoles) {}

    /**
     * @param builtInRoles the roles of the contract, with the actions that the contract gives them
     */
    public ScopeApi(ScopeStore store, AuthzMutation mutation, List<Role> builtInRoles) {
        this.store = store;
        this.mutation = mutation;
        this.builtInRoles = List.copyOf(builtInRoles);
    }

    public Future<Reply> list(Request request) {
        return store.list(request.query("product_id")).map(actions -> ItemList.reply(actions, ScopeApi::json));
    }

    /** Registers an action as a draft, which cannot be granted before it is activated. */
    public Future<Reply> register(Request request) {
        var body = Json.toRecord(request.body(), RegisterScope.class);
        var defaultRoles = body.defaultRoles() == null
                ? List.<String>of()
                : body.defaultRoles().stream().distinct().toList();
        return mutation.run(request, ACTION, (unit, publisher) -> {
            var action = new Action(
                    body.scopeId(),
                    body.productId(),
                    1,
                    body.riskClass(),
                    RegistryLifecycle.DRAFT,
                    body.description(),
                    defaultRoles,
                    unit.now());
            return requireBuiltInRoles(unit, action.defaultRoles())
                    .compose(ok -> ScopeStore.insert(unit, publisher, action))
                    .map(inserted -> {
                        if (!inserted) {
                            throw Problem.validationOf(ErrorCode.SLUG_TAKEN, "/scope_id", "is already registered")
                                    .asException();
                        }
                        return result(null, action);
                    });
        });
    }

    /** Activates an action and adds it to its default roles. */
    public Future<Reply> activate(Request request) {
        return changeLifecycle(request, RegistryLifecycle.ACTIVE);
    }

    /** Deprecates an action: it is still granted, and new roles should not use it. */
    public Future<Reply> deprecate(Request request) {
        return changeLifecycle(request, RegistryLifecycle.DEPRECATED);
    }

    /** Retires an action: it is denied to everyone from now on, and cannot be activated again. */
    public Future<Reply> retire(Request request) {
        return changeLifecycle(request, RegistryLifecycle.RETIRED);
    }

    private Future<Reply> changeLifecycle(Request request, RegistryLifecycle next) {
        return mutation.run(request, ACTION, (unit, publisher) -> ScopeStore.load(unit, request.path("scope_id"))
                .compose(before -> before.lifecycle() == next
                        ? Future.succeededFuture(result(before, before))
                        : applyLifecycle(unit, publisher, before, next)));
    }

    private Future<Result> applyLifecycle(
            UnitOfWork unit, AuthzPublisher publisher, Action before, RegistryLifecycle next) {
        if (!before.lifecycle().canTransitionTo(next)) {
            throw Problem.of(
                            ErrorCode.STATE_CONFLICT,
                            "This scope is " + before.lifecycle().text() + " and cannot become " + next.text() + ".")
                    .asException();
        }
        var after = before.withLifecycle(next, unit.now());
        ScopeStore.setLifecycle(unit, publisher, after);
        var chain = Future.<Void>succeededFuture();
        for (var role : builtInRoles) {
            if (after.defaultRoles().contains(role.key())) {
                chain = chain.compose(ok -> RoleStore.upsertBuiltIn(unit, publisher, role));
            }
        }
        return chain.map(ok -> result(before, after));
    }

    private static Future<Void> requireBuiltInRoles(UnitOfWork unit, List<String> roles) {
        return ScopeStore.findBuiltInRoles(unit, roles).map(found -> {
            for (var role : roles) {
                if (!found.contains(role)) {
                    throw Problem.validationOf(
                                    ErrorCode.VALIDATION_ERROR,
                                    "/default_roles/" + roles.indexOf(role),
                                    "is not a built-in role")
                            .asException();
                }
            }
            return null;
        });
    }

    private static Result result(@Nullable Action before, Action after) {
        return new Result(
                BindingScope.PLATFORM, "scope", after.key(), before == null ? null : json(before), json(after), null);
    }

    private static ObjectNode json(Action action) {
        return Json.toObject(new ScopeView(
                action.key(),
                action.product(),
                action.version(),
                action.riskClass(),
                action.lifecycle(),
                action.description(),
                action.updatedAt(),
                action.defaultRoles()));
    }
}
