package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.messaging.Incoming;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Everything decisions are taken from, kept from {@code authz.state}: one per process, written by its reader alone, read by every
 * event loop.
 *
 * <p>IAM raises one revision per commit, and its heartbeat says which it has committed. The model is as old as the last heartbeat whose
 * revision it had reached: a change that is committed but stuck on its way makes the model stale, not wrong. Nor does a heartbeat confirm
 * what IAM has no record of: its database was restored, or lost its last commits, and the topic tells of what never was.
 */
public final class AuthzModel {
    private static final Logger LOG = LoggerFactory.getLogger(AuthzModel.class);
    /** A heartbeat may come after a change that it was read before, but is not sent any more when it is as old as this. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(30);

    private final Grants grants = new Grants();
    private final RevisionWaiters waiters = new RevisionWaiters();
    private final Map<UUID, Project> projects = new ConcurrentHashMap<>();
    private final Set<UUID> organizations = ConcurrentHashMap.newKeySet();
    private final Set<UUID> deletedOrganizations = ConcurrentHashMap.newKeySet();
    private final Map<UUID, Known> principals = new ConcurrentHashMap<>();
    private final Map<Subject, UUID> principalOfSubject = new ConcurrentHashMap<>();
    private final Map<KeyId, SigningKey> keys = new ConcurrentHashMap<>();
    private final Revocations revocations = new Revocations();
    private volatile long revision;
    private Instant revisedAt = Instant.EPOCH;
    private volatile Instant freshAt = Instant.EPOCH;
    private volatile boolean ahead;

    /** A project, its organization, and whether it still takes changes. */
    record Project(UUID id, UUID orgId, boolean deleted) {}

    private record Known(Principal principal, @Nullable Subject subject) {}

    private record Subject(String issuer, String subject) {}

    /** Issuers name their keys as they like: two may choose one name. */
    private record KeyId(String issuer, String kid) {}

    /** Applies one record; called by one reader, in the order of the topic. */
    public void apply(Incoming record) {
        var event = record.envelope();
        var payload = event.payload();
        var recordRevision = payload.path("revision").asLong();
        if (event.eventType().equals("state.heartbeat")) {
            heartbeat(recordRevision, record.appendedAt());
            return;
        }
        if (recordRevision < revision) {
            return; // published again after a crash: it was applied, and what came after it must stand
        }
        switch (event.eventType()) {
            case "authz.action" -> grants.action(payload);
            case "authz.role" -> grants.role(payload);
            case "authz.organization" -> organization(payload);
            case "authz.project" -> project(payload);
            case "authz.principal" -> principal(payload);
            case "authz.group_member" -> grants.groupMember(payload);
            case "authz.binding" -> grants.binding(payload);
            case "authz.signing_key" -> key(payload);
            case "authz.revocation" -> revocations.apply(payload);
            // The last record of a commit: only now is all of it here.
            case "authz.revision" -> {
                revision = recordRevision;
                revisedAt = record.appendedAt();
                waiters.reached(recordRevision);
            }
            default -> {
                // A newer IAM may know more kinds of records; what they grant is not granted here.
            }
        }
    }

    private void heartbeat(long committed, Instant at) {
        revocations.tick(at);
        var forgotten = committed < revision && revisedAt.isBefore(at.minus(ON_THE_WAY));
        if (forgotten && !ahead) {
            LOG.atError()
                    .addKeyValue("told", revision)
                    .addKeyValue("committed", committed)
                    .log("IAM has no record of permissions that were told: its database was restored, or lost commits;"
                            + " nothing is confirmed until the platform has new topics");
        }
        ahead = forgotten;
        if (!forgotten && committed <= revision) {
            freshAt = at;
        }
    }

    /** Whether more was told than IAM has a record of: then no waiting helps. */
    public boolean isAheadOfIam() {
        return ahead;
    }

