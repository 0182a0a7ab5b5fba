package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.ReceivedRecord;
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
 * The authorization data of this process, replicated from {@code authz.state}. One reader writes it, and every event loop reads it.
 *
 * <p>IAM increments one revision per commit, and its heartbeat carries the committed revision. The model's age is the age of the last
 * heartbeat whose revision it had reached: a change that is committed but delayed makes the model stale, not wrong. A heartbeat with a
 * lower revision than the model's does not confirm it either: then IAM's database was restored or lost commits, and the topic contains
 * changes that no longer exist.
 */
public final class AuthzModel {
    private static final Logger LOG = LoggerFactory.getLogger(AuthzModel.class);
    /** A heartbeat may arrive after a later change, but is never sent with a revision older than this. */
    private static final Duration HEARTBEAT_TOLERANCE = Duration.ofSeconds(30);

    private final RoleBindingIndex bindingIndex = new RoleBindingIndex();
    private final RevisionWaiters waiters = new RevisionWaiters();
    private final Map<UUID, Project> projects = new ConcurrentHashMap<>();
    private final Set<UUID> organizations = ConcurrentHashMap.newKeySet();
    private final Set<UUID> deletedOrganizations = ConcurrentHashMap.newKeySet();
    private final Map<UUID, PrincipalEntry> principals = new ConcurrentHashMap<>();
    private final Map<ExternalSubject, UUID> principalOfSubject = new ConcurrentHashMap<>();
    private final Map<KeyId, TrustedKey> keys = new ConcurrentHashMap<>();
    private final Revocations revocations = new Revocations();
    private volatile long revision;
    private Instant revisedAt = Instant.EPOCH;
    private volatile Instant confirmedAt = Instant.EPOCH;
    private volatile boolean aheadOfIam;

    /** A project, its organization, and whether it is deleted or suspended. */
    record Project(UUID id, UUID orgId, boolean deleted, boolean suspended) {}

    private record PrincipalEntry(
            Principal principal, @Nullable ExternalSubject subject) {}

    private record ExternalSubject(String issuer, String subject) {}

    /** Issuers choose their key ids, so two issuers may use the same one. */
    private record KeyId(String issuer, String kid) {}

    /** Applies a record. Called by one reader, in the order of the topic. */
    public void apply(ReceivedRecord record) {
        var event = record.envelope();
        var payload = event.payload();
        var recordRevision = payload.path("revision").asLong();
        if (event.eventType().equals("state.heartbeat")) {
            applyHeartbeat(recordRevision, record.appendedAt());
            return;
        }
        if (recordRevision < revision) {
            return; // republished after a crash: it was applied before, and must not overwrite later records
        }
        switch (event.eventType()) {
            case "authz.action" -> bindingIndex.applyAction(payload);
            case "authz.role" -> bindingIndex.applyRole(payload);
            case "authz.organization" -> applyOrganization(payload);
            case "authz.project" -> applyProject(payload);
            case "authz.principal" -> applyPrincipal(payload);
            case "authz.group_member" -> bindingIndex.applyGroupMember(payload);
            case "authz.binding" -> bindingIndex.applyBinding(payload);
            case "authz.signing_key" -> applyKey(payload);
            case "authz.revocation" -> revocations.apply(payload);
            // The last record of a commit: all others have arrived.
            case "authz.revision" -> {
                revision = recordRevision;
                revisedAt = record.appendedAt();
                waiters.runUpTo(recordRevision);
            }
            default -> {
                // A newer IAM may publish other record types; what they grant is not granted here.
            }
        }
    }

    private void applyHeartbeat(long committed, Instant at) {
        revocations.deleteExpired(at);
        var databaseBehind = committed < revision && revisedAt.isBefore(at.minus(HEARTBEAT_TOLERANCE));
        if (databaseBehind && !aheadOfIam) {
            LOG.atError()
                    .addKeyValue("published", revision)
                    .addKeyValue("committed", committed)
                    .log("published permissions are ahead of the IAM database, which was restored or lost commits;"
                            + " nothing is confirmed until the platform has new topics");
        }
        aheadOfIam = databaseBehind;
        if (!databaseBehind && committed <= revision) {
            confirmedAt = at;
        }
    }

    /** Returns whether the model has changes that IAM's database has not. Waiting does not help then. */
    public boolean isAheadOfIam() {
        return aheadOfIam;
    }

