package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Function;

/** A page of a list, newest first, and where the next one begins: every list of the contract is answered so. */
public record Page<T>(List<T> items, @Nullable Cursor next) {

    /** Of one item more than the page holds, if there are as many. */
    public static <T> Page<T> of(List<T> found, int limit, Function<T, Cursor> at) {
        return found.size() <= limit
                ? new Page<>(found, null)
                : new Page<>(List.copyOf(found.subList(0, limit)), at.apply(found.get(limit - 1)));
    }

    public ObjectNode json(Function<T, ObjectNode> item) {
        var body = Json.object();
        var array = body.putArray("items");
        items.forEach(each -> array.add(item.apply(each)));
        return body.put("next_cursor", next == null ? null : next.encode());
    }

    public Reply reply(Function<T, ObjectNode> item) {
        return Reply.of(json(item));
    }
}
