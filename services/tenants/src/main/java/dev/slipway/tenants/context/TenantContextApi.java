package dev.slipway.tenants.context;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.router.RoutedTenant;
import dev.slipway.tenants.router.TenantAuthorizer;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.router.TenantRouter.ResolvedTenant;
import dev.slipway.tenants.router.domain.ResolutionStrategy;
import dev.slipway.tenants.router.domain.TenantReference;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Resolves the tenant of a request and returns its runtime context. */
public final class TenantContextApi {
    private static final String ACTION = "tenants.data.read";
    private static final String TENANT_HEADER = "x-tenant-id";

    private final TenantRouter router;
    private final TenantAuthorizer authorizer;

    public TenantContextApi(TenantRouter router, TenantAuthorizer authorizer) {
        this.router = router;
        this.authorizer = authorizer;
    }

    public Future<Reply> get(Request request) {
        var strategy = TextEnum.parse(
                ResolutionStrategy.class, Objects.requireNonNullElse(request.query("strategy"), "token"));
        var value = strategy == ResolutionStrategy.HEADER
                ? request.call().headers().get(TENANT_HEADER)
                : request.query("value");
        var reference = TenantReference.of(strategy, value).orElseThrow(() -> Problem.validationOf(
                        ErrorCode.VALIDATION_ERROR,
                        strategy == ResolutionStrategy.HEADER ? "X-Tenant-ID" : "value",
                        "does not name a tenant as the strategy requires")
                .asException());
        return router.resolveTenant(authorizer.session(request, ACTION), reference)
                .map(found -> Reply.ofRecord(requireActive(found).context()));
    }

    private static ResolvedTenant requireActive(@Nullable ResolvedTenant found) {
        if (found == null) {
            throw Problem.of(ErrorCode.TENANT_NOT_FOUND, "The tenant was not found, or you have no access to it.")
                    .asException();
        }
        RoutedTenant.requireActive(found.status());
        return found;
    }
}
