package dev.slipway.tenants.deployment;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Request;
import dev.slipway.tenants.deployment.domain.ValidationIssue.Severity;
import dev.slipway.tenants.deployment.domain.ValidationResult;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/** The checks that every change of a tenant's metadata passes before it is queued. */
public final class DeploymentRequests {
    private final TenantStore tenants;
    private final DeploymentStore store;

    public DeploymentRequests(TenantStore tenants, DeploymentStore store) {
        this.tenants = tenants;
        this.store = store;
    }

    /** Locks the tenant of the request. Fails if it does not exist or does not accept changes. */
    Future<Tenant> lockTenant(UnitOfWork unit, Request request) {
        var id = request.pathId("tenant_id");
        return tenants.lock(unit, request.pathId("org_id"), id).map(tenant -> requireActive(requireFound(tenant, id)));
    }

    /** Returns the tenant of the request, regardless of its state. */
    Future<Tenant> requireTenant(Request request) {
        var id = request.pathId("tenant_id");
        return tenants.find(request.pathId("org_id"), id).map(tenant -> requireFound(tenant, id));
    }

    private static Tenant requireFound(@Nullable Tenant tenant, UUID id) {
        if (tenant == null) {
            throw Problem.of(
                            ErrorCode.TENANT_NOT_FOUND, "Tenant " + id + " was not found, or you have no access to it.")
                    .asException();
        }
        return tenant;
    }

    static Tenant requireActive(Tenant tenant) {
        return switch (tenant.status()) {
            case ACTIVE -> tenant;
            case SUSPENDED ->
                throw Problem.of(ErrorCode.TENANT_SUSPENDED, "The tenant is suspended. Resume it first.")
                        .asException();
            case PROVISIONING, FAILED, DESTROYING ->
                throw Problem.of(
                                ErrorCode.TENANT_NOT_READY,
                                "The tenant is not active. Wait until it is provisioned, or read its status.")
                        .asException();
        };
    }

    /** Counts the deployment. Fails if the tenant may not have this number of objects, or not another deployment today. */
    Future<Void> requireQuotas(UnitOfWork unit, Tenant tenant, int objectCount) {
        return store.loadQuotas(unit, tenant.plan())
                .compose(quotas -> store.countDeployment(unit, tenant.id()).compose(today -> {
                    var reason = Stream.of(
                                    quotas.reasonAgainstObjects(objectCount), quotas.reasonAgainstDeployment(today))
                            .filter(Objects::nonNull)
                            .findFirst();
                    return reason.isEmpty()
                            ? Future.succeededFuture()
                            : Future.failedFuture(quotaExceeded(reason.get()));
                }));
    }

    private static Throwable quotaExceeded(String reason) {
        return Problem.of(ErrorCode.QUOTA_EXCEEDED, reason).asException();
    }

    static void requireValid(ValidationResult validation) {
        if (!validation.valid()) {
            throw Problem.validationOf(
                            ErrorCode.BUNDLE_INVALID,
                            validation.issues().stream()
                                    .filter(issue -> issue.severity() == Severity.ERROR)
                                    .map(issue -> new FieldProblem(issue.path(), issue.message()))
                                    .toList())
                    .asException();
        }
    }
}
