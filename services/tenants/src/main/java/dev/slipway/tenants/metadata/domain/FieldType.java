package dev.slipway.tenants.metadata.domain;

import dev.slipway.contract.domain.TextEnum;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.UUID;
import java.util.function.Function;

/** The types of fields. */
public enum FieldType implements TextEnum {
    TEXT("text"),
    NUMBER("numeric"),
    INTEGER("bigint"),
    BOOLEAN("boolean"),
    DATE("date"),
    DATETIME("timestamptz"),
    JSON("jsonb"),
    /** The id of a record of another object. */
    REFERENCE("uuid");

    private final String columnType;

    FieldType(String columnType) {
        this.columnType = columnType;
    }

    /** Returns the type of the column in PostgreSQL. */
    public String columnType() {
        return columnType;
    }

    /** Returns whether a value of a JSON document, other than null, is a value of this type. */
    public boolean accepts(Object value) {
        return switch (this) {
            case TEXT -> value instanceof String;
            case NUMBER -> value instanceof Number;
            case INTEGER -> value instanceof Integer || value instanceof Long || isLong(value);
            case BOOLEAN -> value instanceof Boolean;
            case DATE -> isParsable(value, LocalDate::parse);
            case DATETIME -> isParsable(value, OffsetDateTime::parse);
            case JSON -> true;
            case REFERENCE -> isParsable(value, UUID::fromString);
        };
    }

    private static boolean isLong(Object value) {
        return value instanceof BigInteger number && number.bitLength() < Long.SIZE;
    }

    private static boolean isParsable(Object value, Function<String, ?> parser) {
        try {
            return value instanceof String text && parser.apply(text) != null;
        } catch (DateTimeParseException | IllegalArgumentException e) {
            return false;
        }
    }
}
