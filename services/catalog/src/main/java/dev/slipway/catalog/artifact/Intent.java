package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.secret.Secrets.Lease;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * That somebody is going to push to, or pull from, one repository.
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

    /** Without its credential: that is nowhere but with who asked for it. */
    ObjectNode json() {
        return Json.object()
                .put("id", id.toString())
                .put("action", action)
                .put("registry", source.name())
                .put("host", source.host())
                .put("repository", repository)
                .put("created_at", createdAt.toString())
                .put("expires_at", expiresAt.toString());
    }

    /** Whether an answer is about this one, and not about the one that the same request made the first time. */
    boolean isIn(Reply reply) {
        return reply.problem() == null
                && Json.node(reply.body()).path("id").asText().equals(id.toString());
    }

    static Reply with(Lease lease, Reply reply) {
        var body = (ObjectNode) Json.node(reply.body());
        body.putObject("credential")
                .put("lease_id", lease.leaseId())
                .put("token_type", "bearer")
                .put("token", lease.token());
        return Reply.of(body);
    }
}
