package dev.slipway.messaging;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The columns of a table, listed once for the statements that read and write whole rows. */
public record TableColumns(String table, List<String> names) {

    public static TableColumns of(String table, String... names) {
        return new TableColumns(table, List.of(names));
    }

    /** Returns the column names, separated by commas. */
    public String list() {
        return String.join(", ", names);
    }

    /** Returns the SELECT of all columns, without conditions. */
    public String select() {
        return "SELECT " + list() + " FROM " + table + " ";
    }

    /** Returns the INSERT of a row; its parameters have the order of the columns. */
    public String insert() {
        var parameters = IntStream.rangeClosed(1, names.size())
                .mapToObj(index -> "$" + index)
                .collect(Collectors.joining(", "));
        return "INSERT INTO " + table + " (" + list() + ") VALUES (" + parameters + ") ";
    }
}