    public Duration age(Instant now) {
        var age = Duration.between(confirmedAt, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Returns whether the model has every change that was committed until then, by the broker's clock. */
    public boolean isConfirmedSince(Instant at) {
        return !confirmedAt.isBefore(at);
    }

    public long revision() {
        return revision;
    }

    /**
     * Runs the task when the model has reached the revision, on the reader's thread, or immediately if it has already. Returns a task that
     * cancels the wait, or null if there are too many waiting tasks.
     */
    public @Nullable Runnable runAtRevision(long wanted, Runnable task) {
        return waiters.add(wanted, task, this::revision);
    }

    public @Nullable UUID orgOf(UUID projectId) {
        var project = projects.get(projectId);
        return project == null ? null : project.orgId;
    }

    /** Returns whether the action is registered, and neither a draft nor retired. */
    public boolean isUsableAction(String action) {
        return bindingIndex.isUsable(action);
    }

    /** Returns whether the organization exists or existed. */
    public boolean hasOrganization(UUID orgId) {
        return organizations.contains(orgId);
    }

    /** Returns the organization of a binding; null at the platform and in an unknown project. */
    @Nullable
    UUID orgOf(Binding binding) {
        return switch (binding.level()) {
            case PROJECT -> orgOf(Objects.requireNonNull(binding.projectId()));
            case ORGANIZATION -> binding.orgId();
            case PLATFORM -> null;
        };
    }

    public @Nullable Principal principal(UUID id) {
        var principalEntry = principals.get(id);
        return principalEntry == null ? null : principalEntry.principal;
    }

    /** Lists the direct bindings of a principal or a group: projects first, then organizations, then the platform. */
    public List<Binding> listBindings(UUID principalId) {
        return bindingIndex.listBindings(principalId);
    }

    @Nullable
    Project project(UUID id) {
        return projects.get(id);
    }

    boolean isDeleted(UUID orgId) {
        return deletedOrganizations.contains(orgId);
    }

    RoleBindingIndex bindingIndex() {
        return bindingIndex;
    }

    /** Returns the active principal with this issuer and subject, or null. */
    public @Nullable Principal findPrincipal(String issuer, String subject) {
        var id = principalOfSubject.get(new ExternalSubject(issuer, subject));
        return id == null ? null : principal(id);
    }

    /** Returns whether the token or credential with this id was revoked. */
    boolean isRevoked(UUID id) {
        return revocations.contains(id);
    }

    int revocationCount() {
        return revocations.size();
    }

    @Nullable
    TrustedKey key(String issuer, String kid) {
        return keys.get(new KeyId(issuer, kid));
    }

    /** Returns whether the key is known here and not revoked. */
    public boolean isKeyTrusted(String issuer, String kid) {
        var key = key(issuer, kid);
        return key != null && !key.revoked();
    }

    private void applyOrganization(JsonNode payload) {
        var id = bindingIndex.internScopeId(PayloadFields.uuid(payload, "org_id"));
        organizations.add(id);
        if (TextEnum.find(ResourceState.class, payload.path("state").asText()) == ResourceState.DELETED) {
            deletedOrganizations.add(id);
        } else {
            deletedOrganizations.remove(id);
        }
    }

    private void applyProject(JsonNode payload) {
        var id = bindingIndex.internScopeId(PayloadFields.uuid(payload, "project_id"));
        var orgId = bindingIndex.internScopeId(PayloadFields.uuid(payload, "org_id"));
        var state = TextEnum.find(ResourceState.class, payload.path("state").asText());
        organizations.add(orgId);
        projects.put(id, new Project(id, orgId, state == ResourceState.DELETED, state == ResourceState.SUSPENDED));
    }

    private void applyKey(JsonNode payload) {
        var key = TrustedKey.of(payload);
        keys.put(new KeyId(key.issuer(), payload.path("kid").asText()), key);
    }

    private void applyPrincipal(JsonNode payload) {
        var id = PayloadFields.uuid(payload, "principal_id");
        var principalEntry = payload.path("active").asBoolean() ? parsePrincipal(id, payload) : null;
        var old = principalEntry == null ? principals.remove(id) : principals.put(id, principalEntry);
        if (old != null
                && old.subject != null
                && (principalEntry == null || !old.subject.equals(principalEntry.subject))) {
            principalOfSubject.remove(old.subject, id); // unless another principal has it by now
        }
        if (principalEntry != null && principalEntry.subject != null) {
            principalOfSubject.put(principalEntry.subject, id);
        }
    }

    /** Returns null for an actor type that only a newer IAM knows: it is allowed nothing here. */
    private static @Nullable PrincipalEntry parsePrincipal(UUID id, JsonNode payload) {
        var type = payload.path("actor_type").asText();
        for (var actorType : ActorType.values()) {
            if (actorType.text().equals(type)) {
                var externalSubject = payload.path("issuer").isTextual()
                        ? new ExternalSubject(
                                payload.path("issuer").asText().intern(),
                                payload.path("subject").asText())
                        : null;
                return new PrincipalEntry(toPrincipal(id, actorType, payload), externalSubject);
            }
        }
        return null;
    }

    private static Principal toPrincipal(UUID id, ActorType type, JsonNode payload) {
        var responsible = PayloadFields.uuid(payload, "responsible_user_id");
        return new Principal(
                id,
                type,
                payload.path("display_name").asText(),
                responsible.equals(id) ? id : responsible,
                PayloadFields.optionalUuid(payload, "org_id"),
                PayloadFields.optionalUuid(payload, "project_id"),
                PayloadFields.optionalUuid(payload, "shared_runtime_id"),
                PayloadFields.textSet(payload, "allowed_actions"),
                null,
                null);
    }
}