    public Duration age(Instant now) {
        var age = Duration.between(freshAt, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    public long revision() {
        return revision;
    }

    /**
     * Runs the task when the model has reached the revision, on the thread of whoever brings it there, or at once if it has. The answer
     * gives up waiting; it is null when too many wait already.
     */
    public @Nullable Runnable whenAt(long wanted, Runnable task) {
        return waiters.add(wanted, task, this::revision);
    }

    public @Nullable UUID orgOf(UUID projectId) {
        var project = projects.get(projectId);
        return project == null ? null : project.orgId;
    }

    /** Whether there is such an action, and it is neither a draft nor retired. */
    public boolean knowsAction(String action) {
        return grants.isLive(action);
    }

    /** Whether there is, or was, such an organization. */
    public boolean knowsOrganization(UUID orgId) {
        return organizations.contains(orgId);
    }

    /** The organization that a binding is held in; null at the platform, and in a project that is not known. */
    @Nullable
    UUID orgOf(Binding binding) {
        return switch (binding.level()) {
            case PROJECT -> orgOf(Objects.requireNonNull(binding.projectId()));
            case ORGANIZATION -> binding.orgId();
            case PLATFORM -> null;
        };
    }

    public @Nullable Principal principal(UUID id) {
        var known = principals.get(id);
        return known == null ? null : known.principal;
    }

    /** What is held by the principal, or the group, itself; by project, then organization, then platform. */
    public List<Binding> bindingsOf(UUID principalId) {
        return grants.bindingsOf(principalId);
    }

    @Nullable
    Project project(UUID id) {
        return projects.get(id);
    }

    boolean isDeleted(UUID orgId) {
        return deletedOrganizations.contains(orgId);
    }

    Grants grants() {
        return grants;
    }

    /** The principal that an issuer's tokens name so, if it is known and active. */
    public @Nullable Principal principalOf(String issuer, String subject) {
        var id = principalOfSubject.get(new Subject(issuer, subject));
        return id == null ? null : principal(id);
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

    private void organization(JsonNode payload) {
        var id = grants.placeId(Fields.uuid(payload, "org_id"));
        organizations.add(id);
        if (payload.path("state").asText().equals("deleted")) {
            deletedOrganizations.add(id);
        } else {
            deletedOrganizations.remove(id);
        }
    }

    private void project(JsonNode payload) {
        var id = grants.placeId(Fields.uuid(payload, "project_id"));
        var orgId = grants.placeId(Fields.uuid(payload, "org_id"));
        var deleted = payload.path("state").asText().equals("deleted");
        organizations.add(orgId);
        projects.put(id, new Project(id, orgId, deleted));
    }

    private void key(JsonNode payload) {
        var key = SigningKey.of(payload);
        keys.put(new KeyId(key.issuer(), payload.path("kid").asText()), key);
    }

    private void principal(JsonNode payload) {
        var id = Fields.uuid(payload, "principal_id");
        var known = payload.path("active").asBoolean() ? known(id, payload) : null;
        var old = known == null ? principals.remove(id) : principals.put(id, known);
        if (old != null && old.subject != null && (known == null || !old.subject.equals(known.subject))) {
            principalOfSubject.remove(old.subject, id); // unless it is somebody else's by now
        }
        if (known != null && known.subject != null) {
            principalOfSubject.put(known.subject, id);
        }
    }

    /** A kind of actor that only a newer IAM knows may do nothing here. */
    private static @Nullable Known known(UUID id, JsonNode payload) {
        var type = payload.path("actor_type").asText();
        for (var actorType : ActorType.values()) {
            if (actorType.text().equals(type)) {
                var subject = payload.path("issuer").isTextual()
                        ? new Subject(
                                payload.path("issuer").asText().intern(),
                                payload.path("subject").asText())
                        : null;
                return new Known(principal(id, actorType, payload), subject);
            }
        }
        return null;
    }

    private static Principal principal(UUID id, ActorType type, JsonNode payload) {
        var responsible = Fields.uuid(payload, "responsible_user_id");
        return new Principal(
                id,
                type,
                payload.path("display_name").asText(),
                responsible.equals(id) ? id : responsible,
                Fields.optionalUuid(payload, "org_id"),
                Fields.optionalUuid(payload, "project_id"),
                Fields.optionalUuid(payload, "shared_runtime_id"),
                Fields.texts(payload, "allowed_actions"),
                null,
                null);
    }
}
