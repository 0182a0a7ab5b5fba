package dev.slipway.contract;

import dev.slipway.contract.Operation.Scope;
import dev.slipway.contract.RoleRegistry.Role;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class RoleRegistryTest {
    /** What everyone may do with what is their own: no role grants it. */
    private static final Set<String> ON_ONES_OWN =
            Set.of("iam.me.read", "iam.decision.read", "iam.api_key.read", "iam.api_key.write", "iam.token.revoke_own");

    private static final RoleRegistry REGISTRY = RoleRegistry.load();

    @Test
    void noRole_grantsAnActionThatIsNotRegistered() {
        for (var role : REGISTRY.roles()) {
            assertThat(REGISTRY.actions()).as(role.name()).containsAll(role.actions());
        }
    }

    @Test
    void noAction_isGrantedByNobody() {
        var granted = REGISTRY.roles().stream()
                .flatMap(role -> role.actions().stream())
                .collect(Collectors.toSet());

        assertThat(granted).containsAll(REGISTRY.actions());
    }

    @Test
    void names_areUnique_andLevelsKnown() {
        assertThat(REGISTRY.actions()).doesNotHaveDuplicates();
        assertThat(REGISTRY.roles()).extracting(Role::name).doesNotHaveDuplicates();
        assertThat(REGISTRY.roles()).allSatisfy(role -> {
            assertThat(Set.of("platform", "organization", "project", "machine")).contains(role.level());
            assertThat(role.actions()).as(role.name()).doesNotHaveDuplicates();
        });
    }

    /**
     * Nobody is asked for a public operation's action, so it is only a name in the audit trail. Of the operations that every caller may
     * use, some narrow what they show by an action, which must then be registered; who I am and what I may do narrow by nothing.
     */
    @Test
    void everyActionThatIsDecided_isRegistered() {
        var decided = Contract.load().operations().stream()
                .filter(operation -> operation.scope() != Scope.PUBLIC)
                .map(Operation::action)
                .filter(action -> !ON_ONES_OWN.contains(action))
                .collect(Collectors.toSet());

        assertThat(REGISTRY.actions()).containsAll(decided);
        assertThat(decided).contains("apps.instance.create", "audit.timeline.read");
    }

    @Test
    void machines_neverDelete() {
        assertThat(REGISTRY.roles())
                .filteredOn(role -> role.level().equals("machine"))
                .isNotEmpty()
                .allSatisfy(role -> assertThat(role.actions()).noneMatch(action -> action.endsWith(".delete")));
    }
}
