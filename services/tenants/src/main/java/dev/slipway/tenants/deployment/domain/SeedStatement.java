package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.SqlText;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Inserts a seed record, or updates it if its external id exists. All values are parameters of the type text, which the statement converts.
 *
 * @param values the parameters, in order
 */
public record SeedStatement(String sql, List<@Nullable String> values) {
    /**
     * Returns the statement of a valid seed record.
     *
     * @param jsonText writes a value as JSON
     */
    public static SeedStatement of(
            SeedRecord seed, ObjectDefinition object, TableLayout layout, Function<Object, String> jsonText) {
        var columns = new ArrayList<String>();
        var expressions = new ArrayList<String>();
        var values = new ArrayList<@Nullable String>();
        columns.add("\"external_id\"");
        expressions.add("$1::text");
        values.add(seed.externalId());
        for (var field : object.fields()) {
            if (!seed.values().containsKey(field.name())) {
                continue;
            }
            var value = seed.values().get(field.name());
            values.add(value == null || field.type() != FieldType.JSON ? text(value) : jsonText.apply(value));
            var parameter = "$" + values.size() + "::text";
            var target = field.reference();
            columns.add(SqlText.identifier(field.name()));
            expressions.add(
                    field.type() == FieldType.REFERENCE && target != null
                            ? "(SELECT \"id\" FROM " + layout.table(target) + " WHERE \"external_id\" = " + parameter
                                    + ")"
                            : parameter + "::" + field.type().columnType());
        }
        var updates = columns.stream()
                .skip(1)
                .map(column -> column + " = EXCLUDED." + column)
                .toList();
        var sql = "INSERT INTO " + layout.table(object.name()) + " (" + String.join(", ", columns) + ") VALUES ("
                + String.join(", ", expressions)
                + ") ON CONFLICT (\"external_id\") DO UPDATE SET \"updated_at\" = now()"
                + (updates.isEmpty() ? "" : ", " + String.join(", ", updates));
        return new SeedStatement(sql, values);
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : String.valueOf(value);
    }
}
