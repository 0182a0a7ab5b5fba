package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Target;
import dev.slipway.contract.Cursor;
import dev.slipway.messaging.Cause;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** A call whose caller is known and may make it. */
public record Request(
        Call call,
        @Nullable Principal caller,
        @Nullable UUID orgId,
        @Nullable UUID projectIdOrNull,
        Cause cause) {
    private static final int DEFAULT_LIMIT = 50;

    /** The caller; there is one, unless the operation is public. */
    public Principal principal() {
        return Objects.requireNonNull(caller, "a public operation has no principal");
    }

    /** The project that the call was authorized for. */
    public UUID projectId() {
        return Objects.requireNonNull(projectIdOrNull, "the operation has no project");
    }

    /** The place as this caller reaches it, for further decisions: through the admin twin, if that is how they came. */
    public Target reached(Target place) {
        return call.breakGlassReason() == null ? place : place.throughBreakGlass();
    }

    public UUID pathId(String name) {
        return UUID.fromString(path(name));
    }

    public String path(String name) {
        return Objects.requireNonNull(call.path().get(name), name);
    }

    public @Nullable String query(String name) {
        return call.query().get(name);
    }

    public int limit() {
        var given = query("limit");
        return given == null ? DEFAULT_LIMIT : Integer.parseInt(given);
    }

    public @Nullable Cursor cursor() {
        var given = query("cursor");
        return given == null ? null : Cursor.decode(given);
    }

    public JsonNode body() {
        var body = call.body();
        return body == null ? MissingNode.getInstance() : body;
    }
}
