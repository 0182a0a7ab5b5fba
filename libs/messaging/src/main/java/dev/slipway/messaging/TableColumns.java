package dev.slipway.messaging;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The columns of a table, listed once for the statements that read and write whole rows.
 *
 * @param jsonNames those of type {@code jsonb}, which are read and written as text
 */
public record TableColumns(String table, List<String> names, Set<String> jsonNames) {

    public static TableColumns of(String table, String... names) {
        return new TableColumns(table, List.of(names), Set.of());
    }

    public TableColumns withJson(String... json) {
        return new TableColumns(table, names, Set.of(json));
    }

    /** Returns these columns and others, such as large ones that lists leave out. */
    public TableColumns and(String... others) {
        return new TableColumns(
                table, Stream.concat(names.stream(), Stream.of(others)).toList(), jsonNames);
    }

    /** Returns the columns for a SELECT, separated by commas. */
    public String list() {
        return list("");
    }

    /** Returns the columns for a SELECT from several tables. */
    public String listOf(String alias) {
        return list(alias + ".");
    }

    /** Returns the columns for a SELECT, named with a prefix so that they differ from those of other tables. */
    public String listOf(String alias, String namePrefix) {
        return names.stream()
                .map(name ->
                        alias + "." + name + (jsonNames.contains(name) ? "::text AS " : " AS ") + namePrefix + name)
                .collect(Collectors.joining(", "));
    }

    private String list(String prefix) {
        return names.stream()
                .map(name -> prefix + name + (jsonNames.contains(name) ? "::text AS " + name : ""))
                .collect(Collectors.joining(", "));
    }

    /** Returns the SELECT of all columns, without conditions. */
    public String select() {
        return "SELECT " + list() + " FROM " + table + " ";
    }

    /** Returns the INSERT of a row; its parameters have the order of the columns. */
    public String insert() {
        var parameters = names.stream().map(this::parameter).collect(Collectors.joining(", "));
        return "INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES (" + parameters + ") ";
    }

    /** Returns the UPDATE of the row with these keys; its parameters are those of {@link #insert}, so that one tuple serves both. */
    public String update(String... keys) {
        var identifying = List.of(keys);
        var values = names.stream().filter(name -> !identifying.contains(name));
        return "UPDATE " + table + " SET " + assign(values, ", ") + " WHERE " + assign(identifying.stream(), " AND ")
                + " ";
    }

    /** Returns the UPDATE of some columns of the row with these keys; its parameters are the keys and then the columns, in the given order. */
    public String update(List<String> keys, String... columns) {
        var written = new TableColumns(
                table, Stream.concat(keys.stream(), Stream.of(columns)).toList(), jsonNames);
        if (!names.containsAll(written.names)) {
            throw new IllegalArgumentException("table " + table + " does not have all of " + written.names);
        }
        return written.update(keys.toArray(String[]::new));
    }

    /** Returns the INSERT of a row, or the UPDATE of all its other columns if one with these keys exists. */
    public String upsert(String... keys) {
        var identifying = List.of(keys);
        var values = names.stream().filter(name -> !identifying.contains(name));
        return insert() + "ON CONFLICT (" + String.join(", ", keys) + ") DO UPDATE SET " + assign(values, ", ") + " ";
    }

    private String assign(Stream<String> columns, String separator) {
        return columns.map(name -> name + " = " + parameter(name)).collect(Collectors.joining(separator));
    }

    private String parameter(String name) {
        return "$" + (names.indexOf(name) + 1) + (jsonNames.contains(name) ? "::text::jsonb" : "");
    }
}
