package dev.slipway.iam.tenancy.user;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** How a request names a user: by the id of one who is known here, or as an issuer names someone who may be new. */
public record UserReference(
        @Nullable UUID userId,
        @Nullable String issuer,
        @Nullable String subject,
        @Nullable String displayName) {

    /** Reads it from an object of a body; none if there is no such object. {@code at} is where the object is. */
    public static @Nullable UserReference of(JsonNode node, String at) {
        if (node.isMissingNode()) {
            return null;
        }
        var byId = node.path("user_id").isTextual();
        var byName = node.path("issuer").isTextual() && node.path("subject").isTextual();
        if (byId == byName) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, at + "/user_id", "is required, or issuer and subject are")
                    .asException();
        }
        return new UserReference(
                byId ? UUID.fromString(node.path("user_id").asText()) : null,
                node.path("issuer").textValue(),
                node.path("subject").textValue(),
                node.path("display_name").textValue());
    }

    /** A user's id tells nothing outside the organizations that know them: there it is not found. */
    public Future<User> resolve(UnitOfWork unit, AuthzRecords records, Place place) {
        if (userId != null) {
            return UserStore.load(unit, place, userId);
        }
        if (issuer == null || subject == null) {
            throw new IllegalStateException("a user without a name");
        }
        return UserStore.ensureUser(
                unit, records, Ids.next(), issuer, subject, displayName == null ? subject : displayName);
    }
}
