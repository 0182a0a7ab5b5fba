package dev.slipway.iam.tenancy.me;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.iam.tenancy.GrantGuard;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.RoleBinding.Holder;
import dev.slipway.iam.tenancy.me.MeStore.HeldBinding;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Describes the caller: its identity, its role bindings and the actions that they allow. */
public final class MeApi {
    private final MeStore store;
    private final GrantGuard grantGuard;

    private record MeView(
            UUID principalId,
            ActorType actorType,
            String displayName,
            List<BindingView> bindings,
            List<EffectiveView> effective) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record BindingView(
            String role,
            String displayName,
            BindingScope.Level level,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            @Nullable UUID groupId,
            @Nullable Instant expiresAt) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record EffectiveView(
            BindingScope.Level level,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            Set<String> actions) {}

    public MeApi(MeStore store, GrantGuard grantGuard) {
        this.store = store;
        this.grantGuard = grantGuard;
    }

    public Future<Reply> get(Request request) {
        return request.principal().type() == ActorType.USER
                ? store.listActiveBindings(request.principal().id()).map(held -> describeUser(request, held))
                : Future.succeededFuture(describeMachine(request));
    }

    private Reply describeUser(Request request, List<HeldBinding> held) {
        var effective = held.stream()
                .map(each -> each.binding().scope())
                .distinct()
                .map(scope -> effective(request, scope))
                .toList();
        return reply(request.principal(), held.stream().map(MeApi::view).toList(), effective);
    }

    /** A machine principal has no bindings: it may do what its own list allows in its project, or less if its token says so. */
    private Reply describeMachine(Request request) {
        var principal = request.principal();
        var orgId = principal.orgId();
        var projectId = principal.projectId();
        var effective = orgId == null || projectId == null
                ? List.<EffectiveView>of()
                : List.of(effective(request, BindingScope.project(orgId, projectId)));
        return reply(principal, List.of(), effective);
    }

    private EffectiveView effective(Request request, BindingScope scope) {
        return new EffectiveView(
                scope.level(), scope.orgId(), scope.projectId(), grantGuard.effectiveActions(request, scope));
    }

    private static BindingView view(HeldBinding held) {
        var binding = held.binding();
        var scope = binding.scope();
        return new BindingView(
                binding.role(),
                held.label(),
                scope.level(),
                scope.orgId(),
                scope.projectId(),
                binding.holder() == Holder.GROUP ? binding.principalId() : null,
                binding.expiresAt());
    }

    private static Reply reply(Principal principal, List<BindingView> bindings, List<EffectiveView> effective) {
        return Reply.ofRecord(
                new MeView(principal.id(), principal.type(), principal.displayName(), bindings, effective));
    }
}
