package dev.slipway.service;

import java.util.List;
import java.util.function.Function;

/** The JSON of a list that has no pages. */
public record ItemList<T>(List<T> items) {
    public static <D, T> Reply reply(List<D> found, Function<D, T> toJson) {
        return Reply.ofRecord(new ItemList<>(found.stream().map(toJson).toList()));
    }
}
