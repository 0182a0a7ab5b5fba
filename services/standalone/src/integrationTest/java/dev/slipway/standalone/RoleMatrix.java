package dev.slipway.standalone;

import dev.slipway.authz.Decision;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Target;
import dev.slipway.contract.Contract;
import dev.slipway.contract.ErrorEnvelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Operation;
import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.RoleRegistry;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/** What every operation must answer to every principal of the demo, worked out from the registry of roles and the contract. */
final class RoleMatrix {
    static final String OPERATOR = "shared_runtime_operator";
    /** What the demo's service account is allowed by its own list. */
    static final Set<String> ALLOWLIST = Set.of(
            "apps.instance.read", "apps.instance.create", "apps.instance.member.read", "apps.instance.member.operate");

    private static final UUID RUNTIME = Ids.next();
    private static final Map<String, Set<String>> GRANTED = RoleRegistry.load().roles().stream()
            .collect(Collectors.toMap(RoleRegistry.Role::name, role -> Set.copyOf(role.actions())));
    private static final String FORBIDDEN = "403 insufficient_permissions";
    private static final String NOT_FOUND = "404 not_found";

    private RoleMatrix() {}

    /** The operations whose answer depends on the caller's roles. */
    static List<Operation> judged() {
        return Contract.load().operations().stream()
                .filter(o -> o.scope() != Scope.PUBLIC && o.scope() != Scope.SELF)
                .toList();
    }

    /** An operator of a shared runtime of the demo's tenant, with every action on its list. */
    static Principal operator() {
        var id = Ids.next();
        var actions = Set.copyOf(RoleRegistry.load().actions());
        return new Principal(
                id, ActorType.SHARED_RUNTIME_OPERATOR, "Operator", id, Demo.ORG, null, RUNTIME, actions, null, null);
    }

    static UUID orgOf(String place) {
        return place.equals("other tenant's") ? Demo.OTHER_ORG : Demo.ORG;
    }

    static Target target(Operation operation, String place, UUID projectId) {
        var target =
                switch (operation.scope()) {
                    case PROJECT, PROJECT_HEADER -> Target.project(projectId);
                    case ORGANIZATION ->
                        operation.path().contains("{shared_runtime_id}")
                                ? Target.sharedRuntime(orgOf(place), RUNTIME)
                                : Target.organization(orgOf(place));
                    case PLATFORM -> Target.platform();
                    case SELF, PUBLIC -> Target.self();
                };
        return operation.isTwin() ? target.throughBreakGlass() : target;
    }

    static String answer(Operation operation, Decision decision) {
        if (decision.allowed()) {
            return operation.successStatus() + " ";
        }
        var problem = decision.problem(operation.action());
        return ErrorEnvelope.status(problem) + " " + problem.code().code();
    }

    static String expected(Operation operation, String principal, String place) {
        var role = principal.equals("other_tenant_owner") ? "tenant_owner" : principal;
        var platform = role.startsWith("platform_");
        var mayHere = requireNonNull(GRANTED.get(role)).contains(operation.action())
                && (!role.equals("service_account") || ALLOWLIST.contains(operation.action()));
        var granted = mayHere ? operation.successStatus() + " " : FORBIDDEN;
        if (operation.isTwin() || operation.scope() == Scope.PLATFORM) {
            return platform ? granted : FORBIDDEN;
        }
        if (platform) {
            return "403 break_glass_required";
        }
        return isBound(operation, principal, place) ? granted : NOT_FOUND;
    }

    /** A mutation that would be done is sent for instances alone: others might take away what the next case needs. */
    static boolean canBeSent(Operation operation, String expectation) {
        var launches = operation.servedBy().equals("createAppInstance");
        if (operation.takesBody() && !launches) {
            return false;
        }
        var known = operation.path().replaceAll("\\{(org_id|project_id|app_instance_id|app_slug)}", "");
        var harmless = operation.path().contains("/app-instances")
                || operation.path().contains("/catalog")
                || operation.method().equals("GET");
        return !expectation.startsWith("2") || (harmless && !known.contains("{"));
    }

    private static boolean isBound(Operation operation, String principal, String place) {
        var own = !place.equals("other tenant's");
        return switch (principal) {
            case "other_tenant_owner" -> !own;
            case "tenant_owner", "tenant_admin" -> own;
            case OPERATOR ->
                operation.scope() == Scope.ORGANIZATION && operation.path().contains("{shared_runtime_id}") && own;
            default -> place.equals("own") && operation.scope() != Scope.ORGANIZATION;
        };
    }
}
