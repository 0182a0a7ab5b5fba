package dev.slipway.iam.tenancy.user;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** A user in a request: either the id of a known user, or issuer and subject of a possibly new one. */
public record UserReference(
        @Nullable UUID userId,
        @Nullable String issuer,
        @Nullable String subject,
        @Nullable String displayName) {

    /**
     * Reads a reference from a body; returns null if the node is missing.
     *
     * @param path the path of the node, for error messages
     */
    public static @Nullable UserReference parse(JsonNode node, String path) {
        if (node.isMissingNode()) {
            return null;
        }
        var reference = Json.toRecord(node, UserReference.class);
        var byName = reference.issuer != null && reference.subject != null;
        if ((reference.userId != null) == byName) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR,
                            path + "/user_id",
                            "is required unless issuer and subject are given")
                    .asException();
        }
        return reference;
    }

    /** Returns the user, and creates one for a new issuer and subject. A user's id is only found in scopes that the user belongs to. */
    public Future<User> resolve(UnitOfWork unit, AuthzPublisher publisher, BindingScope scope) {
        if (userId != null) {
            return UserStore.load(unit, scope, userId);
        }
        if (issuer == null || subject == null) {
            throw new IllegalStateException("a user without id and name");
        }
        return UserStore.findOrCreate(
                unit, publisher, Ids.next(), issuer, subject, displayName == null ? subject : displayName);
    }
}
