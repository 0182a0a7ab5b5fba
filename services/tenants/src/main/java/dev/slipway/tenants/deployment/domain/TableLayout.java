package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.IndexDefinition;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.SqlText;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes the DDL of a tenant's tables.
 *
 * @param schema the schema of the tables
 * @param tablePrefix the prefix of table names where several tenants share a schema; otherwise empty
 * @param rowSecurity returns the statements that restrict the rows of a table to its tenant, where tenants share a schema
 */
public record TableLayout(String schema, String tablePrefix, Function<String, List<String>> rowSecurity) {
    /** Returns the quoted name of the table of an object. */
    public String table(String object) {
        return SqlText.identifier(schema) + "." + SqlText.identifier(tablePrefix + object);
    }

    String createTable(ObjectDefinition object) {
        var columns = new ArrayList<String>();
        columns.add("\"id\" uuid PRIMARY KEY DEFAULT gen_random_uuid()");
        columns.add("\"external_id\" text UNIQUE");
        columns.add("\"created_at\" timestamptz NOT NULL DEFAULT now()");
        columns.add("\"updated_at\" timestamptz NOT NULL DEFAULT now()");
        object.fields().forEach(field -> columns.add(column(field)));
        return "CREATE TABLE " + table(object.name()) + " (" + String.join(", ", columns) + ")";
    }

    /** Returns the statements that protect the rows of a new table; none where the tenant has its own schema. */
    List<String> protectRows(String object) {
        return rowSecurity.apply(tablePrefix + object);
    }

    String dropTable(String object) {
        return "DROP TABLE " + table(object);
    }

    String addColumn(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " ADD COLUMN " + column(field);
    }

    /** Restores a dropped column: existing records have no value for it, so it cannot be required. */
    String addOptionalColumn(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " ADD COLUMN " + SqlText.identifier(field.name()) + " "
                + field.type().columnType();
    }

    String dropColumn(String object, String field) {
        return "ALTER TABLE " + table(object) + " DROP COLUMN " + SqlText.identifier(field);
    }

    String setType(String object, FieldDefinition from, FieldDefinition to) {
        var column = SqlText.identifier(to.name());
        return "ALTER TABLE " + table(object) + " ALTER COLUMN " + column + " TYPE "
                + to.type().columnType() + " USING " + conversion(column, from.type(), to.type());
    }

    String setDefault(String object, FieldDefinition field) {
        var column = "ALTER TABLE " + table(object) + " ALTER COLUMN " + SqlText.identifier(field.name());
        var value = field.defaultValue();
        return value == null
                ? column + " DROP DEFAULT"
                : column + " SET DEFAULT " + defaultLiteral(field.type(), value);
    }

    String dropDefault(String object, String field) {
        return "ALTER TABLE " + table(object) + " ALTER COLUMN " + SqlText.identifier(field) + " DROP DEFAULT";
    }

    String setRequired(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " ALTER COLUMN " + SqlText.identifier(field.name())
                + (field.required() ? " SET NOT NULL" : " DROP NOT NULL");
    }

    String addUnique(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " ADD CONSTRAINT " + uniqueName(object, field) + " UNIQUE ("
                + SqlText.identifier(field.name()) + ")";
    }

    String dropUnique(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " DROP CONSTRAINT " + uniqueName(object, field);
    }

    String addForeignKey(String object, FieldDefinition field, String target) {
        return "ALTER TABLE " + table(object) + " ADD CONSTRAINT " + foreignKeyName(object, field) + " FOREIGN KEY ("
                + SqlText.identifier(field.name()) + ") REFERENCES " + table(target) + " (\"id\")";
    }

    String dropForeignKey(String object, FieldDefinition field) {
        return "ALTER TABLE " + table(object) + " DROP CONSTRAINT " + foreignKeyName(object, field);
    }

    String createIndex(String object, IndexDefinition index) {
        return createIndex("INDEX ", object, index);
    }

    /** The index is dropped before each attempt, because an interrupted one leaves an invalid index. */
    String createIndexConcurrently(String object, IndexDefinition index) {
        return createIndex("INDEX CONCURRENTLY ", object, index);
    }

    private String createIndex(String kind, String object, IndexDefinition index) {
        return "CREATE " + (index.unique() ? "UNIQUE " : "") + kind + SqlText.identifier(indexName(object, index))
                + " ON "
                + table(object) + " ("
                + index.fields().stream().map(SqlText::identifier).collect(Collectors.joining(", ")) + ")";
    }

    String dropIndex(String object, IndexDefinition index) {
        return "DROP INDEX " + SqlText.identifier(schema) + "." + SqlText.identifier(indexName(object, index));
    }

    /** An index whose concurrent build failed stays behind as invalid, or does not exist. */
    String dropIndexIfExists(String object, IndexDefinition index) {
        return "DROP INDEX IF EXISTS " + SqlText.identifier(schema) + "."
                + SqlText.identifier(indexName(object, index));
    }

    private String indexName(String object, IndexDefinition index) {
        return SqlNames.join(tablePrefix + object, index.name(), "idx");
    }

    private String uniqueName(String object, FieldDefinition field) {
        return SqlText.identifier(SqlNames.join(tablePrefix + object, field.name(), "key"));
    }

    private String foreignKeyName(String object, FieldDefinition field) {
        return SqlText.identifier(SqlNames.join(tablePrefix + object, field.name(), "fkey"));
    }

    private static String column(FieldDefinition field) {
        var value = field.defaultValue();
        return SqlText.identifier(field.name()) + " " + field.type().columnType()
                + (field.required() ? " NOT NULL" : "")
                + (value == null ? "" : " DEFAULT " + defaultLiteral(field.type(), value));
    }

    private static String conversion(String column, FieldType from, FieldType to) {
        if (from == FieldType.DATE && to == FieldType.DATETIME) {
            return column + "::timestamp AT TIME ZONE 'UTC'";
        }
        if (from == FieldType.DATETIME && to == FieldType.DATE) {
            return "(" + column + " AT TIME ZONE 'UTC')::date";
        }
        return column + (to == FieldType.TEXT || from == FieldType.TEXT ? "" : "::text") + "::" + to.columnType();
    }

    private static String defaultLiteral(FieldType type, Object value) {
        return SqlText.literal(String.valueOf(value)) + "::" + type.columnType();
    }
}
