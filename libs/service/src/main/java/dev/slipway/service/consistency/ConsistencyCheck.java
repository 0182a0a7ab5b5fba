package dev.slipway.service.consistency;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * An invariant of the rows of one service, which is checked in slices.
 *
 * @param name identifies the check within the service, in snake case
 * @param description what agrees if there are no differences
 * @param slice returns the next rows to check, in the order of their column {@code key} (text): {@code $1} is the last key of the previous slice,
 *     or an empty text, and {@code $2} the number of rows
 * @param verdict returns the difference of a row, or null if it is consistent; does no I/O
 */
public record ConsistencyCheck(
        String name, String description, String slice, Function<Row, @Nullable String> verdict) {}
