package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.Lease;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * The intent to push to, or pull from, a repository.
 *
 * @param action publish or pull
 */
record Intent(
        UUID id,
        String action,
        PlatformSource source,
        String repository,
        @Nullable UUID artifactId,
        Instant createdAt,
        Instant expiresAt) {

    private record IntentFields(
            UUID id,
            String action,
            String registry,
            String host,
            String repository,
            Instant createdAt,
            Instant expiresAt) {}

    private record AuditMetadata(
            @JsonUnwrapped IntentFields intent,
            String leaseId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            UUID artifactId) {}

    private record Credential(String leaseId, String tokenType, String token) {}

    private record IntentId(@Nullable UUID id) {}

    /** Returns the intent without its credential, which only the response to its creator contains. */
    ObjectNode toJson() {
        return Json.toObject(fields());
    }

    ObjectNode toAuditMetadata(Lease lease) {
        return Json.toObject(new AuditMetadata(fields(), lease.leaseId(), artifactId));
    }

    /** Returns whether a reply describes this intent, and not the one that an earlier request with the same key created. */
    boolean matches(Reply reply) {
        return reply.problem() == null
                && id.equals(Json.toRecord(Json.parseTrusted(reply.body()), IntentId.class)
                        .id());
    }

    static Reply withCredential(Lease lease, Reply reply) {
        var body = (ObjectNode) Json.parseTrusted(reply.body());
        body.set("credential", Json.toObject(new Credential(lease.leaseId(), "bearer", lease.token())));
        return Reply.of(body);
    }

    private IntentFields fields() {
        return new IntentFields(id, action, source.name(), source.host(), repository, createdAt, expiresAt);
    }
}
