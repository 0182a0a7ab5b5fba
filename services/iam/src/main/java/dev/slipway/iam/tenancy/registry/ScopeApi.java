package dev.slipway.iam.tenancy.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.Changes;
import dev.slipway.iam.tenancy.Changes.Changed;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.Action.Lifecycle;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.stream.StreamSupport;

/** The operations on the scope registry: which actions there are, whose, how risky, and which can be allowed. */
public final class ScopeApi {
    private static final String ACTION = "registry.write";

    private final ScopeStore store;
    private final Changes changes;
    private final List<Role> builtIn;

    /** {@code builtIn}: the roles of the contract, with what it gives them. */
    public ScopeApi(ScopeStore store, Changes changes, List<Role> builtIn) {
        this.store = store;
        this.changes = changes;
        this.builtIn = List.copyOf(builtIn);
    }

    public Future<Reply> list(Request request) {
        return store.list(request.query("product_id")).map(actions -> {
            var body = Json.object();
            var items = body.putArray("items");
            actions.forEach(action -> items.add(json(action)));
            return Reply.of(body);
        });
    }

    /** As a draft: it can be allowed to nobody before it is activated. */
    public Future<Reply> register(Request request) {
        var body = request.body();
        return changes.run(request, ACTION, (unit, records) -> {
            var made = new Action(
                    body.path("scope_id").asText(),
                    body.path("product_id").asText(),
                    1,
                    body.path("risk_class").asText(),
                    Lifecycle.DRAFT,
                    body.path("description").asText(),
                    texts(body.path("default_roles")),
                    unit.now());
            return requireBuiltIn(unit, made.defaultRoles())
                    .compose(ok -> ScopeStore.add(unit, records, made))
                    .map(added -> {
                        if (!added) {
                            throw Problem.validationOf(ErrorCode.SLUG_TAKEN, "/scope_id", "is registered already")
                                    .asException();
                        }
                        return changed(null, made);
                    });
        });
    }

    /** Gives it to its default roles. */
    public Future<Reply> activate(Request request) {
        return to(request, Lifecycle.ACTIVE);
    }

    /** It works on, and no new role should have it. */
    public Future<Reply> deprecate(Request request) {
        return to(request, Lifecycle.DEPRECATED);
    }

    /** From now on it is denied to everyone, for good. */
    public Future<Reply> retire(Request request) {
        return to(request, Lifecycle.RETIRED);
    }

    private Future<Reply> to(Request request, Lifecycle next) {
        return changes.run(request, ACTION, (unit, records) -> ScopeStore.load(unit, request.path("scope_id"))
                .compose(before -> before.lifecycle() == next
                        ? Future.succeededFuture(changed(before, before))
                        : move(unit, records, before, next)));
    }

    private Future<Changed> move(UnitOfWork unit, AuthzRecords records, Action before, Lifecycle next) {
        if (!before.lifecycle().leadsTo(next)) {
            throw Problem.of(
                            ErrorCode.STATE_CONFLICT,
                            "This scope is " + before.lifecycle().text() + " and cannot become " + next.text() + ".")
                    .asException();
        }
        var after = before.in(next, unit.now());
        ScopeStore.setLifecycle(unit, records, after);
        var chain = Future.<Void>succeededFuture();
        for (var role : builtIn) {
            if (after.defaultRoles().contains(role.key())) {
                chain = chain.compose(ok -> RoleStore.seed(unit, records, role));
            }
        }
        return chain.map(ok -> changed(before, after));
    }

    private static Future<Void> requireBuiltIn(UnitOfWork unit, List<String> roles) {
        return ScopeStore.builtInRoles(unit, roles).map(found -> {
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

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .distinct()
                .toList();
    }

    private static Changed changed(@Nullable Action before, Action after) {
        return new Changed(
                Place.PLATFORM, "scope", after.key(), before == null ? null : json(before), json(after), null);
    }

    private static ObjectNode json(Action action) {
        var node = Json.object()
                .put("scope_id", action.key())
                .put("product_id", action.product())
                .put("version", action.version())
                .put("risk_class", action.riskClass())
                .put("lifecycle", action.lifecycle().text())
                .put("description", action.description())
                .put("updated_at", action.updatedAt().toString());
        var roles = node.putArray("default_roles");
        action.defaultRoles().forEach(roles::add);
        return node;
    }
}
