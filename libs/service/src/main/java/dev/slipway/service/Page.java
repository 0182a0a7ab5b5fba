package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Function;

/** A page of a list, newest first, and the cursor of the next page. */
public record Page<T>(List<T> items, @Nullable Cursor next) {

    /** Builds a page from the items found with {@code limit + 1}: the extra one shows that there is a next page. */
    public static <T> Page<T> of(List<T> found, int limit, Function<T, Cursor> at) {
        return found.size() <= limit
                ? new Page<>(found, null)
                : new Page<>(List.copyOf(found.subList(0, limit)), at.apply(found.get(limit - 1)));
    }

    /** The response body of every list. */
    private record PageBody(List<?> items, @Nullable String nextCursor) {}

    /** Returns the response body; {@code item} converts an item to a JSON node or a record. */
    public ObjectNode toJson(Function<T, ?> item) {
        return Json.toObject(body(item));
    }

    public Reply toReply(Function<T, ?> item) {
        return Reply.ofRecord(body(item));
    }

    private PageBody body(Function<T, ?> item) {
        return new PageBody(items.stream().map(item).toList(), next == null ? null : next.encode());
    }
}
