package dev.slipway.tenants.metadata.domain;

import org.jspecify.annotations.Nullable;

/**
 * A field of an object, which is a column of its table.
 *
 * @param label the name shown to people; null if there is none
 * @param defaultValue the JSON value (a text, number, boolean, list or map) of new records that do not set the field; null if there is none
 * @param reference the object that a field of type reference points to; null for other types
 */
public record FieldDefinition(
        String name,
        @Nullable String label,
        FieldType type,
        boolean required,
        boolean unique,
        @Nullable Object defaultValue,
        @Nullable String reference) {}
