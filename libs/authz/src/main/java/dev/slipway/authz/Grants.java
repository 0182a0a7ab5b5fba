package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Principal.ActorType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Which actions there are, which roles grant them, and who holds those roles. */
final class Grants {
    private static final UUID[] NO_GROUPS = {};

    private final Map<String, Role> roles = new ConcurrentHashMap<>();
    private final Set<String> liveActions = ConcurrentHashMap.newKeySet();
    private final Map<UUID, Holdings> holdings = new ConcurrentHashMap<>();
    private final Map<UUID, UUID[]> groupsOf = new ConcurrentHashMap<>();
    /** One instance of every place's id and every role's name, however many bindings have it; used by the writer alone. */
    private final Map<Object, Object> shared = new HashMap<>();

    void action(JsonNode payload) {
        var action = payload.path("action").asText();
        switch (payload.path("lifecycle").asText()) {
            case "active", "deprecated" -> liveActions.add(action);
            default -> liveActions.remove(action);
        }
    }

    void role(JsonNode payload) {
        var name = payload.path("role").asText();
        var kind = kind(payload.path("level").asText());
        if (kind == null || payload.path("removed").asBoolean()) {
            roles.remove(name);
        } else {
            roles.put(name, new Role(kind, Fields.optionalUuid(payload, "org_id"), Fields.texts(payload, "actions")));
        }
    }

    void binding(JsonNode payload) {
        var id = Fields.uuid(payload, "binding_id");
        var principalId = Fields.uuid(payload, "principal_id");
        var held = holdings.getOrDefault(principalId, Holdings.Few.NONE);
        var binding = payload.path("removed").asBoolean() ? null : held(id, owner(held, principalId), payload);
        var next = binding == null ? held.without(id) : held.with(binding);
        if (next.all().isEmpty()) {
            holdings.remove(principalId);
        } else {
            holdings.put(principalId, next);
        }
    }

    void groupMember(JsonNode payload) {
        var group = shared(Fields.uuid(payload, "group_id"));
        var removed = payload.path("removed").asBoolean();
        groupsOf.compute(Fields.uuid(payload, "user_id"), (user, groups) -> {
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

    boolean isLive(String action) {
        return liveActions.contains(action);
    }

    Set<String> liveActions() {
        return liveActions;
    }

    /** Does the binding, held in that organization if in any, grant the action? */
    boolean grants(Binding binding, @Nullable UUID heldInOrg, String action) {
        var role = roles.get(binding.role());
        return role != null
                && role.countsAt(binding.level(), heldInOrg)
                && role.actions().contains(action);
    }

    /** May a machine of this kind ever be allowed this? The role that says so is named after the kind. */
    boolean isForMachines(ActorType type, String action) {
        var ceiling = roles.get(type.text());
        return ceiling != null
                && ceiling.kind() == Role.Kind.MACHINE
                && ceiling.actions().contains(action);
    }

    boolean isForPeople(String action) {
        return roles.values().stream()
                .anyMatch(role ->
                        role.kind() != Role.Kind.MACHINE && role.actions().contains(action));
    }

    @Nullable
    Holdings holdings(UUID principalId) {
        return holdings.get(principalId);
    }

    UUID[] groupsOf(UUID userId) {
        return groupsOf.getOrDefault(userId, NO_GROUPS);
    }

    List<Binding> bindingsOf(UUID principalId) {
        var held = holdings.get(principalId);
        return held == null
                ? List.of()
                : held.all().stream()
                        .sorted(Comparator.comparing(Binding::level).reversed())
                        .toList();
    }

    private @Nullable Binding held(UUID id, UUID principalId, JsonNode payload) {
        var level = Level.of(payload.path("level").asText());
        if (level == null) {
            return null;
        }
        var expires = payload.path("expires_at");
        var binding = new Binding(
                id,
                principalId,
                shared(payload.path("role").asText()),
                level,
                sharedOrNull(Fields.optionalUuid(payload, "org_id")),
                sharedOrNull(Fields.optionalUuid(payload, "project_id")),
                expires.isTextual() ? Instant.parse(expires.asText()) : null);
        return binding.place() == null ? null : binding;
    }

    /** The one instance of the owner's id that all its bindings share. */
    private static UUID owner(Holdings held, UUID principalId) {
        var others = held.all().iterator();
        return others.hasNext() ? others.next().principalId() : principalId;
    }

    /** The one instance of a place's id, shared with the bindings there. */
    UUID placeId(UUID id) {
        return shared(id);
    }

    @SuppressWarnings("unchecked") // what is put under a key equals it
    private <T> T shared(T value) {
        var known = (T) shared.putIfAbsent(value, value);
        return known == null ? value : known;
    }

    private @Nullable UUID sharedOrNull(@Nullable UUID id) {
        return id == null ? null : shared(id);
    }

    /** A level that only a newer IAM knows grants nothing here. */
    private static Role.@Nullable Kind kind(String level) {
        return switch (level) {
            case "platform", "organization", "project", "machine" -> Role.Kind.valueOf(level.toUpperCase(Locale.ROOT));
            default -> null;
        };
    }
}
