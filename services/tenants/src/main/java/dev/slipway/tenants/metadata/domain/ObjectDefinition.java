package dev.slipway.tenants.metadata.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * A deployed object: a table with the fields, and the columns {@code id}, {@code created_at}, {@code updated_at} and {@code external_id} that
 * every object has. Its JSON has snake_case names and is the content of {@code deployed_objects.definition}.
 *
 * @param permissions who may access the records; without any, every caller whose role in the organization grants the action
 */
public record ObjectDefinition(
        String name,
        @Nullable String label,
        List<FieldDefinition> fields,
        List<IndexDefinition> indexes,
        List<ObjectPermission> permissions) {
    /** The columns that every table has; fields cannot have these names. */
    public static final List<String> SYSTEM_COLUMNS =
            List.of("id", "external_id", "created_at", "updated_at", "tenant_id");

    /** Accepts definitions without indexes or permissions. */
    public ObjectDefinition(
            String name,
            @Nullable String label,
            @Nullable List<FieldDefinition> fields,
            @Nullable List<IndexDefinition> indexes,
            @Nullable List<ObjectPermission> permissions) {
        this.name = name;
        this.label = label;
        this.fields = fields == null ? List.of() : List.copyOf(fields);
        this.indexes = indexes == null ? List.of() : List.copyOf(indexes);
        this.permissions = permissions == null ? List.of() : List.copyOf(permissions);
    }

    public Optional<FieldDefinition> field(String fieldName) {
        return fields.stream().filter(field -> field.name().equals(fieldName)).findFirst();
    }
}
