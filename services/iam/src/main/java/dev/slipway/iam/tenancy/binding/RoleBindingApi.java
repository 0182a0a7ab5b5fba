package dev.slipway.iam.tenancy.binding;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.iam.tenancy.AuthzMutation;
import dev.slipway.iam.tenancy.AuthzMutation.Result;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.GrantGuard;
import dev.slipway.iam.tenancy.TenancyRules;
import dev.slipway.iam.tenancy.binding.RoleBindingJson.CreateRoleBinding;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.Role;
import dev.slipway.iam.tenancy.domain.RoleBinding;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserReference;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The API operations on role bindings of a project, of an organization or of the platform. The path names the scope. */
public final class RoleBindingApi {
    private static final String ACTION = "iam.binding.write";

    private final RoleBindingStore store;
    private final AuthzMutation mutation;
    private final GrantGuard grantGuard;
    private final BindingGuard bindingGuard;

    public RoleBindingApi(
            RoleBindingStore store, AuthzMutation mutation, GrantGuard grantGuard, BindingGuard bindingGuard) {
        this.store = store;
        this.mutation = mutation;
        this.grantGuard = grantGuard;
        this.bindingGuard = bindingGuard;
    }

    /** Grants a role. If it is already granted, its {@code expires_at} is replaced. */
    public Future<Reply> create(Request request) {
        var scope = AuthzMutation.scopeOf(request);
        var body = Json.toRecord(request.body(), CreateRoleBinding.class);
        var holder = holder(request, body, scope);
        return mutation.run(request, ACTION, (unit, publisher) -> TenancyRules.requireNotDeleted(unit, scope)
                .compose(ok -> requireRole(unit, scope, body.role()))
                .compose(role -> RoleStore.findGrantable(unit, role.actions()).compose(actions -> {
                    grantGuard.requireHeld(request, scope, actions);
                    var expiresAt = expiresAt(body.expiresAt(), unit.now());
                    return holder.resolve(unit, publisher)
                            .compose(id -> grant(
                                    unit,
                                    publisher,
                                    new RoleBinding(
                                            Ids.next(),
                                            holder.kind,
                                            id,
                                            role.key(),
                                            scope,
                                            expiresAt,
                                            unit.now(),
                                            null)));
                }))
                .map(granted -> result(granted.before, granted.after, locationOf(granted.after))));
    }

    /** Removes a binding of a role whose actions the caller holds. Removing it again changes nothing and returns the same. */
    public Future<Reply> delete(Request request) {
        var scope = AuthzMutation.scopeOf(request);
        return mutation.run(
                request, ACTION, (unit, publisher) -> RoleBindingStore.load(unit, scope, request.pathId("binding_id"))
                        .compose(before -> before.isRemoved()
                                ? Future.succeededFuture(result(before, before, null))
                                : bindingGuard
                                        .requireHeldToRemove(unit, request, List.of(before))
                                        .compose(ok -> OwnerGuard.requireOwnerRemains(unit, List.of(scope), () -> {
                                            var after = before.withRemovedAt(unit.now());
                                            RoleBindingStore.remove(unit, publisher, after);
                                            return Future.succeededFuture(result(before, after, null));
                                        }))));
    }

    public Future<Reply> get(Request request) {
        return store.find(AuthzMutation.scopeOf(request), request.pathId("binding_id"))
                .map(found -> Reply.of(RoleBindingJson.of(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(AuthzMutation.scopeOf(request), request.cursor(), request.limit())
                .map(page -> page.toReply(RoleBindingJson::of));
    }

    private record GrantResult(@Nullable RoleBinding before, RoleBinding after) {}

    private static Future<GrantResult> grant(UnitOfWork unit, AuthzPublisher publisher, RoleBinding requested) {
        return RoleBindingStore.findActive(unit, requested.principalId(), requested.role(), requested.scope())
                .compose(existing -> existing == null
                        ? RoleBindingStore.insert(unit, publisher, requested)
                                .map(ok -> new GrantResult(null, requested))
                        : OwnerGuard.requireOwnerRemains(unit, List.of(requested.scope()), () -> {
                            var after = existing.withExpiry(requested.expiresAt());
                            if (!after.equals(existing)) {
                                RoleBindingStore.updateExpiry(unit, publisher, after);
                            }
                            return Future.succeededFuture(new GrantResult(existing, after));
                        }));
    }

    private static Future<Role> requireRole(UnitOfWork unit, BindingScope scope, String key) {
        return RoleStore.load(unit, scope.orgId(), key)
                .recover(e -> Future.failedFuture(
                        e instanceof ProblemException ? invalid("/role", "is not a role of this scope") : e))
                .map(found -> {
                    if (found.removed()) {
                        throw invalid("/role", "is deleted");
                    }
                    if (!found.level().equals(scope.level().text())) {
                        throw invalid(
                                "/role",
                                "can only be granted at the level " + found.level() + "; this scope is a "
                                        + scope.level().text());
                    }
                    return found;
                });
    }

    /** The user or group that gets the role. It is resolved in the transaction, because a user may have to be created. */
    private record BindingHolder(
            Holder kind,
            BindingScope scope,
            @Nullable UUID groupId,
            @Nullable UserReference user) {
        Future<UUID> resolve(UnitOfWork unit, AuthzPublisher publisher) {
            if (user != null) {
                var orgId = scope.orgId();
                return user.resolve(
                                unit,
                                publisher,
                                orgId == null ? BindingScope.PLATFORM : BindingScope.organization(orgId))
                        .map(User::id);
            }
            var group = Objects.requireNonNull(groupId);
            return RoleBindingStore.isGroup(unit, Objects.requireNonNull(scope.orgId()), group)
                    .map(exists -> {
                        if (!exists) {
                            throw Problem.of(ErrorCode.NOT_FOUND, "The group was not found in this organization.")
                                    .asException();
                        }
                        return group;
                    });
        }
    }

    private static BindingHolder holder(Request request, CreateRoleBinding body, BindingScope scope) {
        if (body.groupId() == null) {
            return new BindingHolder(Holder.USER, scope, null, UserReference.parse(request.body(), ""));
        }
        if (body.namesUser()) {
            throw invalid("/group_id", "cannot be combined with a user");
        }
        if (scope.orgId() == null) {
            throw invalid("/group_id", "cannot be used at the platform: groups belong to organizations");
        }
        return new BindingHolder(Holder.GROUP, scope, body.groupId(), null);
    }

    private static @Nullable Instant expiresAt(@Nullable String text, Instant now) {
        if (text == null) {
            return null;
        }
        try {
            var expiresAt = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS);
            if (expiresAt.isAfter(now)) {
                return expiresAt;
            }
        } catch (DateTimeException e) {
            // Refused below: the contract allows leap seconds, which Java cannot represent.
        }
        throw invalid("/expires_at", "must be in the future");
    }

    private static String locationOf(RoleBinding binding) {
        var scope = binding.scope();
        var parent =
                switch (scope.level()) {
                    case PLATFORM -> "admin";
                    case ORGANIZATION -> "orgs/" + scope.orgId();
                    case PROJECT -> "projects/" + scope.projectId();
                };
        return "/api/v1/" + parent + "/role-bindings/" + binding.id();
    }

    private static ProblemException invalid(String field, String problem) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, field, problem).asException();
    }

    private static Result result(@Nullable RoleBinding before, RoleBinding after, @Nullable String location) {
        return new Result(
                after.scope(),
                "role_binding",
                after.id().toString(),
                before == null ? null : RoleBindingJson.of(before),
                RoleBindingJson.of(after),
                location);
    }
}
