package dev.slipway.tenants.data;

import dev.slipway.tenants.data.RecordOrder.Position;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import static dev.slipway.tenants.tenant.domain.SqlText.identifier;
import static dev.slipway.tenants.tenant.domain.SqlText.literal;

/**
 * Builds the statements of the data API. Identifiers come from the definition of the object only and are quoted; values of callers are
 * parameters only.
 */
final class RecordSql {
    private final String table;
    private final ObjectDefinition object;
    private final List<@Nullable Object> parameters = new ArrayList<>();

    /** A statement and its parameters. */
    record Statement(String sql, List<@Nullable Object> parameters) {}

    private RecordSql(String table, ObjectDefinition object) {
        this.table = identifier(table);
        this.object = object;
    }

    static Statement list(
            String table,
            ObjectDefinition object,
            List<RecordCondition> conditions,
            RecordOrder order,
            @Nullable Position after,
            int limit) {
        var sql = new RecordSql(table, object);
        var where = new ArrayList<String>();
        conditions.forEach(condition -> where.add(sql.condition(condition)));
        if (after != null) {
            where.add(sql.after(order, after));
        }
        var column = identifier(order.field());
        var direction = order.descending() ? " DESC" : " ASC";
        return sql.statement("SELECT " + sql.record() + " FROM " + sql.table
                + (where.isEmpty() ? "" : " WHERE " + String.join(" AND ", where))
                + " ORDER BY " + column + direction + " NULLS LAST, id" + direction + " LIMIT " + sql.parameter(limit));
    }

    static Statement find(String table, ObjectDefinition object, UUID id) {
        var sql = new RecordSql(table, object);
        return sql.statement("SELECT " + sql.record() + " FROM " + sql.table + " WHERE id = " + sql.parameter(id));
    }

    /** Inserts nothing and returns no row if a record with the id exists. */
    static Statement insert(String table, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        var sql = new RecordSql(table, object);
        var columns = new ArrayList<>(List.of("id", "created_at", "updated_at"));
        var expressions = new ArrayList<>(List.of(sql.parameter(id), "now()", "now()"));
        values.forEach((name, value) -> {
            columns.add(identifier(name));
            expressions.add(sql.value(sql.typeOf(name), value));
        });
        return sql.statement("INSERT INTO " + sql.table + " (" + String.join(", ", columns) + ") VALUES ("
                + String.join(", ", expressions) + ") ON CONFLICT (id) DO NOTHING RETURNING " + sql.record());
    }

    static Statement update(String table, ObjectDefinition object, UUID id, Map<String, @Nullable String> values) {
        var sql = new RecordSql(table, object);
        var assignments = new ArrayList<>(List.of("updated_at = now()"));
        values.forEach((name, value) -> assignments.add(identifier(name) + " = " + sql.value(sql.typeOf(name), value)));
        return sql.statement("UPDATE " + sql.table + " SET " + String.join(", ", assignments) + " WHERE id = "
                + sql.parameter(id) + " RETURNING " + sql.record());
    }

    static Statement delete(String table, ObjectDefinition object, UUID id) {
        var sql = new RecordSql(table, object);
        return sql.statement(
                "DELETE FROM " + sql.table + " WHERE id = " + sql.parameter(id) + " RETURNING " + sql.record());
    }

    /** Returns the record as JSON, with times in UTC. */
    private String record() {
        var columns = new ArrayList<>(List.of("'id', id", time("created_at"), time("updated_at")));
        object.fields().forEach(field -> columns.add(column(field)));
        // A function takes at most 100 arguments: fields are merged in groups.
        var groups = new ArrayList<String>();
        for (var i = 0; i < columns.size(); i += 40) {
            groups.add(columns.subList(i, Math.min(columns.size(), i + 40)).stream()
                    .collect(Collectors.joining(", ", "jsonb_build_object(", ")")));
        }
        return "(" + String.join(" || ", groups) + ")::text AS record";
    }

    private static String column(FieldDefinition field) {
        return field.type() == FieldType.DATETIME
                ? time(field.name())
                : literal(field.name()) + ", " + identifier(field.name());
    }

    private static String time(String name) {
        return literal(name) + ", to_char(" + identifier(name)
                + " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
    }

    private FieldType typeOf(String name) {
        return RecordCondition.typeOf(object, name);
    }

    private String condition(RecordCondition condition) {
        var column = identifier(condition.field());
        var type = condition.type();
        var values = condition.values();
        return switch (condition.operator()) {
            case EQ -> column + " = " + value(type, values.get(0));
            case NE -> column + " IS DISTINCT FROM " + value(type, values.get(0));
            case LT -> column + " < " + value(type, values.get(0));
            case LTE -> column + " <= " + value(type, values.get(0));
            case GT -> column + " > " + value(type, values.get(0));
            case GTE -> column + " >= " + value(type, values.get(0));
            case IN ->
                column + " IN (" + values.stream().map(one -> value(type, one)).collect(Collectors.joining(", ")) + ")";
            case CONTAINS -> "strpos(lower(" + column + "), lower(" + value(type, values.get(0)) + ")) > 0";
            case IS_NULL -> column + (values.get(0).equals("true") ? " IS NULL" : " IS NOT NULL");
        };
    }

    private String after(RecordOrder order, Position after) {
        var column = identifier(order.field());
        var comparison = order.descending() ? " < " : " > ";
        var last = after.value();
        if (last == null) {
            return "(" + column + " IS NULL AND id" + comparison + parameter(after.id()) + ")";
        }
        var value = value(order.type(), last);
        return "(" + column + comparison + value + " OR (" + column + " = " + value + " AND id" + comparison
                + parameter(after.id()) + ") OR " + column + " IS NULL)";
    }

    /** Returns a parameter that PostgreSQL casts from text to the type of the column. */
    private String value(FieldType type, @Nullable String text) {
        return parameter(text) + "::text::" + type.columnType();
    }

    private String parameter(@Nullable Object value) {
        parameters.add(value);
        return "$" + parameters.size();
    }

    private Statement statement(String sql) {
        return new Statement(sql, parameters);
    }
}
