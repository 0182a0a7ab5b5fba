package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Binding.Level;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.messaging.Incoming;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Everything decisions are taken from, kept from {@code authz.state}: one per process, written by its reader alone, read by every
 * event loop.
 *
 * <p>IAM raises one revision per commit, and its heartbeat says which it has committed. The model is as old as the last heartbeat whose
 * revision it had reached: a change that is committed but stuck on its way makes the model stale, not wrong.
 */
public final class AuthzModel {
    private final Map<String, Role> roles = new ConcurrentHashMap<>();
    private final Map<UUID, UUID> orgOfProject = new ConcurrentHashMap<>();
    private final Map<UUID, Principal> principals = new ConcurrentHashMap<>();
    private final Map<Subject, UUID> principalOfSubject = new ConcurrentHashMap<>();
    private final Map<UUID, List<Binding>> bindings = new ConcurrentHashMap<>();
    private final Map<KeyId, SigningKey> keys = new ConcurrentHashMap<>();
    private final Revocations revocations = new Revocations();
    private volatile Set<String> grantedActions = Set.of();
    private volatile Set<String> machineActions = Set.of();
    private volatile long revision;
    private volatile Instant freshAt = Instant.EPOCH;

    private record Role(String level, Set<String> actions) {}

    private record Subject(String issuer, String subject) {}

    /** Issuers name their keys as they like: two may choose one name. */
    private record KeyId(String issuer, String kid) {}

    /** Applies one record; called by one reader, in the order of the topic. */
    public void apply(Incoming record) {
        var event = record.envelope();
        var payload = event.payload();
        var recordRevision = payload.path("revision").asLong();
        if (event.eventType().equals("state.heartbeat")) {
            revocations.tick(record.appendedAt());
            if (recordRevision <= revision) {
                freshAt = record.appendedAt();
            }
            return;
        }
        if (recordRevision < revision) {
            return; // published again after a crash: it was applied, and what came after it must stand
        }
        switch (event.eventType()) {
            case "authz.role" -> role(payload);
            case "authz.project" -> orgOfProject.put(uuid(payload, "project_id"), uuid(payload, "org_id"));
            case "authz.principal" -> principal(payload);
            case "authz.binding" -> binding(payload);
            case "authz.signing_key" -> key(payload);
            case "authz.revocation" -> revocations.apply(payload);
            // The last record of a commit: only now is all of it here.
            case "authz.revision" -> revision = recordRevision;
            default -> {
                // A newer IAM may know more kinds of records; what they grant is not granted here.
            }
        }
    }

    public Duration age(Instant now) {
        var age = Duration.between(freshAt, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    public long revision() {
        return revision;
    }

    public @Nullable UUID orgOf(UUID projectId) {
        return orgOfProject.get(projectId);
    }

    public @Nullable Principal principal(UUID id) {
        return principals.get(id);
    }

    public List<Binding> bindingsOf(UUID principalId) {
        return bindings.getOrDefault(principalId, List.of());
    }

    /** The principal that an issuer's tokens name so, if it is known and active. */
    public @Nullable Principal principalOf(String issuer, String subject) {
        var id = principalOfSubject.get(new Subject(issuer, subject));
        return id == null ? null : principals.get(id);
    }

    /** Whether a token, or the credential it was made with, was revoked. */
    boolean isRevoked(UUID id) {
        return revocations.has(id);
    }

    int revocationCount() {
        return revocations.size();
    }

    @Nullable
    SigningKey key(String issuer, String kid) {
        return keys.get(new KeyId(issuer, kid));
    }

    /** Whether tokens that are signed with the key now will be taken: it has arrived, and stands. */
    public boolean trusts(String issuer, String kid) {
        var key = key(issuer, kid);
        return key != null && !key.revoked();
    }

    boolean grants(String role, String action) {
        var found = roles.get(role);
        return found != null && found.actions.contains(action);
    }

    boolean isGrantedByAnyRole(String action) {
        return grantedActions.contains(action);
    }

    boolean isForMachines(String action) {
        return machineActions.contains(action);
    }

    private void role(JsonNode payload) {
        roles.put(
                payload.path("role").asText(),
                new Role(payload.path("level").asText(), texts(payload.path("actions"))));
        grantedActions =
                roles.values().stream().flatMap(role -> role.actions.stream()).collect(Collectors.toUnmodifiableSet());
        machineActions = roles.values().stream()
                .filter(role -> role.level.equals("machine"))
                .flatMap(role -> role.actions.stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private void key(JsonNode payload) {
        var key = SigningKey.of(payload);
        keys.put(new KeyId(key.issuer(), payload.path("kid").asText()), key);
    }

    private void principal(JsonNode payload) {
        var id = uuid(payload, "principal_id");
        if (!payload.path("active").asBoolean()) {
            principals.remove(id);
            return;
        }
        var responsible = uuid(payload, "responsible_user_id");
        principals.put(
                id,
                new Principal(
                        id,
                        ActorType.of(payload.path("actor_type").asText()),
                        payload.path("display_name").asText(),
                        responsible,
                        optionalUuid(payload, "org_id"),
                        optionalUuid(payload, "project_id"),
                        texts(payload.path("allowed_actions")),
                        null,
                        null));
        if (payload.path("issuer").isTextual()) {
            principalOfSubject.put(
                    new Subject(
                            payload.path("issuer").asText(),
                            payload.path("subject").asText()),
                    id);
        }
    }

    private void binding(JsonNode payload) {
        var binding = new Binding(
                uuid(payload, "binding_id"),
                uuid(payload, "principal_id"),
                payload.path("role").asText(),
                Level.of(payload.path("level").asText()),
                optionalUuid(payload, "org_id"),
                optionalUuid(payload, "project_id"));
        var removed = payload.path("removed").asBoolean();
        bindings.compute(binding.principalId(), (principal, held) -> {
            var next = new ArrayList<Binding>();
            if (held != null) {
                held.stream().filter(b -> !b.id().equals(binding.id())).forEach(next::add);
            }
            if (!removed) {
                next.add(binding);
            }
            // Project, then organization, then platform: the first that grants is the one that decided.
            next.sort(Comparator.comparing(Binding::level).reversed());
            return next.isEmpty() ? null : List.copyOf(next);
        });
    }

    private static Set<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static UUID uuid(JsonNode payload, String field) {
        return UUID.fromString(payload.path(field).asText());
    }

    private static @Nullable UUID optionalUuid(JsonNode payload, String field) {
        return payload.path(field).isTextual() ? uuid(payload, field) : null;
    }
}
