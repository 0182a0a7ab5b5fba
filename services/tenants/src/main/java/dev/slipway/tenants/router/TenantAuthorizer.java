package dev.slipway.tenants.router;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.DenialException;
import dev.slipway.service.Request;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.metadata.domain.ObjectPermission.Access;
import dev.slipway.tenants.router.TenantRouter.TenantSession;
import dev.slipway.tenants.tenant.domain.Tenant;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.UUID;

/**
 * Authorizes access to the data of tenants. A caller needs the action in the organization of the tenant, or in the project that X-Project-ID
 * names, and then a role that the permissions of the object allow.
 */
public final class TenantAuthorizer {
    private final Authorizer authorizer;
    private final AuthzModel model;
    private final Clock clock;

    public TenantAuthorizer(AuthzModel model, Clock clock) {
        this.authorizer = new Authorizer(model);
        this.model = model;
        this.clock = clock;
    }

    /** Throws a denial if the caller may not do this. A caller without any role in the organization does not learn that the tenant exists. */
    public void authorize(Request request, Tenant tenant, String action) {
        var scope = scope(request, tenant);
        if (scope == null) {
            throw Problem.of(
                            ErrorCode.TENANT_NOT_FOUND,
                            "Tenant " + tenant.id() + " was not found, or you have no access to it.")
                    .asException();
        }
        var decision = authorizer.decide(request.principal(), action, scope, clock.instant());
        if (!decision.allowed()) {
            throw new DenialException(request.principal(), entry(tenant, action), decision.toProblem(action));
        }
    }

    /** Throws a denial if the object has permissions and none of the caller's roles is among those that allow the access. */
    public void authorize(Request request, Tenant tenant, String action, ObjectDefinition object, Access access) {
        authorize(request, tenant, action);
        if (object.permissions().isEmpty()) {
            return;
        }
        var roles = authorizer.findRolesIn(tenant.orgId(), request.principal(), clock.instant());
        if (object.permissions().stream()
                .noneMatch(permission -> roles.contains(permission.role()) && permission.allows(access))) {
            throw new DenialException(
                    request.principal(),
                    entry(tenant, action),
                    Problem.of(
                            ErrorCode.OBJECT_ACCESS_DENIED,
                            "The permissions of " + object.name() + " do not allow this to any of your roles."));
        }
    }

    /** Returns whether the user has a role in the organization or in one of its projects. */
    public boolean isMember(UUID orgId, UUID userId) {
        var principal = model.principal(userId);
        return principal != null && authorizer.isVisibleIn(orgId, principal);
    }

    /** Returns the session of the caller, for the router. */
    public TenantSession session(Request request, String action) {
        var accessible = authorizer.findAccessibleScopes(request.principal(), action, clock.instant());
        var orgIds = new HashSet<UUID>(accessible.orgIds());
        for (var projectId : accessible.projectIds()) {
            var orgId = model.orgOf(projectId);
            if (orgId != null) {
                orgIds.add(orgId);
            }
        }
        return new TenantSession(new ArrayList<>(orgIds), tenant -> orgIds.contains(tenant.orgId()));
    }

    /** Returns null if the project in the header belongs to another organization. */
    private @Nullable ResourceScope scope(Request request, Tenant tenant) {
        var projectId = request.projectIdOrNull();
        if (projectId == null) {
            return ResourceScope.organization(tenant.orgId());
        }
        return tenant.orgId().equals(model.orgOf(projectId)) ? ResourceScope.project(projectId) : null;
    }

    private static AuditEntry entry(Tenant tenant, String action) {
        return new AuditEntry(action, "tenant", tenant.id().toString(), tenant.orgId(), null, Json.object());
    }
}
