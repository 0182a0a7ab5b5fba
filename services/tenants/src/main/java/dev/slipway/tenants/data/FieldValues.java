package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.metadata.domain.FieldType;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.regex.Pattern;

/** Converts values of fields to the text that PostgreSQL casts to the type of the column. */
final class FieldValues {
    private static final int MAX_TEXT_LENGTH = 100_000;
    private static final int MAX_DIGITS = 100;
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private FieldValues() {}

    /** Returns the problem of the value; null if valid. */
    static @Nullable String validate(FieldType type, JsonNode value) {
        return switch (type) {
            case TEXT ->
                !value.isTextual()
                        ? "must be a text"
                        : value.textValue().length() > MAX_TEXT_LENGTH ? "is longer than " + MAX_TEXT_LENGTH : null;
            case NUMBER -> value.isNumber() && value.asText().length() <= MAX_DIGITS ? null : "must be a number";
            case INTEGER ->
                value.isIntegralNumber() && value.canConvertToLong() ? null : "must be an integer of 64 bits";
            case BOOLEAN -> value.isBoolean() ? null : "must be true or false";
            case DATE -> value.isTextual() && isDate(value.textValue()) ? null : "must be a date as 2026-03-02";
            case DATETIME ->
                value.isTextual() && isDateTime(value.textValue()) ? null : "must be a time as 2026-03-02T10:00:00Z";
            case JSON -> null;
            case REFERENCE ->
                value.isTextual() && UUID_TEXT.matcher(value.textValue()).matches()
                        ? null
                        : "must be the id of a record";
        };
    }

    /** Returns the text of a valid value. */
    static String text(FieldType type, JsonNode value) {
        return switch (type) {
            case JSON -> Json.text(value);
            case REFERENCE -> UUID.fromString(value.textValue()).toString();
            case NUMBER -> value.decimalValue().toPlainString();
            case TEXT, INTEGER, BOOLEAN, DATE, DATETIME -> value.asText();
        };
    }

    private static boolean isDate(String text) {
        try {
            return LocalDate.parse(text).getYear() > 0;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isDateTime(String text) {
        try {
            return OffsetDateTime.parse(text).getYear() > 0;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
