package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.slipway.authz.Principal;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.Cursor;
import dev.slipway.messaging.ChangeContext;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/** An authorized call and its caller. */
public record Request(
        Call call,
        @Nullable Principal caller,
        @Nullable UUID orgId,
        @Nullable UUID projectIdOrNull,
        ChangeContext changeContext) {
    private static final int DEFAULT_LIMIT = 50;

    /** Returns the caller. Fails for a public operation, which has none. */
    public Principal principal() {
        return Objects.requireNonNull(caller, "a public operation has no principal");
    }

    /** Returns the project that the call was authorized for. Fails if the operation has none. */
    public UUID projectId() {
        return Objects.requireNonNull(projectIdOrNull, "the operation has no project");
    }

    /** Returns the scope for further decisions: with break-glass if the call came through an admin variant. */
    public ResourceScope effectiveScope(ResourceScope scope) {
        return call.breakGlassReason() == null ? scope : scope.withBreakGlass();
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
