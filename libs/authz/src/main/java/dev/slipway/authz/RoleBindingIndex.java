package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The actions, roles, bindings and group memberships of the model, indexed for decisions. */
final class RoleBindingIndex {
    private static final UUID[] NO_GROUPS = {};

    private final Map<String, RoleDefinition> roles = new ConcurrentHashMap<>();
    private final Set<String> usableActions = ConcurrentHashMap.newKeySet();
    private final Map<UUID, BindingSet> bindingSet = new ConcurrentHashMap<>();
    private final Map<UUID, UUID[]> groupsOf = new ConcurrentHashMap<>();
    /** One instance of every scope id and role name, to save memory. Only used by the writer. */
    private final Map<Object, Object> intern = new HashMap<>();

    void applyAction(JsonNode payload) {
        var action = payload.path("action").asText();
        // null for a lifecycle that only a newer IAM knows, so that the action is denied
        var lifecycle =
                TextEnum.find(RegistryLifecycle.class, payload.path("lifecycle").asText());
        if (lifecycle != null && lifecycle.isUsable()) {
            usableActions.add(action);
        } else {
            usableActions.remove(action);
        }
    }

    void applyRole(JsonNode payload) {
        var name = payload.path("role").asText();
        // null for a level that only a newer IAM knows, so that the role grants nothing
        var kind =
                TextEnum.find(RoleDefinition.Kind.class, payload.path("level").asText());
        if (kind == null || payload.path("removed").asBoolean()) {
            roles.remove(name);
        } else {
            roles.put(
                    name,
                    new RoleDefinition(
                            kind,
                            PayloadFields.optionalUuid(payload, "org_id"),
                            PayloadFields.textSet(payload, "actions")));
        }
    }

    void applyBinding(JsonNode payload) {
        var id = PayloadFields.uuid(payload, "binding_id");
        var principalId = PayloadFields.uuid(payload, "principal_id");
        var held = bindingSet.getOrDefault(principalId, BindingSet.Small.NONE);
        var binding = payload.path("removed").asBoolean()
                ? null
                : parseBinding(id, sharedPrincipalId(held, principalId), payload);
        var next = binding == null ? held.without(id) : held.with(binding);
        if (next.all().isEmpty()) {
            bindingSet.remove(principalId);
        } else {
            bindingSet.put(principalId, next);
        }
    }

    void applyGroupMember(JsonNode payload) {
        var group = intern(PayloadFields.uuid(payload, "group_id"));
        var removed = payload.path("removed").asBoolean();
        groupsOf.compute(PayloadFields.uuid(payload, "user_id"), (user, groups) -> {
            var others = Arrays.stream(groups == null ? NO_GROUPS : groups)
                    .filter(one -> !one.equals(group))
                    .toArray(UUID[]::new);
            if (removed) {
                return others.length == 0 ? null : others;
            }
            var joined = Arrays.copyOf(others, others.length + 1);
            joined[others.length] = group;
            return joined;
        });
    }

    boolean isUsable(String action) {
        return usableActions.contains(action);
    }

    Set<String> usableActions() {
        return usableActions;
    }

    /** Returns whether the binding, which belongs to the organization if there is one, grants the action. */
    boolean grants(Binding binding, @Nullable UUID heldInOrg, String action) {
        var roleDefinition = roles.get(binding.role());
        return roleDefinition != null
                && roleDefinition.appliesAt(binding.level(), heldInOrg)
                && roleDefinition.actions().contains(action);
    }

    /** Returns whether machine principals of this type can be allowed the action. A role with the name of the type lists the actions. */
    boolean isAllowedForMachines(ActorType type, String action) {
        var ceiling = roles.get(type.text());
        return ceiling != null
                && ceiling.kind() == RoleDefinition.Kind.MACHINE
                && ceiling.actions().contains(action);
    }

    boolean isGrantableToUsers(String action) {
        return roles.values().stream()
                .anyMatch(roleDefinition -> roleDefinition.kind() != RoleDefinition.Kind.MACHINE
                        && roleDefinition.actions().contains(action));
    }

    @Nullable
    BindingSet bindingSet(UUID principalId) {
        return bindingSet.get(principalId);
    }

    /** Returns the users, machine principals and groups that hold a role. */
    Set<UUID> principalsWithBindings() {
        return bindingSet.keySet();
    }

    UUID[] groupsOf(UUID userId) {
        return groupsOf.getOrDefault(userId, NO_GROUPS);
    }

    List<Binding> listBindings(UUID principalId) {
        var held = bindingSet.get(principalId);
        return held == null
                ? List.of()
                : held.all().stream()
                        .sorted(Comparator.comparing(Binding::level).reversed())
                        .toList();
    }

    private @Nullable Binding parseBinding(UUID id, UUID principalId, JsonNode payload) {
        // null for a level that only a newer IAM knows
        var level = TextEnum.find(Level.class, payload.path("level").asText());
        if (level == null) {
            return null;
        }
        var expires = payload.path("expires_at");
        var binding = new Binding(
                id,
                principalId,
                intern(payload.path("role").asText()),
                level,
                internNullable(PayloadFields.optionalUuid(payload, "org_id")),
                internNullable(PayloadFields.optionalUuid(payload, "project_id")),
                expires.isTextual() ? Instant.parse(expires.asText()) : null);
        return binding.scopeId() == null ? null : binding;
    }

    /** Returns the instance of the principal's id that its other bindings use. */
    private static UUID sharedPrincipalId(BindingSet held, UUID principalId) {
        var others = held.all().iterator();
        return others.hasNext() ? others.next().principalId() : principalId;
    }

    /** Returns the shared instance of a scope id. */
    UUID internScopeId(UUID id) {
        return intern(id);
    }

    @SuppressWarnings("unchecked") // the value of a key equals the key
    private <T> T intern(T value) {
        var known = (T) intern.putIfAbsent(value, value);
        return known == null ? value : known;
    }

    private @Nullable UUID internNullable(@Nullable UUID id) {
        return id == null ? null : intern(id);
    }
}
