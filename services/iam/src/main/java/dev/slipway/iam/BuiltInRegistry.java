package dev.slipway.iam;

import dev.slipway.contract.ActionRegistry;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.iam.tenancy.domain.Action;
import dev.slipway.iam.tenancy.domain.Role;

import java.time.Instant;
import java.util.List;

/** The built-in actions and roles of the contract. */
final class BuiltInRegistry {
    private BuiltInRegistry() {}

    static List<Action> actions() {
        return ActionRegistry.load().actions().stream()
                .map(a -> new Action(
                        a.key(),
                        a.product(),
                        a.version(),
                        a.riskClass(),
                        a.lifecycle(),
                        a.description(),
                        List.of(),
                        Instant.EPOCH))
                .toList();
    }

    static List<Role> roles() {
        return RoleRegistry.load().roles().stream()
                .map(r -> new Role(r.name(), null, r.name(), r.level(), r.actions(), r.owner(), false, 1))
                .toList();
    }
}
