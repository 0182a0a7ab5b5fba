package dev.slipway.instances.history.domain;

import java.util.List;
import java.util.Map;

/**
 * An instance as its events tell it.
 *
 * @param fields JSON texts by the names that callers know
 * @param missing the first of the sequence numbers that no event has: none, unless something is broken
 */
public record PastState(long sequence, Map<String, String> fields, List<Long> missing) {}
