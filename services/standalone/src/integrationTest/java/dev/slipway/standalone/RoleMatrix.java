package dev.slipway.standalone;

import dev.slipway.authz.Decision;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ApiOperation;
import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.Contract;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.RoleRegistry;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/** Computes the expected response of every operation to every demo principal from the role registry and the contract. */
final class RoleMatrix {
    static final String OPERATOR = "shared_runtime_operator";
    /** The allowed actions of the demo's service account. */
    static final Set<String> ALLOWLIST = Set.of(
            "apps.instance.read", "apps.instance.create", "apps.instance.member.read", "apps.instance.member.operate");

    private static final UUID RUNTIME = Ids.next();
    private static final Map<String, Set<String>> GRANTED = RoleRegistry.load().roles().stream()
            .collect(Collectors.toMap(RoleRegistry.Role::name, role -> Set.copyOf(role.actions())));
    private static final String FORBIDDEN = "403 insufficient_permissions";
    private static final String NOT_FOUND = "404 not_found";

    private RoleMatrix() {}

    /** Returns the operations that depend on the caller's roles. */
    static List<ApiOperation> assertDecisions() {
        return Contract.load().operations().stream()
                .filter(o -> o.scope() != Scope.PUBLIC && o.scope() != Scope.SELF)
                .toList();
    }

    /** A shared runtime operator of the demo tenant with all actions. */
    static Principal operator() {
        var id = Ids.next();
        var actions = Set.copyOf(RoleRegistry.load().actions());
        return new Principal(
                id,
                ActorType.SHARED_RUNTIME_OPERATOR,
                "Operator",
                id,
                DemoData.ORG,
                null,
                RUNTIME,
                actions,
                null,
                null);
    }

    /** The scope of the shared runtime that {@link #operator} belongs to. */
    static ResourceScope runtimeScope() {
        return ResourceScope.sharedRuntime(DemoData.ORG, RUNTIME);
    }

    static UUID orgOf(String place) {
        return place.equals("other tenant's") ? DemoData.OTHER_ORG : DemoData.ORG;
    }

    static ResourceScope target(ApiOperation apiOperation, String place, UUID projectId) {
        var resourceScope =
                switch (apiOperation.scope()) {
                    case PROJECT, PROJECT_HEADER -> ResourceScope.project(projectId);
                    case ORGANIZATION ->
                        apiOperation.path().contains("{shared_runtime_id}")
                                ? ResourceScope.sharedRuntime(orgOf(place), RUNTIME)
                                : ResourceScope.organization(orgOf(place));
                    case PLATFORM -> ResourceScope.platform();
                    case SELF, PUBLIC -> ResourceScope.self();
                };
        return apiOperation.isAdminVariant() ? resourceScope.withBreakGlass() : resourceScope;
    }

    static String send(ApiOperation apiOperation, Decision decision) {
        if (decision.allowed()) {
            return apiOperation.successStatus() + " ";
        }
        var problem = decision.toProblem(apiOperation.action());
        return ErrorEnvelope.status(problem) + " " + problem.code().code();
    }

    static String expected(ApiOperation apiOperation, String principal, String place) {
        var role = principal.equals("other_tenant_owner") ? "tenant_owner" : principal;
        var platform = role.startsWith("platform_");
        var mayHere = requireNonNull(GRANTED.get(role)).contains(apiOperation.action())
                && (!role.equals("service_account") || ALLOWLIST.contains(apiOperation.action()));
        var granted = mayHere ? apiOperation.successStatus() + " " : FORBIDDEN;
        if (apiOperation.isAdminVariant() || apiOperation.scope() == Scope.PLATFORM) {
            return platform ? granted : FORBIDDEN;
        }
        if (platform) {
            return "403 break_glass_required";
        }
        return isBound(apiOperation, principal, place) ? granted : NOT_FOUND;
    }

    /** Allowed mutations are sent for instances only: others could remove what the next case needs. */
    static boolean canBeSent(ApiOperation apiOperation, String expectation) {
        var launches = apiOperation.handlerId().equals("createAppInstance");
        if (apiOperation.hasBody() && !launches) {
            return false;
        }
        var known = apiOperation.path().replaceAll("\\{(org_id|project_id|app_instance_id|app_slug)}", "");
        var harmless = apiOperation.path().contains("/app-instances")
                || apiOperation.path().contains("/catalog")
                || apiOperation.method().equals("GET");
        return !expectation.startsWith("2") || (harmless && !known.contains("{"));
    }

    private static boolean isBound(ApiOperation apiOperation, String principal, String place) {
        var own = !place.equals("other tenant's");
        return switch (principal) {
            case "other_tenant_owner" -> !own;
            case "tenant_owner", "tenant_admin" -> own;
            case OPERATOR ->
                apiOperation.scope() == Scope.ORGANIZATION
                        && apiOperation.path().contains("{shared_runtime_id}")
                        && own;
            default -> place.equals("own") && apiOperation.scope() != Scope.ORGANIZATION;
        };
    }
}
