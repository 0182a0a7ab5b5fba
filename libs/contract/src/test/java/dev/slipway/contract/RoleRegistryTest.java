package dev.slipway.contract;

import dev.slipway.contract.ApiOperation.Scope;
import dev.slipway.contract.RoleRegistry.Role;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class RoleRegistryTest {
    /** Actions on the caller's own data, which no role needs to grant. */
    private static final Set<String> ON_ONES_OWN =
            Set.of("iam.me.read", "iam.decision.read", "iam.api_key.read", "iam.api_key.write", "iam.token.revoke_own");

    private static final RoleRegistry REGISTRY = RoleRegistry.load();

    @Test
    void roles_grantRegisteredActionsOnly() {
        for (var role : REGISTRY.roles()) {
            assertThat(REGISTRY.actions()).as(role.name()).containsAll(role.actions());
        }
    }

    @Test
    void actions_areAllGrantedByARole() {
        var granted = REGISTRY.roles().stream()
                .flatMap(role -> role.actions().stream())
                .collect(Collectors.toSet());

        assertThat(granted).containsAll(REGISTRY.actions());
    }

    @Test
    void roles_haveUniqueNamesAndKnownLevels() {
        assertThat(REGISTRY.actions()).doesNotHaveDuplicates();
        assertThat(REGISTRY.roles()).extracting(Role::name).doesNotHaveDuplicates();
        assertThat(REGISTRY.roles()).allSatisfy(role -> {
            assertThat(Set.of("platform", "organization", "project", "machine")).contains(role.level());
            assertThat(role.actions()).as(role.name()).doesNotHaveDuplicates();
        });
    }

    /**
     * The action of a public operation is never authorized; it only appears in the audit trail. Operations that every caller may use can
     * filter their result by an action, which must then be registered.
     */
    @Test
    void actions_ofTheContractAreRegistered() {
        var decided = Contract.load().operations().stream()
                .filter(apiOperation -> apiOperation.scope() != Scope.PUBLIC)
                .map(ApiOperation::action)
                .filter(action -> !ON_ONES_OWN.contains(action))
                .collect(Collectors.toSet());

        assertThat(REGISTRY.actions()).containsAll(decided);
        assertThat(decided).contains("apps.instance.create", "audit.timeline.read");
    }

    @Test
    void machineRoles_grantNoDelete() {
        assertThat(REGISTRY.roles())
                .filteredOn(role -> role.level().equals("machine"))
                .isNotEmpty()
                .allSatisfy(role -> assertThat(role.actions()).noneMatch(action -> action.endsWith(".delete")));
    }
}
