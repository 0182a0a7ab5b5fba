package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;

/** The order of a list: one field and then the id. Records without a value come last. */
record RecordOrder(String field, FieldType type, boolean descending) {

    /**
     * The last record of a page.
     *
     * @param value the text of the field that the list is sorted by; null if the record has none
     */
    record Position(String sort, @Nullable String value, UUID id) {
        String encode() {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(this));
        }
    }

    static RecordOrder parse(@Nullable String sort, ObjectDefinition object) {
        if (sort == null) {
            return new RecordOrder("created_at", FieldType.DATETIME, true);
        }
        var descending = sort.startsWith("-");
        var field = descending ? sort.substring(1) : sort;
        var type = RecordCondition.typeOf(object, field);
        if (type == FieldType.JSON) {
            throw RecordCondition.invalid("sort", "cannot be a field of type json");
        }
        return new RecordOrder(field, type, descending);
    }

    private String sort() {
        return (descending ? "-" : "") + field;
    }

    /** Returns the position of a record, for the cursor of the next page. */
    Position positionOf(JsonNode item) {
        var value = item.path(field);
        return new Position(
                sort(),
                value.isMissingNode() || value.isNull() ? null : FieldValues.text(type, value),
                UUID.fromString(item.path("id").asText()));
    }

    /** Decodes a cursor; null if there is none. Throws a problem if it was not made by this API. */
    static @Nullable Position decode(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        try {
            var json = Json.parse(Base64.getUrlDecoder().decode(cursor.getBytes(StandardCharsets.US_ASCII)));
            var position = json.isObject() ? Json.toRecord(json, Position.class) : null;
            if (position != null && position.sort != null && position.id != null) {
                return position;
            }
        } catch (IOException | IllegalArgumentException e) {
            // Falls through to the error below.
        }
        throw invalidCursor();
    }

    /** Returns the position. Throws a problem if it belongs to a list in another order, or has a value of another type. */
    @Nullable
    Position requireOwn(@Nullable Position position) {
        if (position != null && (!sort().equals(position.sort) || !hasOwnType(position.value))) {
            throw invalidCursor();
        }
        return position;
    }

    private boolean hasOwnType(@Nullable String value) {
        if (value == null) {
            return true;
        }
        try {
            var json =
                    switch (type) {
                        case TEXT, DATE, DATETIME, REFERENCE -> Json.object().textNode(value);
                        case NUMBER, INTEGER, BOOLEAN, JSON -> Json.parse(value.getBytes(StandardCharsets.UTF_8));
                    };
            return FieldValues.validate(type, json) == null;
        } catch (IOException e) {
            return false;
        }
    }

    private static ProblemException invalidCursor() {
        return Problem.validationOf(
                        ErrorCode.INVALID_CURSOR, "cursor", "is not a cursor of this list; start again without it")
                .asException();
    }
}
