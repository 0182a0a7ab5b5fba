package dev.slipway.service.consistency;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * Compares a claim of another service with the rows of this one.
 *
 * @param name identifies the check within this service, in snake case
 * @param claim the name of the {@link ConsistencyClaim}
 * @param query returns one row per key, with the column {@code key}: {@code $1} are the keys (text[]) and {@code $2} the values (text[]) of a slice
 * @param verdict returns the difference of a row, or null if it is consistent; does no I/O
 */
public record ClaimVerifier(
        String name, String description, String claim, String query, Function<Row, @Nullable String> verdict) {}
